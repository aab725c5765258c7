//! Replaces values inside a JSON text without touching the text around them.
//!
//! The other files of `rewrite` find what to replace. A text without replacements is not copied.

use hobnob_mcp_types::json::{Cursor, unescape, write_string};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// One member of an object, as slices of the text.
pub(crate) struct Member<'a> {
    /// The key with its escapes resolved.
    pub(crate) key: Cow<'a, str>,
    /// The text of key, colon and value.
    pub(crate) whole: &'a str,
    pub(crate) value: &'a str,
}

/// The members of an object text; `None` if the text is not an object.
pub(crate) fn members(text: &str) -> Option<Vec<Member<'_>>> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(text);
    if cursor.peek() != Some(b'{') {
        return None;
    }
    let parsed = cursor.object(|_, field| found.push(field));
    parsed.ok()?;
    let member = |field: hobnob_mcp_types::json::Field| {
        Some(Member {
            key: unescape(field.key.of(text))?,
            // The quote before the key is not part of its span.
            whole: text.get(field.key.start as usize - 1..field.value.end as usize)?,
            value: field.value.of(text),
        })
    };
    found.into_iter().map(member).collect()
}

/// The value of a JSON string; `None` if the text is another kind of value.
pub(crate) fn string_value(raw: &str) -> Option<Cow<'_, str>> {
    let inside = raw.trim().strip_prefix('"')?.strip_suffix('"')?;
    unescape(inside)
}

/// Writes a text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

/// Whether letters may be written as escapes, so that a search for a word's bytes may miss it.
pub(crate) fn hides_words(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Letters and `_` are U+0041 to U+007A.
    let letter = |at: usize| matches!(bytes.get(at + 4), Some(b'4'..=b'7'));
    static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u00"));
    ESCAPE.find_iter(bytes).any(letter)
}

/// Replacements in one text, applied all at once.
pub(crate) struct Patch<'a> {
    text: &'a str,
    edits: Vec<(usize, usize, String)>,
}

impl<'a> Patch<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, edits: Vec::new() }
    }

    /// Schedules replacing `part`, a slice of the text, by `with`. Parts must not overlap.
    pub(crate) fn replace(&mut self, part: &'a str, with: String) {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let Some(start) = start.filter(|start| start + part.len() <= self.text.len()) else {
            return;
        };
        self.edits.push((start, start + part.len(), with));
    }

    /// The text with all replacements; borrowed unchanged if there are none.
    pub(crate) fn finish(mut self) -> Cow<'a, str> {
        if self.edits.is_empty() {
            return Cow::Borrowed(self.text);
        }
        self.edits.sort_unstable_by_key(|(start, ..)| *start);
        let grown: usize = self.edits.iter().map(|(.., with)| with.len()).sum();
        let mut out = String::with_capacity(self.text.len() + grown);
        let mut done = 0;
        for (start, end, with) in &self.edits {
            out.push_str(self.text.get(done..*start).unwrap_or_default());
            out.push_str(with);
            done = *end;
        }
        out.push_str(self.text.get(done..).unwrap_or_default());
        Cow::Owned(out)
    }
}

/// Rewrites an owned text; returns the same allocation if nothing changes.
pub fn apply(body: String, rewrite: impl FnOnce(&str) -> Cow<'_, str>) -> String {
    let changed = match rewrite(&body) {
        Cow::Borrowed(same) if same.len() == body.len() => None,
        changed => Some(changed.into_owned()),
    };
    changed.unwrap_or(body)
}

/// A JSON text without line breaks. Between values they mean nothing, and inside strings they are
/// escaped; but a peer on a pipe would take one for the end of the message.
pub fn one_line(body: String) -> String {
    match memchr::memchr2(b'\n', b'\r', body.as_bytes()) {
        Some(_) => body.replace(['\n', '\r'], " "),
        None => body,
    }
}
