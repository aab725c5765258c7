//! Incremental, lossy UTF-8 decoding of a program's output.
//!
//! A character that is cut between two reads is joined; invalid bytes are replaced and reported.

/// Decodes a stream whose bytes arrive in pieces cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct Utf8Stream {
    /// The beginning of a character whose rest has not arrived yet: three bytes at most.
    pending: Vec<u8>,
    validity: TextValidity,
}

/// Whether the bytes of a stream were valid UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TextValidity {
    /// All bytes so far were valid.
    #[default]
    Valid,
    /// Some bytes were replaced by U+FFFD.
    Replaced,
}

impl Utf8Stream {
    /// The text that these bytes complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        if self.pending.is_empty() {
            return self.decode(bytes);
        }
        let mut joined = std::mem::take(&mut self.pending);
        joined.extend_from_slice(bytes);
        self.decode(&joined)
    }

    /// Ends the stream, and returns a replacement for a character that stayed incomplete.
    pub(crate) fn finish(&mut self) -> String {
        if std::mem::take(&mut self.pending).is_empty() {
            return String::new();
        }
        self.validity = TextValidity::Replaced;
        char::REPLACEMENT_CHARACTER.to_string()
    }

    pub(crate) fn validity(&self) -> TextValidity {
        self.validity
    }

    fn decode(&mut self, bytes: &[u8]) -> String {
        let mut text = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            let unfinished = std::str::from_utf8(invalid).is_err_and(|it| it.error_len().is_none());
            if unfinished && chunks.peek().is_none() {
                self.pending = invalid.to_vec();
            } else {
                self.validity = TextValidity::Replaced;
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests;
