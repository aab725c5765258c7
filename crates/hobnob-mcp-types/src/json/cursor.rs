//! One pass over a JSON text: checks syntax, depth and unique keys without building any values.
//!
//! `serde_json` skips raw values without a depth limit and takes the last of two equal keys; both
//! would let one text mean two things to two readers, so this pass comes first.

use super::plain::plain_prefix;
use super::span::{Field, Span};
use std::borrow::Cow;

/// The deepest nesting of arrays and objects that is accepted.
pub const MAX_DEPTH: usize = 128;

/// Up to this many members, a linear search finds duplicate keys; larger objects sort their keys.
const MAX_LINEAR_KEYS: usize = 16;

/// Why a text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonError {
    /// Not JSON; the number is the position in bytes, as in the other variants.
    Syntax(usize),
    /// Nested deeper than [`MAX_DEPTH`].
    TooDeep(usize),
    /// An object names the same key twice.
    DuplicateKey(usize),
}

impl std::fmt::Display for JsonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Syntax(at) => write!(f, "not valid JSON at byte {at}"),
            Self::TooDeep(at) => write!(f, "nested deeper than {MAX_DEPTH} levels at byte {at}"),
            Self::DuplicateKey(at) => write!(f, "the same key twice in one object at byte {at}"),
        }
    }
}

/// Whether a string contains escapes.
enum Spelling {
    Plain,
    Escaped,
}

/// A position in a JSON text, which only moves forward.
#[derive(Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// Keys of the objects that are still open, innermost last.
    keys: Vec<Cow<'a, str>>,
    /// Selects the strings to count, by their first bytes.
    counts: Option<fn(&[u8]) -> bool>,
    counted: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, keys: Vec::new(), counts: None, counted: 0 }
    }

    /// Moves past one value, like [`Self::value`]. Also counts the strings in it, keys included,
    /// that begin as `counts` wants, plus every `\u` escape, which may hide a beginning.
    pub(crate) fn value_counting(
        &mut self,
        counts: fn(&[u8]) -> bool,
    ) -> Result<(Span, usize), JsonError> {
        (self.counts, self.counted) = (Some(counts), 0);
        let value = self.value();
        self.counts = None;
        Ok((value?, self.counted))
    }

    /// The next byte that is not white space, without moving past it.
    pub fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                other => return Some(*other),
            }
        }
        None
    }

    /// The byte at which the next read begins.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Ends the pass; only white space may be left.
    pub fn finish(mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(JsonError::Syntax(self.at)),
        }
    }

    /// Moves past one value and returns its span.
    pub fn value(&mut self) -> Result<Span, JsonError> {
        let first = self.peek().ok_or(JsonError::Syntax(self.at))?;
        let start = self.at;
        match first {
            b'"' => {
                self.string()?;
            }
            b'{' => self.object(|_, _| ())?,
            b'[' => self.array(|_| ())?,
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            b'n' => self.word("null")?,
            _ => self.number()?,
        }
        Ok(Span::new(start, self.at))
    }

    /// Moves past an object and calls `inside` for each member, with its key after unescaping.
    pub fn object(&mut self, mut inside: impl FnMut(&str, Field)) -> Result<(), JsonError> {
        self.members(|cursor, key, key_span| {
            let value = cursor.value()?;
            inside(key, Field { key: key_span, value });
            Ok(())
        })
    }

    /// Like [`Self::object`], but `inside` reads the value itself and must move past it.
    pub fn members(
        &mut self,
        mut inside: impl FnMut(&mut Self, &str, Span) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.open(b'{')?;
        if self.keys.capacity() == 0 {
            self.keys = Vec::with_capacity(MAX_LINEAR_KEYS);
        }
        let outer = self.keys.len();
        if self.peek() == Some(b'}') {
            return self.close();
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(JsonError::Syntax(self.at));
            }
            let (span, spelling) = self.string()?;
            let key = match spelling {
                Spelling::Plain => Cow::Borrowed(span.of(self.text)),
                Spelling::Escaped => {
                    unescape(span.of(self.text)).ok_or(JsonError::Syntax(self.at))?
                }
            };
            let known = &self.keys[outer..];
            if known.len() <= MAX_LINEAR_KEYS && known.contains(&key) {
                return Err(JsonError::DuplicateKey(span.start as usize));
            }
            self.expect(b':')?;
            self.keys.push(key.clone());
            inside(self, &key, span)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(JsonError::Syntax(self.at)),
            }
        }
        if self.keys.len() - outer > MAX_LINEAR_KEYS {
            let keys = &mut self.keys[outer..];
            keys.sort_unstable();
            if keys.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(JsonError::DuplicateKey(self.at));
            }
        }
        self.keys.truncate(outer);
        self.close()
    }

    /// Moves past an array and calls `inside` for each element.
    pub fn array(&mut self, mut inside: impl FnMut(Span)) -> Result<(), JsonError> {
        self.open(b'[')?;
        if self.peek() == Some(b']') {
            return self.close();
        }
        loop {
            inside(self.value()?);
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => return self.close(),
                _ => return Err(JsonError::Syntax(self.at)),
            }
        }
    }

    fn open(&mut self, bracket: u8) -> Result<(), JsonError> {
        self.expect(bracket)?;
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(JsonError::TooDeep(self.at)) } else { Ok(()) }
    }

    fn close(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    fn expect(&mut self, byte: u8) -> Result<(), JsonError> {
        if self.peek() != Some(byte) {
            return Err(JsonError::Syntax(self.at));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), JsonError> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(JsonError::Syntax(self.at));
        }
        self.at += word.len();
        Ok(())
    }

    /// Moves past a string and returns the span between its quotes.
    fn string(&mut self) -> Result<(Span, Spelling), JsonError> {
        let bytes = self.text.as_bytes();
        let start = self.at + 1;
        let mut at = start;
        let mut spelling = Spelling::Plain;
        if let Some(counts) = self.counts {
            self.counted += usize::from(counts(bytes.get(start..).unwrap_or_default()));
        }
        loop {
            at += plain_prefix(bytes.get(at..).unwrap_or_default());
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    let length = escape_length(&bytes[at..]).ok_or(JsonError::Syntax(at))?;
                    // Only a `\u` escape can spell a letter.
                    self.counted += usize::from(length > 2);
                    at += length;
                    spelling = Spelling::Escaped;
                }
                _ => return Err(JsonError::Syntax(at)),
            }
        }
        self.at = at + 1;
        Ok((Span::new(start, at), spelling))
    }

    fn number(&mut self) -> Result<(), JsonError> {
        let bytes = self.text.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut at = self.at;
        if bytes.get(at) == Some(&b'-') {
            at += 1;
        }
        let whole = digits(at);
        // A leading zero stands alone.
        if whole == 0 || (whole > 1 && bytes[at] == b'0') {
            return Err(JsonError::Syntax(at));
        }
        at += whole;
        if bytes.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            if fraction == 0 {
                return Err(JsonError::Syntax(at));
            }
            at += 1 + fraction;
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            at += 1;
            if matches!(bytes.get(at), Some(b'+' | b'-')) {
                at += 1;
            }
            let exponent = digits(at);
            if exponent == 0 {
                return Err(JsonError::Syntax(at));
            }
            at += exponent;
        }
        self.at = at;
        Ok(())
    }
}

