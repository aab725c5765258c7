//! Reading and rewriting one object without decoding what is in it.
//!
//! The edges use this to add, drop or look at a member while the rest stays as it came.

use super::cursor::{Cursor, plain_prefix, unescape};
use super::span::Field;
use std::borrow::Cow;

/// The members of an object text in their order; nothing if the text is not an object.
pub fn entries(text: &str) -> Vec<(Cow<'_, str>, &str)> {
    let mut fields: Vec<Field> = Vec::new();
    let mut cursor = Cursor::new(text);
    if cursor.peek() != Some(b'{') || cursor.object(|_, field| fields.push(field)).is_err() {
        return Vec::new();
    }
    let named = |field: Field| Some((unescape(field.key.of(text))?, field.value.of(text)));
    fields.into_iter().filter_map(named).collect()
}

/// The elements of an array text in their order; nothing if the text is not an array.
pub fn elements(text: &str) -> Vec<&str> {
    let mut spans = Vec::new();
    let mut cursor = Cursor::new(text);
    if cursor.peek() != Some(b'[') || cursor.array(|span| spans.push(span)).is_err() {
        return Vec::new();
    }
    spans.into_iter().map(|span| span.of(text)).collect()
}

/// The value of one member of an object text.
pub fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut found = None;
    let mut cursor = Cursor::new(text);
    if cursor.peek() != Some(b'{') {
        return None;
    }
    let whole = cursor.object(|name, field| {
        if name == key {
            found = Some(field.value);
        }
    });
    whole.ok()?;
    found.map(|span| span.of(text))
}

/// Writes an object member by member, commas included.
#[derive(Debug)]
pub struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Opens an object at the end of `out`.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    /// Adds a member whose value is JSON text already.
    pub fn raw(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key).extend_from_slice(value.as_bytes());
        self
    }

    /// Adds a member whose value is a string.
    pub fn string(&mut self, key: &str, value: &str) -> &mut Self {
        write_string(self.key(key), value);
        self
    }

    /// Adds every member of an object text, as it stands.
    pub fn members_of(&mut self, object: &str) -> &mut Self {
        let inside = object.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if let Some(inside) = inside.map(str::trim).filter(|inside| !inside.is_empty()) {
            self.comma();
            self.out.extend_from_slice(inside.as_bytes());
        }
        self
    }

    /// Starts a member; the caller appends its value.
    pub fn key(&mut self, key: &str) -> &mut Vec<u8> {
        self.comma();
        write_string(self.out, key);
        self.out.push(b':');
        self.out
    }

    /// Closes the object.
    pub fn end(self) {
        self.out.push(b'}');
    }

    fn comma(&mut self) {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
    }
}

/// Appends a JSON string, quotes included, copying the stretches that need no escape whole.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, tail) = rest.split_at(plain_prefix(rest));
        out.extend_from_slice(plain);
        let Some((special, after)) = tail.split_first() else { break };
        write_escape(out, *special);
        rest = after;
    }
    out.push(b'"');
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let (high, low) = (usize::from(byte >> 4), usize::from(byte & 15));
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', HEX[high], HEX[low]]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
