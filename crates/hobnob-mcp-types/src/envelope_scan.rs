//! Reads the id and the kind of a message whose envelope cannot be decoded.
//!
//! An answer that cannot be decoded must end the call it belongs to at once, and a line over the
//! length limit passes through here piece by piece. The scanner builds no values and does not
//! recurse, and the memory it needs is bounded for every input.

use crate::id::{MAX_ID_LENGTH, RequestId};
use crate::json::{Cursor, plain_prefix, unescape};

/// The longest text between quotes that can still be a member of an envelope, escapes included.
const MAX_KEY_LENGTH: usize = 64;

/// What kind of message a text is, as far as its members say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MessageKind {
    /// It has a `method`: a request, or a notification if it has no id.
    Call,
    /// It answers a request.
    Answer,
    /// The members do not say; the text may be no message at all.
    #[default]
    Unknown,
}

/// The parts of an envelope that say which call it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EnvelopeParts {
    /// Its id, if it has exactly one that is legal.
    pub id: Option<RequestId>,
    /// What kind of message it is.
    pub kind: MessageKind,
}

impl EnvelopeParts {
    /// Scans a text, which may be cut off anywhere.
    pub fn of(bytes: &[u8]) -> Self {
        let mut scanner = EnvelopeScanner::default();
        scanner.push(bytes);
        scanner.parts()
    }
}

/// Scans a text that arrives in pieces.
#[derive(Debug, Default)]
pub struct EnvelopeScanner {
    outline: Outline,
    /// The number of open brackets.
    depth: usize,
    string: InString,
    /// The member of the envelope whose value is being read.
    member: Option<Member>,
    /// Whether the next string at depth one is a key.
    expects_key: bool,
    /// The text of the current key, or of the id's value.
    captured: Vec<u8>,
    ids: Vec<Option<RequestId>>,
    has_method: bool,
    has_outcome: bool,
    has_version: bool,
}

/// How much of the outermost object has been seen.
#[derive(Debug, Default, PartialEq, Eq)]
enum Outline {
    #[default]
    NotBegun,
    Object,
    Over,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum InString {
    #[default]
    No,
    Yes,
    /// After a backslash: the next byte belongs to the escape.
    Escape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Id,
    Other,
}

impl EnvelopeScanner {
    /// Takes the next piece.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(byte) = rest.first()
            && self.outline != Outline::Over
        {
            if self.string == InString::Yes {
                let plain = plain_prefix(rest);
                self.capture(&rest[..plain]);
                rest = &rest[plain..];
                let Some(special) = rest.first() else { return };
                self.in_string(*special);
            } else {
                self.take(*byte);
            }
            rest = &rest[1..];
        }
    }

    /// The parts found so far.
    pub fn parts(&self) -> EnvelopeParts {
        let id = match self.ids.as_slice() {
            [id] => id.clone(),
            _ => None,
        };
        let kind = if self.has_method {
            MessageKind::Call
        } else if self.has_outcome || self.has_version {
            MessageKind::Answer
        } else {
            MessageKind::Unknown
        };
        EnvelopeParts { id, kind }
    }

