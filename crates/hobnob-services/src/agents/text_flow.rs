//! Deduplicates text that a program streams in pieces and then repeats as a whole: the caller gets
//! each part once. Text that follows another kind of event starts a new paragraph.
//!
//! The interpreter has one flow for answers and one for thinking.

/// How many bytes of pieces are kept for comparison with the whole. If there are more, the whole is
/// assumed to repeat them.
const MAX_COMPARED_BYTES: usize = 4 << 20;

/// The part of a text that has already been forwarded.
#[derive(Debug, Default)]
pub(super) struct TextFlow {
    /// Forwarded pieces that no whole has confirmed yet.
    pieces: String,
    comparison: Comparison,
    paragraph: Paragraph,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    #[default]
    Possible,
    /// The pieces were too long to be kept.
    GivenUp,
}

/// Where the next text belongs.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Paragraph {
    #[default]
    First,
    /// Directly after the last piece.
    Same,
    /// After an empty line.
    Next,
}

impl TextFlow {
    /// Takes a piece, and returns the text to forward.
    pub(super) fn piece(&mut self, text: &str) -> Option<String> {
        match self.pieces.len() + text.len() <= MAX_COMPARED_BYTES {
            true => self.pieces.push_str(text),
            false => {
                self.pieces = String::new();
                self.comparison = Comparison::GivenUp;
            }
        }
        self.pass_on(text)
    }

    /// Takes a whole text, and returns the part of it that no piece brought.
    pub(super) fn whole(&mut self, text: &str) -> Option<String> {
        let pieces = std::mem::take(&mut self.pieces);
        if std::mem::take(&mut self.comparison) == Comparison::GivenUp {
            self.break_off();
            return None;
        }
        let passed_on = if let Some(rest) = pieces.strip_prefix(text) {
            // The pieces belong to several texts, whose wholes follow each other.
            self.pieces = rest.to_owned();
            None
        } else if pieces.ends_with(text) {
            // The program restarted the text in the middle of it.
            None
        } else {
            self.pass_on(text.strip_prefix(&pieces).unwrap_or(text))
        };
        self.break_off();
        passed_on
    }

    /// Ends the paragraph: an event of another kind follows.
    pub(super) fn break_off(&mut self) {
        if self.paragraph == Paragraph::Same {
            self.paragraph = Paragraph::Next;
        }
    }

    fn pass_on(&mut self, text: &str) -> Option<String> {
        if text.is_empty() {
            return None;
        }
        let before = match self.paragraph {
            Paragraph::First | Paragraph::Same => "",
            Paragraph::Next => "\n\n",
        };
        self.paragraph = Paragraph::Same;
        Some(format!("{before}{text}"))
    }
}

#[cfg(test)]
mod tests;