/// The length of the valid escape at the start of `bytes`; a surrogate pair is one escape.
fn escape_length(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => match unit(bytes)? {
            0xD800..=0xDBFF => match unit(bytes.get(6..)?)? {
                0xDC00..=0xDFFF => Some(12),
                _ => None,
            },
            0xDC00..=0xDFFF => None,
            _ => Some(6),
        },
        _ => None,
    }
}

/// Whether `bytes` begins with a lone surrogate: half of a pair without its other half.
pub(crate) fn is_half_pair(bytes: &[u8]) -> bool {
    unit(bytes).is_some() && escape_length(bytes).is_none()
}

/// Replaces every lone surrogate by U+FFFD and returns their number. The text keeps its length, and
/// every escape in it then stands for a character.
///
/// JavaScript writes lone surrogates for strings that were cut in the middle of a character.
pub(crate) fn replace_lone_surrogates(text: &mut String) -> usize {
    let mut bytes = std::mem::take(text).into_bytes();
    let (mut at, mut replaced) = (0, 0);
    while let Some(next) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += next;
        let length = escape_length(&bytes[at..]);
        if is_half_pair(&bytes[at..]) {
            bytes[at + 2..at + 6].copy_from_slice(b"fffd");
            replaced += 1;
        }
        at = (at + length.unwrap_or(2)).min(bytes.len());
    }
    // ASCII replaced ASCII, so this cannot fail.
    *text = String::from_utf8(bytes).unwrap_or_default();
    replaced
}

/// The UTF-16 unit that `\uXXXX` at the start of `bytes` stands for.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.get(..6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0u16, |sum, digit| {
        let value = char::from(*digit).to_digit(16)?;
        Some(sum << 4 | value as u16)
    })
}

/// Unescapes the text between two quotes, which a [`Cursor`] has checked.
pub fn unescape(inside: &str) -> Option<Cow<'_, str>> {
    if !inside.as_bytes().contains(&b'\\') {
        return Some(Cow::Borrowed(inside));
    }
    serde_json::from_str(&format!("\"{inside}\"")).ok().map(Cow::Owned)
}
