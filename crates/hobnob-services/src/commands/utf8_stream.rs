//! Bytes of one stream of a program, as they come, to text that is always valid.
//!
//! A character that two reads share is put together; what is no character is replaced and noticed.

/// The text of a stream whose bytes come in pieces cut anywhere.
#[derive(Debug, Default)]
pub(crate) struct Utf8Stream {
    /// The beginning of a character whose rest has not come yet: three bytes at most.
    pending: Vec<u8>,
    validity: TextValidity,
}

/// Whether the bytes of a stream were text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TextValidity {
    /// All of them so far.
    #[default]
    Valid,
    /// Some were replaced by U+FFFD.
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

    /// What is left at the end of the stream: nothing, or a character that never became whole.
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
