//! The text as a reader sees it: without invisible characters, and with look-alikes as plain ASCII.
//!
//! A secret with a soft hyphen in it, or in full-width letters, is still the same secret to a
//! reader. Every byte of the folded text maps to the original bytes.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Maximum length of a character's compatibility form; no form of ASCII is longer.
const MAX_FORM_LENGTH: usize = 18;

/// The folded text, and for each byte the range of its character in the original.
pub(crate) struct Folded {
    text: String,
    origins: Vec<(usize, usize)>,
}

impl Folded {
    /// Folds a text; `None` if folding changes nothing, which is nearly always.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n' | b'\r');
        if text.bytes().all(is_plain) {
            return None;
        }
        let mut folded = Self {
            text: String::with_capacity(text.len()),
            origins: Vec::with_capacity(text.len()),
        };
        let mut is_changed = false;
        for (at, letter) in text.char_indices() {
            let before = folded.text.len();
            let kept = fold(letter, &mut folded.text);
            is_changed |= kept == FoldResult::Changed;
            let origin = (at, at + letter.len_utf8());
            folded.origins.resize(folded.origins.len() + folded.text.len() - before, origin);
        }
        is_changed.then_some(folded)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The original range of a range of the folded text, including invisible characters inside it.
    pub(crate) fn origin(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.origins.get(range.start).map_or(0, |it| it.0);
        let last = range.end.checked_sub(1).and_then(|at| self.origins.get(at));
        first..last.map_or(first, |it| it.1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FoldResult {
    AsItWas,
    Changed,
}

fn fold(letter: char, text: &mut String) -> FoldResult {
    if letter.is_ascii() {
        let is_kept = !letter.is_ascii_control() || matches!(letter, '\t' | '\n' | '\r');
        if is_kept {
            text.push(letter);
        }
        return if is_kept { FoldResult::AsItWas } else { FoldResult::Changed };
    }
    if is_invisible(letter) || is_combining_mark(letter) {
        return FoldResult::Changed;
    }
    if let Some(plain) = look_alike(letter) {
        text.push(plain);
        return FoldResult::Changed;
    }
    let before = text.len();
    let forms = std::iter::once(letter).nfkd().take(MAX_FORM_LENGTH);
    for form in forms.filter(|it| !is_combining_mark(*it)) {
        match form {
            form if form.is_ascii() => text.push(form),
            _ => {
                text.truncate(before);
                text.push(letter);
                return FoldResult::AsItWas;
            }
        }
    }
    if text.len() == before {
        text.push(letter);
        return FoldResult::AsItWas;
    }
    FoldResult::Changed
}

/// Characters that are invisible or only modify how others are displayed.
fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e001f}'
            | '\u{e007f}'..='\u{e0fff}'
    )
}

/// Letters of other scripts that look like ASCII, and tag characters, which spell ASCII invisibly.
fn look_alike(letter: char) -> Option<char> {
    Some(match letter {
        '\u{e0020}'..='\u{e007e}' => {
            return u8::try_from(u32::from(letter) - 0xe_0000).ok().map(char::from);
        }
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' | 'Ϲ' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' | 'Ӏ' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        'Ү' | 'Υ' => 'Y',
        'Ζ' => 'Z',
        'а' => 'a',
        'с' => 'c',
        'ԁ' => 'd',
        'е' => 'e',
        'һ' => 'h',
        'і' => 'i',
        'ј' => 'j',
        'ӏ' => 'l',
        'о' | 'ο' => 'o',
        'р' => 'p',
        'ѕ' => 's',
        'у' => 'y',
        'х' => 'x',
        '\u{2010}' | '\u{2011}' => '-',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::Folded;

    #[test]
    fn every_byte_knows_where_it_comes_from() {
        let text = "a\u{200b}b Ａé😀\u{301}x";
        let folded = Folded::of(text).unwrap();
        assert_eq!(folded.text(), "ab Ae😀x");
        let of = |part: &str| {
            let at = folded.text().find(part).unwrap();
            &text[folded.origin(&(at..at + part.len()))]
        };
        assert_eq!(of("ab"), "a\u{200b}b");
        assert_eq!(of("Ae"), "Ａé");
        assert_eq!(of("x"), "x");
        assert!(Folded::of("plain text\n").is_none());
        assert!(Folded::of("日本語 😀").is_none());
    }
}
