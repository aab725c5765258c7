//! Folds letters for comparison: lower case, no diacritics, one form for look-alike characters.
//!
//! Indexing and searching must fold alike.

use unicode_normalization::UnicodeNormalization as _;

/// Appends the folded form of a piece of a word.
pub(super) fn fold_into(folded: &mut String, piece: &str) {
    for letter in piece.chars() {
        if letter.is_ascii() {
            folded.push(letter.to_ascii_lowercase());
        } else if is_hangul(letter) {
            // NFKD would decompose a syllable into its letters.
            folded.push(letter);
        } else {
            let bare = std::iter::once(letter).nfkd().filter(|part| !is_accent(*part));
            bare.flat_map(char::to_lowercase).for_each(|part| push_plain(folded, part));
        }
    }
}

/// The folded form of a text.
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

/// Whether its script puts no spaces between words.
pub(super) fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF
        | 0x2_0000..=0x3_FFFF)
}

fn is_hangul(letter: char) -> bool {
    matches!(u32::from(letter), 0xAC00..=0xD7AF)
}

/// Only the combining marks of alphabets; in other scripts they are vowels.
fn is_accent(letter: char) -> bool {
    matches!(u32::from(letter), 0x0300..=0x036F)
}

/// Letters with a stroke and ligatures of two letters, which NFKD does not decompose.
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
