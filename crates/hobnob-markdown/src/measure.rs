//! How many columns characters take, and between which characters a line may break.

use unicode_width::UnicodeWidthChar;

/// Selects the emoji form of the previous character, which is two columns wide.
const EMOJI_FORM: char = '\u{fe0f}';

/// The columns of a character after another one.
pub(crate) fn columns(before: Option<char>, letter: char) -> usize {
    let own = |letter: char| letter.width().unwrap_or(0);
    match letter {
        EMOJI_FORM => usize::from(before.is_some_and(|it| own(it) == 1)),
        _ => own(letter),
    }
}

/// The columns of a whole text without line breaks.
pub(crate) fn columns_of(text: impl IntoIterator<Item = char>) -> usize {
    let mut before = None;
    let mut sum = 0;
    for letter in text {
        sum += columns(before, letter);
        before = Some(letter);
    }
    sum
}

/// Whether a character is drawn as part of the previous one.
pub(crate) fn joins_the_one_before(letter: char) -> bool {
    letter.width() == Some(0) || matches!(letter, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether a line may break between two characters without a space: next to wide characters, since
/// most scripts that use them have no spaces. Korean has spaces.
pub(crate) fn may_break(before: char, after: char) -> bool {
    let korean = |letter: char| matches!(letter, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7a3}');
    let wide = |letter: char| letter.width() == Some(2) && !korean(letter);
    (wide(before) || wide(after))
        && !joins_the_one_before(after)
        && !is_closing(after)
        && !is_opening(before)
}

fn is_closing(letter: char) -> bool {
    matches!(letter, '!' | ')' | ',' | '.' | ':' | ';' | '?' | ']' | '}' | '”' | '’' | '…')
        || matches!(letter, '、' | '。' | '〉' | '》' | '」' | '』' | '】' | '〕' | 'ー')
        || matches!(letter, '！' | '）' | '，' | '．' | '：' | '；' | '？' | '］' | '｝')
}

fn is_opening(letter: char) -> bool {
    matches!(letter, '(' | '[' | '{' | '“' | '‘' | '〈' | '《' | '「' | '『' | '【' | '〔')
        || matches!(letter, '（' | '［' | '｛')
}
