//! The text of a program, as it comes, to lines. A line that is longer than any may be is left out.
//!
//! Pieces may be cut anywhere; what is kept of a line that has not ended is bounded.

/// Bytes that one line may have: a tool's answer with pictures in it has a few million.
const LONGEST_LINE: usize = 8 << 20;

/// Cuts text into lines.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    /// The beginning of a line whose end has not come yet.
    pending: String,
    state: LineState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum LineState {
    #[default]
    Kept,
    /// It is too long, and forgotten up to its end.
    Skipped,
}

/// What came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SplitLine<'a> {
    /// A line that is not empty, without what ends it.
    Whole(&'a str),
    /// A line that is longer than any may be.
    TooLong,
}

impl LineSplitter {
    /// Hands over every line that this piece ends.
    pub(super) fn push(&mut self, piece: &str, mut take: impl FnMut(SplitLine<'_>)) {
        let mut rest = piece;
        while let Some((head, tail)) = rest.split_once('\n') {
            self.add(head);
            self.end(&mut take);
            rest = tail;
        }
        self.add(rest);
    }

    /// Hands over a last line that nothing ended.
    pub(super) fn finish(&mut self, mut take: impl FnMut(SplitLine<'_>)) {
        self.end(&mut take);
    }

    fn add(&mut self, text: &str) {
        if LONGEST_LINE < self.pending.len() + text.len() {
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
