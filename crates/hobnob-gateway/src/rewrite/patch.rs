//! Replacing values inside a JSON text without touching what is around them.
//!
//! The files beside it find what to replace; a text nobody has to change is not copied.

use hobnob_mcp_types::json::{Cursor, unescape, write_string};
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// One member of an object, as it stands in the text.
pub(crate) struct Member<'a> {
    /// The key as it reads.
    pub(crate) key: Cow<'a, str>,
    /// Key, colon and value.
    pub(crate) whole: &'a str,
    pub(crate) value: &'a str,
}

/// The members of an object text; nothing if it is no object.
pub(crate) fn members(text: &str) -> Option<Vec<Member<'_>>> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(text);
    if cursor.peek() != Some(b'{') {
        return None;
    }
    let walked = cursor.object(|_, field| found.push(field));
    walked.ok()?;
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

/// The meaning of a JSON string; nothing if the text is another value.
pub(crate) fn string_value(raw: &str) -> Option<Cow<'_, str>> {
    let inside = raw.trim().strip_prefix('"')?.strip_suffix('"')?;
    unescape(inside)
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

/// Whether letters may be spelled as escapes, so that looking for a word's bytes is not enough.
pub(crate) fn hides_words(text: &str) -> bool {
    let bytes = text.as_bytes();
    // The letters and `_` are U+0041 to U+007A.
    let letter = |at: usize| matches!(bytes.get(at + 4), Some(b'4'..=b'7'));
    static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u00"));
    ESCAPE.find_iter(bytes).any(letter)
}

/// Replacements in one text, to be made at once.
pub(crate) struct Patch<'a> {
    text: &'a str,
    edits: Vec<(usize, usize, String)>,
}

impl<'a> Patch<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, edits: Vec::new() }
    }

    /// Notes that `part`, a slice of the text, becomes `with`. Parts must not overlap.
    pub(crate) fn replace(&mut self, part: &'a str, with: String) {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let Some(start) = start.filter(|start| start + part.len() <= self.text.len()) else {
            return;
        };
        self.edits.push((start, start + part.len(), with));
    }

    /// The text with all replacements; the very same text if there are none.
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

/// Rewrites an owned text; what needs no change is handed back without a copy.
pub fn apply(body: String, rewrite: impl FnOnce(&str) -> Cow<'_, str>) -> String {
    let changed = match rewrite(&body) {
        Cow::Borrowed(same) if same.len() == body.len() => None,
        changed => Some(changed.into_owned()),
    };
    changed.unwrap_or(body)
}

/// A text without line breaks. Between values they mean nothing, inside strings they are escaped,
/// and a peer on a pipe would take one for the end of the message.
pub fn one_line(body: String) -> String {
    match memchr::memchr2(b'\n', b'\r', body.as_bytes()) {
        Some(_) => body.replace(['\n', '\r'], " "),
        None => body,
    }
}
