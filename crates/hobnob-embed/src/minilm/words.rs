//! Splits text into words like the uncased BERT models: lower case without accents, with every
//! punctuation mark and every Chinese character a word of its own.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization as _;

/// The words of a text, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let clean = text.chars().filter(|c| !is_dropped(*c));
    let bare = clean.nfd().filter(|c| get_general_category(*c) != GeneralCategory::NonspacingMark);
    let mut chars = bare.flat_map(char::to_lowercase).peekable();
    std::iter::from_fn(move || {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        let mut word = String::from(chars.next()?);
        if word.starts_with(stands_alone) {
            return Some(word);
        }
        while let Some(next) = chars.next_if(|c| !c.is_whitespace() && !stands_alone(*c)) {
            word.push(next);
        }
        Some(word)
    })
}

/// Control and format characters, private-use characters, and the replacement character.
fn is_dropped(c: char) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse};
    let other = || matches!(get_general_category(c), Control | Format | PrivateUse);
    c == char::REPLACEMENT_CHARACTER || !matches!(c, '\t' | '\n' | '\r') && other()
}

fn stands_alone(c: char) -> bool {
    is_punctuation(c) || is_chinese(c)
}

/// In ASCII all printable characters except letters, digits and space, so `$` and `+` too.
fn is_punctuation(c: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    let elsewhere = || {
        matches!(
            get_general_category(c),
            ClosePunctuation
                | ConnectorPunctuation
                | DashPunctuation
                | FinalPunctuation
                | InitialPunctuation
                | OpenPunctuation
                | OtherPunctuation
        )
    };
    c.is_ascii_punctuation() || !c.is_ascii() && elsewhere()
}

/// The Unicode blocks that BERT treats as Chinese; kana and hangul are not among them.
fn is_chinese(c: char) -> bool {
    matches!(
        c,
        '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{2A6DF}'
            | '\u{2A700}'..='\u{2B81F}'
            | '\u{2B820}'..='\u{2CEAF}'
            | '\u{2F800}'..='\u{2FA1F}'
    )
}
