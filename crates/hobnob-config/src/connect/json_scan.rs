//! Finds the members of an object in a JSON text, and their positions.
//!
//! `json_text` edits the text at these positions. The text was parsed before, so it is well formed:
//! strings end, and brackets match. Comments are blanked out byte for byte, so positions are those
//! of the original text.

use std::ops::Range;

/// One member of an object.
pub(super) struct JsonMember {
    /// The key without quotes and escapes.
    pub(super) key: String,
    /// From the key's opening quote to the end of the value.
    pub(super) whole: Range<usize>,
    pub(super) value: Range<usize>,
    /// The position of the comma after it.
    pub(super) comma: Option<usize>,
}

/// An object: the positions of its braces, and its members.
pub(super) struct JsonObject {
    pub(super) open: usize,
    pub(super) close: usize,
    pub(super) members: Vec<JsonMember>,
}

impl JsonObject {
    /// The object that begins at or after this position; only white space may come before it.
    pub(super) fn at(plain: &str, from: usize) -> Option<Self> {
        let bytes = plain.as_bytes();
        let open = skip_space(bytes, from);
        if bytes.get(open) != Some(&b'{') {
            return None;
        }
        let mut members = Vec::new();
        let mut at = skip_space(bytes, open + 1);
        while bytes.get(at) == Some(&b'"') {
            let key = string_end(bytes, at);
            let colon = skip_space(bytes, key);
            let start = skip_space(bytes, colon + 1);
            let end = value_end(bytes, start);
            let behind = skip_space(bytes, end);
            let comma = (bytes.get(behind) == Some(&b',')).then_some(behind);
            members.push(JsonMember {
                key: serde_json::from_str(plain.get(at..key)?).ok()?,
                whole: at..end,
                value: start..end,
                comma,
            });
            at = comma.map_or(behind, |comma| skip_space(bytes, comma + 1));
        }
        (bytes.get(at) == Some(&b'}')).then_some(Self { open, close: at, members })
    }

    pub(super) fn get(&self, key: &str) -> Option<&JsonMember> {
        self.members.iter().find(|member| member.key == key)
    }
}

/// Replaces comments by spaces, including the line breaks inside them, so that no line ends inside
/// a comment.
pub(super) fn blank_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let end = if rest.starts_with(b"\"") {
            string_end(bytes, at)
        } else if rest.starts_with(b"//") {
            at + rest.iter().position(|it| matches!(it, b'\n' | b'\r')).unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            at + rest[2..].windows(2).position(|it| it == b"*/").map_or(rest.len(), |it| it + 4)
        } else {
            at + 1
        };
        if rest.starts_with(b"/") {
            plain[at..end].fill(b' ');
        }
        at = end;
    }
    // Comments become ASCII as a whole, so the text is still UTF-8.
    String::from_utf8_lossy(&plain).into_owned()
}

fn skip_space(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|it| it.is_ascii_whitespace()).count()
}

/// The end of the string that begins at `start`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of the value that begins at `start`.
fn value_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = string_end(bytes, at) - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return at,
            it if it.is_ascii_whitespace() && depth == 0 => return at,
            _ => {}
        }
        at += 1;
        if depth == 0 && matches!(bytes[at - 1], b'}' | b']' | b'"') {
            return at;
        }
    }
    bytes.len()
}
