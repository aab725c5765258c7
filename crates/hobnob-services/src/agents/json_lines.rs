//! Splits a program's output text into lines. A line over the size limit is dropped.
//!
//! The text may arrive in pieces cut anywhere; the memory for an unfinished line is bounded.

/// Largest line: a tool's result with pictures in it has a few million bytes.
const MAX_LINE_BYTES: usize = 8 << 20;

/// Cuts text into lines.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    /// The beginning of a line whose end has not arrived yet.
    pending: String,
    state: LineState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LineState {
    #[default]
    Kept,
    /// The line is too long, and its text is dropped up to its end.
    Skipped,
}

/// One line of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SplitLine<'a> {
    /// A line that is not blank, trimmed.
    Whole(&'a str),
    /// A line over the size limit.
    TooLong,
}

impl LineSplitter {
    /// Passes every line that this piece completes to `take`.
    pub(super) fn push(&mut self, piece: &str, mut take: impl FnMut(SplitLine<'_>)) {
        let mut rest = piece;
        while let Some((head, tail)) = rest.split_once('\n') {
            self.add(head);
            self.end(&mut take);
            rest = tail;
        }
        self.add(rest);
    }

    /// Passes a last line without a line end to `take`.
    pub(super) fn finish(&mut self, mut take: impl FnMut(SplitLine<'_>)) {
        self.end(&mut take);
    }

    fn add(&mut self, text: &str) {
        if MAX_LINE_BYTES < self.pending.len() + text.len() {
            self.pending = String::new();
            self.state = LineState::Skipped;
        }
        if self.state == LineState::Kept {
            self.pending.push_str(text);
        }
    }

    fn end(&mut self, take: &mut impl FnMut(SplitLine<'_>)) {
        let line = std::mem::take(&mut self.pending);
        match std::mem::take(&mut self.state) {
            LineState::Skipped => take(SplitLine::TooLong),
            LineState::Kept if line.trim().is_empty() => {}
            LineState::Kept => take(SplitLine::Whole(line.trim())),
        }
    }
}

#[cfg(test)]
mod tests;
