//! Splits a text into words by a byte table, and tells what each word may contain.

/// The byte is part of a word, and no separator.
pub(super) const WORD: u8 = 1;
/// `@`, or `%`, which escapes it in URLs.
pub(super) const SIGN: u8 = 2;
pub(super) const COLON: u8 = 4;
/// A slash or a backslash.
pub(super) const SLASH: u8 = 8;
pub(super) const DIGIT: u8 = 16;
pub(super) const DOT: u8 = 32;
pub(super) const DASH: u8 = 64;

/// The classes of each byte: part of a word or separator, and what it may be part of.
pub(super) const CLASSES: [u8; 256] = {
    let mut table = [WORD; 256];
    let between = b" \t\r\n\"'`,;=<>|(){}[]&?!*#$^";
    let mut at = 0;
    while at < between.len() {
        table[between[at] as usize] = 0;
        at += 1;
    }
    let mut byte = 0;
    while byte < 32 {
        table[byte] = 0;
        byte += 1;
    }
    table[b'@' as usize] = WORD | SIGN;
    table[b'%' as usize] = WORD | SIGN;
    table[b':' as usize] = WORD | COLON;
    table[b'/' as usize] = WORD | SLASH;
    table[b'\\' as usize] = WORD | SLASH;
    table[b'.' as usize] = WORD | DOT;
    table[b'-' as usize] = WORD | DASH;
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = WORD | DIGIT;
        digit += 1;
    }
    table
};

/// The end of a word, and the classes of its bytes.
pub(super) struct ScannedWord {
    pub(super) end: usize,
    pub(super) seen: u8,
}

/// The start of the next word after this byte.
pub(super) fn word_start(bytes: &[u8], from: usize) -> Option<usize> {
    let length = bytes[from..].iter().position(|it| CLASSES[usize::from(*it)] & WORD != 0)?;
    Some(from + length)
}

/// Reads the word that begins here.
pub(super) fn read_word(bytes: &[u8], start: usize) -> ScannedWord {
    let (mut end, mut seen) = (start, 0);
    while end < bytes.len() {
        let class = CLASSES[usize::from(bytes[end])];
        if class & WORD == 0 {
            break;
        }
        seen |= class;
        end += 1;
    }
    ScannedWord { end, seen }
}

/// Whether a word may contain personal data, regardless of its context.
pub(super) fn is_interesting(seen: u8) -> bool {
    seen & (SIGN | COLON | SLASH | DASH) != 0 || has_numbers(seen)
}

/// Whether a word may contain numbers separated by dots.
pub(super) fn has_numbers(seen: u8) -> bool {
    seen & (DIGIT | DOT) == DIGIT | DOT
}
