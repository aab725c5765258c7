//! Letters as they are compared: lower case, without diacritics, one form for what looks alike.
//!
//! Indexing and searching must use the same table.

use unicode_normalization::UnicodeNormalization as _;

/// Appends a piece of a word in the form in which it is compared.
pub(super) fn fold_into(folded: &mut String, piece: &str) {
    for letter in piece.chars() {
        if letter.is_ascii() {
            folded.push(letter.to_ascii_lowercase());
        } else if is_hangul(letter) {
            // These would fall apart into their strokes.
            folded.push(letter);
        } else {
            let bare = std::iter::once(letter).nfkd().filter(|part| !is_accent(*part));
            bare.flat_map(char::to_lowercase).for_each(|part| push_plain(folded, part));
        }
    }
}

/// A text in the form in which it is compared.
pub fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(&mut folded, text);
    folded
}

/// Whether a character is part of a word: a letter, a digit, or a mark on one.
pub(super) fn is_word(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphanumeric();
    }
    letter.is_alphanumeric() || unicode_normalization::char::is_combining_mark(letter)
}

/// Whether its script does not put spaces between words.
pub(super) fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF
        | 0x2_0000..=0x3_FFFF)
}

fn is_hangul(letter: char) -> bool {
    matches!(u32::from(letter), 0xAC00..=0xD7AF)
}

/// Only the marks of alphabets: in other scripts they are vowels.
fn is_accent(letter: char) -> bool {
    matches!(u32::from(letter), 0x0300..=0x036F)
}

/// Letters with a stroke or of two do not decompose by themselves.
fn push_plain(folded: &mut String, letter: char) {
    match letter {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'ø' => folded.push('o'),
        'ł' => folded.push('l'),
        'đ' | 'ð' => folded.push('d'),
        'þ' => folded.push_str("th"),
        'ı' => folded.push('i'),
        other => folded.push(other),
    }
}
