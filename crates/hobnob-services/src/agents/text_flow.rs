//! Text that a program sends in pieces and then once more as a whole: each part of it is passed on
//! once, and what follows something else begins a paragraph of its own.
//!
//! The interpreter has one for answers and one for thoughts.

/// Bytes of pieces that are compared with the whole that follows them. Of longer ones the whole is
/// taken for granted.
const MOST_COMPARED: usize = 4 << 20;

/// What of a text was passed on already.
#[derive(Debug, Default)]
pub(super) struct TextFlow {
    /// Pieces that no whole has confirmed yet.
    pieces: String,
    comparison: Comparison,
    paragraph: Paragraph,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    #[default]
    Possible,
    /// There were too many pieces to keep them.
    GivenUp,
}

/// Where the next text goes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Paragraph {
    #[default]
    First,
    /// Right behind the last piece.
    Same,
    /// Behind an empty line.
    Next,
}

impl TextFlow {
    /// A piece, as it is to be passed on.
    pub(super) fn piece(&mut self, text: &str) -> Option<String> {
        match self.pieces.len() + text.len() <= MOST_COMPARED {
            true => self.pieces.push_str(text),
            false => {
                self.pieces = String::new();
                self.comparison = Comparison::GivenUp;
            }
        }
        self.pass_on(text)
    }

    /// A whole text, of which only what no piece brought is passed on.
    pub(super) fn whole(&mut self, text: &str) -> Option<String> {
        let pieces = std::mem::take(&mut self.pieces);
        if std::mem::take(&mut self.comparison) == Comparison::GivenUp {
            self.break_off();
            return None;
        }
        let passed_on = if let Some(rest) = pieces.strip_prefix(text) {
            // The pieces are of several texts, whose wholes follow each other.
            self.pieces = rest.to_owned();
            None
        } else if pieces.ends_with(text) {
            // The program began anew in the middle of it.
            None
        } else {
            self.pass_on(text.strip_prefix(&pieces).unwrap_or(text))
        };
        self.break_off();
        passed_on
    }

    /// Something else comes, so that the next text begins a paragraph.
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
