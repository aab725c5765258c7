//! A block of code while its lines arrive: its fence, its colours, and the line that is being read.
//!
//! A line of code is shown when it is complete, or in parts of [`MAX_PART_BYTES`] bytes; it is
//! never wrapped, so that copying it from the terminal gives the code.

use crate::highlight::Highlighter;
use crate::painter::Glyph;

/// Maximum number of bytes of a line of code that are held back.
const MAX_PART_BYTES: usize = 1024;
/// The tab width: a terminal's own tab stops would depend on the text before the code.
const TAB_WIDTH: usize = 4;

/// The block that lines belong to until its fence is closed.
#[derive(Debug)]
pub(crate) struct CodeBlock {
    mark: char,
    marks: usize,
    /// The columns before its fence; its lines have the same indentation.
    pub(crate) indent: usize,
    pub(crate) highlighter: Highlighter,
}

impl CodeBlock {
    pub(crate) fn new(mark: char, marks: usize, indent: usize, language: &str) -> Self {
        Self { mark, marks, indent, highlighter: Highlighter::new(language) }
    }

    /// Whether this line closes the block.
    pub(crate) fn is_closed_by(&self, line: &CodeLine) -> bool {
        let text = line.text.trim_start_matches(' ');
        let indent = line.text.len() - text.len();
        let marks = text.chars().take_while(|it| *it == self.mark).count();
        let only_marks = self.marks <= marks && marks == text.trim_end().len();
        line.part == LinePart::Whole && indent < TAB_WIDTH && only_marks
    }
}

/// The part of a line of code that was read so far.
#[derive(Debug)]
pub(crate) struct CodeLine {
    text: String,
    column: usize,
    part: LinePart,
}

/// Whether the beginning of a line was shown already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinePart {
    Whole,
    Rest,
}

impl CodeLine {
    /// A line that begins with `indent` spaces.
    pub(crate) fn new(indent: usize) -> Self {
        let indent = indent.min(MAX_PART_BYTES);
        Self { text: " ".repeat(indent), column: indent, part: LinePart::Whole }
    }

    pub(crate) fn push(&mut self, letter: char) {
        let spaces = if letter == '\t' { TAB_WIDTH - self.column % TAB_WIDTH } else { 0 };
        self.column += spaces.max(1);
        match spaces {
            0 => self.text.push(letter),
            _ => self.text.extend(std::iter::repeat_n(' ', spaces)),
        }
    }

    pub(crate) fn is_long(&self) -> bool {
        MAX_PART_BYTES <= self.text.len()
    }

    pub(crate) fn part(&self) -> LinePart {
        self.part
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes the text since the last call; the rest of the line follows.
    pub(crate) fn take(&mut self, highlighter: Option<&mut Highlighter>) -> Vec<Glyph> {
        let text = std::mem::take(&mut self.text);
        self.part = LinePart::Rest;
        let mut out = Vec::with_capacity(text.len());
        match highlighter {
            Some(highlighter) => highlighter.read(&text, &mut out),
            None => Highlighter::new("").read(&text, &mut out),
        }
        out
    }
}