    fn take(&mut self, byte: u8) {
        match self.string {
            InString::Escape => {
                self.capture(&[byte]);
                self.string = InString::Yes;
                return;
            }
            InString::Yes => return self.in_string(byte),
            InString::No => {}
        }
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => self.capture(b" "),
            b'{' if self.outline == Outline::NotBegun => {
                self.outline = Outline::Object;
                (self.depth, self.expects_key) = (1, true);
            }
            // A byte order mark.
            0xEF | 0xBB | 0xBF if self.outline == Outline::NotBegun => {}
            _ if self.outline == Outline::NotBegun => self.outline = Outline::Over,
            b'"' => {
                self.string = InString::Yes;
                self.capture(b"\"");
            }
            b'{' | b'[' => {
                self.capture(&[byte]);
                self.depth += 1;
            }
            b'}' | b']' => {
                self.depth -= 1;
                if self.depth == 0 {
                    self.end_value();
                    self.outline = Outline::Over;
                }
            }
            b',' if self.depth == 1 => {
                self.end_value();
                self.expects_key = true;
            }
            other => self.capture(&[other]),
        }
    }

    fn in_string(&mut self, byte: u8) {
        match byte {
            b'\\' => {
                self.capture(&[byte]);
                self.string = InString::Escape;
            }
            b'"' => {
                self.capture(&[byte]);
                self.string = InString::No;
                if self.depth == 1 && self.expects_key {
                    self.end_key();
                }
            }
            // A control character is no JSON, but it does not end the string either.
            other => self.capture(&[other]),
        }
    }

    /// Keeps the bytes of a key or of the id, and one more than allowed, to notice overlong ones.
    fn capture(&mut self, bytes: &[u8]) {
        let max = match (self.depth, self.expects_key, self.member) {
            (1, true, _) if self.string != InString::No => MAX_KEY_LENGTH + 1,
            (1, false, Some(Member::Id)) => MAX_ID_LENGTH + 1,
            _ => return,
        };
        let left = max.saturating_sub(self.captured.len());
        self.captured.extend_from_slice(&bytes[..bytes.len().min(left)]);
    }

    fn end_key(&mut self) {
        let key = std::mem::take(&mut self.captured);
        self.expects_key = false;
        self.member = Some(Member::Other);
        let inside = key.get(1..key.len() - 1).filter(|_| key.len() <= MAX_KEY_LENGTH);
        let inside = inside.and_then(|inside| std::str::from_utf8(inside).ok());
        match inside.and_then(unescape).as_deref() {
            Some("id") => self.member = Some(Member::Id),
            Some("method") => self.has_method = true,
            Some("result" | "error") => self.has_outcome = true,
            Some("jsonrpc") => self.has_version = true,
            _ => {}
        }
    }

    fn end_value(&mut self) {
        if self.member.take() == Some(Member::Id) && self.ids.len() < 2 {
            let raw = std::mem::take(&mut self.captured);
            let raw = raw.trim_ascii().strip_prefix(b":").unwrap_or(&raw);
            let text = std::str::from_utf8(raw.trim_ascii()).ok();
            // The scanner has not validated the value yet.
            let text = text.filter(|text| Cursor::new(text).value().is_ok());
            self.ids.push(text.and_then(RequestId::from_json));
        }
        self.captured.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{EnvelopeParts, EnvelopeScanner, MessageKind};
    use MessageKind::{Answer, Call, Unknown};

    #[test]
    fn the_id_and_the_kind_are_found_in_what_cannot_be_decoded() {
        let deep = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{}"#, "[".repeat(10_000));
        let last = format!(
            r#"{{"result":{{"a":"{}","id":1,"b":[{{"id":2}}]}},"jsonrpc":"2.0","id":"x\"y"}}"#,
            "}{\\\"".repeat(1000)
        );
        let cases: &[(&str, Option<&str>, MessageKind)] = &[
            (r#"{"jsonrpc":"2.0","id":3,"result":{"x":NaN}}"#, Some("3"), Answer),
            (r#"{"jsonrpc":"2.0","id":3,"result":{"a":1,"a":2}}"#, Some("3"), Answer),
            (r#"{"jsonrpc":"2.0","id": 3 ,"error":{"co"#, Some("3"), Answer),
            (r#"{ "i\u0064" : "s", "result" : "\ud800" }"#, Some("\"s\""), Answer),
            (&deep, Some("7"), Answer),
            (&last, Some(r#""x\"y""#), Answer),
            (r#"{"jsonrpc":"2.0","id":4,"method":"roots/list","x":01}"#, Some("4"), Call),
            (r#"{"jsonrpc":"2.0","method":"notifications/x","params":{"id":5}"#, None, Call),
            (r#"{"jsonrpc":"2.0","id":5}"#, Some("5"), Answer),
            // Ambiguous, illegal and incomplete ids.
            (r#"{"id":1,"id":1,"result":{}}"#, None, Answer),
            (r#"{"id":1.5,"result":{}}"#, None, Answer),
            (r#"{"id":1 2,"result":{}}"#, None, Answer),
            (r#"{"id":-01,"result":{}}"#, None, Answer),
            (r#"{"id":[1],"result":{}}"#, None, Answer),
            (r#"{"id":{},"result":{}}"#, None, Answer),
            (r#"{"result":{},"id":12"#, None, Answer),
            // Texts that are not messages.
            (r#"{"level":30,"id":9,"msg":"listening"}"#, Some("9"), Unknown),
            (r#"log {"id":1,"result":{}}"#, None, Unknown),
            (r#"[{"id":1,"result":{}}]"#, None, Unknown),
            ("", None, Unknown),
        ];
        for (text, id, kind) in cases {
            let found = EnvelopeParts::of(text.as_bytes());
            let shown = found.id.as_ref().map(|id| id.to_json());
            assert_eq!((shown.as_deref(), found.kind), (*id, *kind), "{:.80}", text);
            let mut in_pieces = EnvelopeScanner::default();
            text.as_bytes().iter().for_each(|byte| in_pieces.push(&[*byte]));
            assert_eq!(in_pieces.parts(), found, "{text:.80}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let long = "k".repeat(1 << 20);
        let mut scanner = EnvelopeScanner::default();
        scanner.push(
            format!(r#"{{"{long}":1,"id":"{long}","id":"{long}","id":1,"result""#).as_bytes(),
        );
        assert!(scanner.captured.capacity() < 8192 && scanner.ids.len() == 2);
        assert_eq!(scanner.parts().id, None);
    }
}
