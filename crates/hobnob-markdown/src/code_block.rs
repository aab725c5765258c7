//! A block of code while its lines arrive: its fence, its colours, and the line that is being read.
//!
//! A line of code is shown when it is complete, or when [`PART`] bytes of it are there; it is never
//! broken, so that copying it from the terminal gives the code.

use crate::highlight::Highlighter;
use crate::painter::Glyph;

/// Bytes of a line of code that are held back at most.
const PART: usize = 1024;
/// Where tab stops are: a terminal's own depend on what stands in front of the code.
const TAB: usize = 4;

/// The block that lines belong to until it is closed.
#[derive(Debug)]
pub(crate) struct CodeBlock {
    mark: char,
    marks: usize,
    /// The columns in front of its fence, which its lines have too.
    pub(crate) indent: usize,
    pub(crate) highlighter: Highlighter,
}

impl CodeBlock {
    pub(crate) fn new(mark: char, marks: usize, indent: usize, language: &str) -> Self {
        Self { mark, marks, indent, highlighter: Highlighter::new(language) }
    }

    /// Whether this line ends the block.
    pub(crate) fn is_closed_by(&self, line: &CodeLine) -> bool {
        let text = line.text.trim_start_matches(' ');
        let indent = line.text.len() - text.len();
        let marks = text.chars().take_while(|it| *it == self.mark).count();
        let only_marks = self.marks <= marks && marks == text.trim_end().len();
        line.part == LinePart::Whole && indent < TAB && only_marks
    }
}

/// A line of code so far.
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
    /// A line that begins with so many spaces.
    pub(crate) fn new(indent: usize) -> Self {
        let indent = indent.min(PART);
        Self { text: " ".repeat(indent), column: indent, part: LinePart::Whole }
    }

    pub(crate) fn push(&mut self, letter: char) {
        let spaces = if letter == '\t' { TAB - self.column % TAB } else { 0 };
        self.column += spaces.max(1);
        match spaces {
            0 => self.text.push(letter),
            _ => self.text.extend(std::iter::repeat_n(' ', spaces)),
        }
    }

    pub(crate) fn is_long(&self) -> bool {
        PART <= self.text.len()
    }

    pub(crate) fn part(&self) -> LinePart {
        self.part
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What was read since the last time; the rest of the line follows.
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
