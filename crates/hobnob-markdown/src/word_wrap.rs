//! Wraps text at words: the last step before the painter, for sentences, cells and headings. Code
//! and table lines pass through unwrapped.
//!
//! At most one word is held back, and only in the middle of a line, where its length decides on
//! which line it goes. What must stay true: no wrapped line is wider than the terminal, except one
//! with a URL. The terminal wraps that in one piece, so that it can be followed and copied.

use std::mem;

use crate::measure::{columns, columns_of, joins_the_one_before, may_break};
use crate::painter::{Glyph, Painter};
use crate::steps;
use crate::style::{Colour, Ink};

/// Maximum number of characters of a word that are held back: zero-width marks could be endless.
const MAX_HELD: usize = 512;
/// Maximum length of a character with its combining marks that is held back at the edge.
const MAX_CLUSTER: usize = 8;

/// The paragraph's position on the terminal, and the word that is being written.
#[derive(Debug)]
pub(crate) struct WordWrap {
    painter: Painter,
    width: usize,
    /// The prefix of every further line of the paragraph.
    indent: Vec<Glyph>,
    column: usize,
    /// Whether the line has only the indent.
    fresh: bool,
    /// The space between the line's text and the word.
    space: Option<Glyph>,
    word: Word,
}

/// The characters of a word that are not on a line yet.
#[derive(Debug, Default)]
struct Word {
    held: Vec<Glyph>,
    columns: usize,
    /// Its last character, held back or written.
    last: Option<char>,
    /// Its last character that was written.
    written: Option<char>,
    /// Whether it began on this line already.
    begun: bool,
    address: Address,
}

/// How much of `://` was read in a word.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Address {
    #[default]
    No,
    Colon,
    OneSlash,
    Yes,
}

impl Address {
    fn after(self, letter: char) -> Self {
        match (self, letter) {
            (Self::Yes, _) | (Self::OneSlash, '/') => Self::Yes,
            (_, ':') => Self::Colon,
            (Self::Colon, '/') => Self::OneSlash,
            _ => Self::No,
        }
    }
}

impl WordWrap {
    pub(crate) fn new(colour: Colour, width: usize) -> Self {
        Self {
            painter: Painter::new(colour),
            width,
            indent: Vec::new(),
            column: 0,
            fresh: true,
            space: None,
            word: Word::default(),
        }
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn set_width(&mut self, width: usize) {
        self.width = width;
    }

    /// Begins a line with the prefix `first`; wrapped lines get the prefix `indent`.
    pub(crate) fn begin_line(&mut self, first: &[Glyph], indent: Vec<Glyph>) {
        self.indent = indent;
        self.write_indent(first);
    }

    /// Indents wrapped lines by more columns.
    pub(crate) fn indent_more(&mut self, columns: usize) {
        self.indent.extend(blank(columns));
    }

    /// Adds a character of a sentence: words are kept together, and several spaces become one.
    pub(crate) fn put(&mut self, glyph: Glyph) {
        steps::count(1);
        if matches!(glyph.letter, ' ' | '\t') {
            self.end_word();
            if !self.fresh {
                self.space = Some(Glyph { letter: ' ', ..glyph });
            }
            return;
        }
        if self.word.last.is_some_and(|last| may_break(last, glyph.letter)) {
            self.end_word();
        }
        self.word.columns += columns(self.word.last, glyph.letter);
        self.word.address = self.word.address.after(glyph.letter);
        self.word.last = Some(glyph.letter);
        self.word.held.push(glyph);
        let room = self.width.saturating_sub(self.indent.len());
        if self.fresh || self.word.begun {
            self.word.begun = true;
            self.write_held(Edge::Keep);
        } else if room < self.word.columns || MAX_HELD <= self.word.held.len() {
            self.place();
            self.word.begun = true;
            self.write_held(Edge::Keep);
        }
    }

    /// Adds a character of code, which is never wrapped.
    pub(crate) fn put_as_it_is(&mut self, glyph: Glyph) {
        steps::count(1);
        self.painter.put(glyph);
        self.fresh = false;
    }

    pub(crate) fn end_line(&mut self) {
        self.end_word();
        self.space = None;
        self.painter.end_line();
        self.column = 0;
        self.fresh = true;
    }

    /// Takes the output for now.
    pub(crate) fn take(&mut self) -> String {
        self.painter.take()
    }

    fn end_word(&mut self) {
        if self.word.last.is_none() {
            return;
        }
        if !self.word.begun {
            self.place();
        }
        self.write_held(Edge::Write);
        self.word = Word { held: mem::take(&mut self.word.held), ..Word::default() };
    }

    /// Moves to the place where the word begins: after a space, or on a new line.
    fn place(&mut self) {
        let space = self.space.take();
        let needed = usize::from(space.is_some()) + self.word.columns;
        if self.width < self.column + needed && !self.fresh {
            self.new_line();
        } else if let Some(space) = space {
            self.painter.put(space);
            self.column += 1;
        }
    }

    /// Writes the word at the current position; a word that is too long continues on the next line.
    fn write_held(&mut self, edge: Edge) {
        let mut held = mem::take(&mut self.word.held);
        let mut written = 0;
        for cluster in held.chunk_by(|_, next| joins_the_one_before(next.letter)) {
            steps::count(cluster.len());
            let before = self.word.written;
            let wide = columns_of(before.into_iter().chain(cluster.iter().map(|it| it.letter)));
            let wide = wide - columns_of(before);
            let left = self.word.address == Address::Yes;
            // A variation selector may still make the last character of the line wider.
            let at_edge = self.width <= self.column + wide && !left;
            let last = written + cluster.len() == held.len();
            if at_edge && last && edge == Edge::Keep && cluster.len() < MAX_CLUSTER {
                break;
            }
            if self.width < self.column + wide && !self.fresh && !left {
                self.new_line();
            }
            cluster.iter().for_each(|glyph| self.painter.put(*glyph));
            self.column += wide;
            self.fresh = false;
            self.word.written = cluster.last().map(|it| it.letter);
            written += cluster.len();
        }
        held.drain(..written);
        self.word.held = held;
    }

    fn new_line(&mut self) {
        self.painter.end_line();
        let indent = mem::take(&mut self.indent);
        self.write_indent(&indent);
        self.indent = indent;
    }

    fn write_indent(&mut self, indent: &[Glyph]) {
        indent.iter().for_each(|glyph| self.painter.put(*glyph));
        self.column = columns_of(indent.iter().map(|it| it.letter));
        self.fresh = true;
        self.space = None;
    }
}

/// What to do with the last character if it would fill the line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Keep,
    Write,
}

/// An indent of `columns` columns.
pub(crate) fn blank(columns: usize) -> impl Iterator<Item = Glyph> {
    std::iter::repeat_n(Glyph { letter: ' ', ink: Ink::PLAIN }, columns)
}
