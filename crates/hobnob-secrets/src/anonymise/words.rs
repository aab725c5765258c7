//! Words of a text by a table of bytes: what is between them, and what each can have in it.

/// Part of a word, and not between words.
pub(super) const WORD: u8 = 1;
/// `@`, or `%`, which escapes it in URLs.
pub(super) const SIGN: u8 = 2;
pub(super) const COLON: u8 = 4;
/// A slash or a backslash.
pub(super) const SLASH: u8 = 8;
pub(super) const DIGIT: u8 = 16;
pub(super) const DOT: u8 = 32;
pub(super) const DASH: u8 = 64;

/// What each byte is: part of a word or between words, and what it can be part of.
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

/// A word: where it ends, and what it has in it.
pub(super) struct ScannedWord {
    pub(super) end: usize,
    pub(super) seen: u8,
}

/// The first byte of the next word from this byte on.
pub(super) fn word_start(bytes: &[u8], from: usize) -> Option<usize> {
    let length = bytes[from..].iter().position(|it| CLASSES[usize::from(*it)] & WORD != 0)?;
    Some(from + length)
}

/// The word that begins here.
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

/// Whether a word can have something personal in it, whatever stands around it.
pub(super) fn is_interesting(seen: u8) -> bool {
    seen & (SIGN | COLON | SLASH | DASH) != 0 || has_numbers(seen)
}

/// Whether a word can have numbers with dots between them.
pub(super) fn has_numbers(seen: u8) -> bool {
    seen & (DIGIT | DOT) == DIGIT | DOT
}
