//! Reading and rewriting one object without decoding what is in it.
//!
//! The edges use this to add, drop or read a member while the others keep their text.

use super::cursor::{Cursor, unescape};
use super::plain::plain_prefix;
use super::span::Field;
use std::borrow::Cow;

/// The members of an object text in their order; empty if the text is not an object.
pub fn entries(text: &str) -> Vec<(Cow<'_, str>, &str)> {
    let mut fields: Vec<Field> = Vec::new();
    let mut cursor = Cursor::new(text);
    if cursor.peek() != Some(b'{') || cursor.object(|_, field| fields.push(field)).is_err() {
        return Vec::new();
    }
    let named = |field: Field| Some((unescape(field.key.of(text))?, field.value.of(text)));
    fields.into_iter().filter_map(named).collect()
}

/// The elements of an array text in their order; empty if the text is not an array.
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

/// The text of an object.
pub fn object(members: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    members(&mut writer);
    writer.end();
    out
}

/// Writes an object member by member, commas included.
#[derive(Debug)]
pub struct ObjectWriter<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Opens an object at the end of `out`.
    pub fn new(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    /// Adds a member whose value is JSON text already.
    pub fn raw(&mut self, key: &str, value: &str) -> &mut Self {
        self.key(key).push_str(value);
        self
    }

    /// Adds a member whose value is a string.
    pub fn string(&mut self, key: &str, value: &str) -> &mut Self {
        write_string(self.key(key), value);
        self
    }

    /// Adds every member of an object text, unchanged.
    pub fn members_of(&mut self, object: &str) -> &mut Self {
        let inside = object.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        if let Some(inside) = inside.map(str::trim).filter(|inside| !inside.is_empty()) {
            self.comma();
            self.out.push_str(inside);
        }
        self
    }

    /// Starts a member; the caller appends its value.
    pub fn key(&mut self, key: &str) -> &mut String {
        self.comma();
        write_string(self.out, key);
        self.out.push(':');
        self.out
    }

    /// Closes the object; without this call the text lacks its brace.
    pub fn end(self) {
        self.out.push('}');
    }

    fn comma(&mut self) {
        if !self.empty {
            self.out.push(',');
        }
        self.empty = false;
    }
}

/// Appends a JSON string, quotes included. Stretches without escapes are copied whole.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    loop {
        // Only ASCII characters need an escape, so the cut is never inside a character.
        let (plain, tail) = rest.split_at(plain_prefix(rest.as_bytes()));
        out.push_str(plain);
        let Some(special) = tail.as_bytes().first() else { break };
        write_escape(out, *special);
        rest = &tail[1..];
    }
    out.push('"');
}

fn write_escape(out: &mut String, byte: u8) {
    let short = match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        0x08 => "\\b",
        0x0C => "\\f",
        _ => {
            let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
            out.push_str("\\u00");
            out.push(digit(byte >> 4));
            out.push(digit(byte & 15));
            return;
        }
    };
    out.push_str(short);
}
