//! Collects styled characters in a string: the only code that puts terminal sequences into the
//! output. `Ink` knows the sequence of each style.
//!
//! What must stay true: a style never reaches over the end of a line or of a piece, and no line
//! ends with spaces.

use std::mem;

use crate::style::{Colour, Ink};

/// Returns to the plain style.
const PLAIN: &str = "\x1b[0m";

/// One character and its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Glyph {
    pub(crate) letter: char,
    pub(crate) ink: Ink,
}

/// The characters of a text in one style.
pub(crate) fn glyphs(text: &str, ink: Ink) -> impl Iterator<Item = Glyph> {
    text.chars().map(move |letter| Glyph { letter, ink })
}

/// A line in one style, otherwise unchanged.
pub(crate) fn painted(line: &str, ink: Ink, colour: Colour) -> String {
    match ink == Ink::PLAIN || colour == Colour::Off {
        true => line.to_owned(),
        false => format!("{}{line}{PLAIN}", ink.sequence()),
    }
}

/// Collects the output since the last `take`.
#[derive(Debug)]
pub(crate) struct Painter {
    colour: Colour,
    out: String,
    /// The style that is switched on.
    ink: Ink,
    /// Spaces that are written once another character follows them on the line.
    spaces: usize,
    space_ink: Ink,
}

impl Painter {
    pub(crate) fn new(colour: Colour) -> Self {
        Self { colour, out: String::new(), ink: Ink::PLAIN, spaces: 0, space_ink: Ink::PLAIN }
    }

    pub(crate) fn put(&mut self, glyph: Glyph) {
        if glyph.letter == ' ' {
            let same = self.spaces == 0 || self.space_ink == glyph.ink;
            self.space_ink = if same { glyph.ink } else { Ink::PLAIN };
            self.spaces += 1;
            return;
        }
        if 0 < self.spaces {
            self.switch(self.space_ink);
            self.out.extend(std::iter::repeat_n(' ', mem::take(&mut self.spaces)));
        }
        self.switch(glyph.ink);
        self.out.push(glyph.letter);
    }

    pub(crate) fn end_line(&mut self) {
        self.spaces = 0;
        self.switch(Ink::PLAIN);
        self.out.push('\n');
    }

    /// Takes the output; every style in it has ended.
    pub(crate) fn take(&mut self) -> String {
        self.switch(Ink::PLAIN);
        mem::take(&mut self.out)
    }

    fn switch(&mut self, ink: Ink) {
        if self.ink == ink || self.colour == Colour::Off {
            return;
        }
        if self.ink != Ink::PLAIN {
            self.out.push_str(PLAIN);
        }
        self.out.push_str(&ink.sequence());
        self.ink = ink;
    }
}
