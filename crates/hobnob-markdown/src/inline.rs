//! Emphasis, code and links inside a line: characters in, styled characters out.
//!
//! Marks follow the rules of CommonMark, but within one line, and are decided as soon as possible.
//! Text that may still be styled is held back: from the first mark that could open something to the
//! mark that closes it, to the end of the line, or until [`MAX_HELD`] characters wait; marks that
//! are undecided then are text. Without colours nothing is held back, and every mark stays.

use crate::painter::Glyph;
use crate::steps;
use crate::style::{Colour, Hue, Ink};

/// Maximum number of characters that wait for a closing mark; then the opening one is text.
const MAX_HELD: usize = 2048;
/// Deepest nesting of open marks; further marks are text.
const MAX_OPEN: usize = 16;
/// The longest run of marks with a meaning.
const MAX_RUN: usize = 3;

/// The parser of a line's text.
#[derive(Debug)]
pub(crate) struct InlineText {
    colour: Colour,
    base: Ink,
    /// The undecided characters. A hidden one is `None`.
    held: Vec<Option<Glyph>>,
    /// Marks in `held` that may still be closed, outermost first.
    open: Vec<OpenMark>,
    reading: Reading,
    /// The previous character, which decides whether the next mark can open or close.
    before: char,
    /// How much of `://` the word has: marks in a URL are part of it.
    slashes: usize,
}

/// The construct that the next character belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Text,
    Escape,
    /// A run of `*`, `_` or `~` that began at this place in `held`, and the character before it.
    Run {
        mark: char,
        start: usize,
        before: char,
    },
    /// The run of backticks that opens code.
    Ticks {
        start: usize,
    },
    /// Code, and how many backticks were just read in it.
    Code {
        start: usize,
        ticks: usize,
        seen: usize,
    },
    /// Directly after the `]` of the bracket with this index in `open`.
    AfterBracket {
        bracket: usize,
    },
    /// The address of a link, and how many parentheses are open in it.
    Address {
        bracket: usize,
        start: usize,
        depth: usize,
    },
}

/// A mark that may be closed later.
#[derive(Debug, Clone, Copy)]
struct OpenMark {
    mark: char,
    /// Its place in `held`.
    at: usize,
    /// How many of its characters are still unused.
    len: usize,
    /// Its original length, and whether it could have closed, for CommonMark's rule of three.
    whole: usize,
    can_close: bool,
}

impl InlineText {
    pub(crate) fn new(colour: Colour) -> Self {
        Self {
            colour,
            base: Ink::PLAIN,
            held: Vec::new(),
            open: Vec::new(),
            reading: Reading::Text,
            before: ' ',
            slashes: 0,
        }
    }

    /// Begins a line; unmarked text gets the style `base`.
    pub(crate) fn begin(&mut self, base: Ink) {
        self.base = base;
        self.before = ' ';
        self.slashes = 0;
    }

    /// Reads the next character, and appends all characters that are decided now.
    pub(crate) fn push(&mut self, letter: char, out: &mut Vec<Glyph>) {
        steps::count(1);
        if self.colour == Colour::Off {
            out.push(Glyph { letter, ink: self.base });
            return;
        }
        self.read(letter);
        self.before = letter;
        if MAX_HELD < self.held.len() {
            self.give_up();
        }
        if self.open.is_empty() && self.reading == Reading::Text {
            self.release(out);
        }
    }

    /// Ends the line: undecided marks are text.
    pub(crate) fn end(&mut self, out: &mut Vec<Glyph>) {
        if let Reading::Run { mark, start, before } = self.reading {
            self.reading = Reading::Text;
            self.end_run(mark, start, before, ' ');
        }
        if self.reading == Reading::Escape {
            // A backslash at the end of a line is a hard line break, which needs no mark here.
            self.held.pop();
        }
        if let Reading::Code { start, ticks, seen } = self.reading
            && ticks == seen
        {
            self.close_code(start, ticks);
        }
        self.give_up();
        self.release(out);
        self.before = ' ';
    }

    fn give_up(&mut self) {
        self.open.clear();
        self.reading = Reading::Text;
    }

    fn release(&mut self, out: &mut Vec<Glyph>) {
        steps::count(self.held.len());
        out.extend(self.held.drain(..).flatten());
    }

    fn hold(&mut self, letter: char) {
        self.held.push(Some(Glyph { letter, ink: self.base }));
    }

    fn read(&mut self, letter: char) {
        match self.reading {
            Reading::Text => self.read_text(letter),
            Reading::Escape => {
                self.reading = Reading::Text;
                if letter.is_ascii_punctuation() {
                    self.hide(self.held.len() - 1..self.held.len());
                    self.hold(letter);
                } else {
                    self.read_text(letter);
                }
            }
            Reading::Run { mark, .. } if mark == letter => self.hold(letter),
            Reading::Run { mark, start, before } => {
                self.reading = Reading::Text;
                self.end_run(mark, start, before, letter);
                self.read_text(letter);
            }
            Reading::Ticks { .. } if letter == '`' => self.hold(letter),
            Reading::Ticks { start } => {
                let ticks = self.held.len() - start;
                self.reading = Reading::Code { start, ticks, seen: 0 };
                self.hold(letter);
            }
            Reading::Code { start, ticks, seen } => self.read_code(letter, start, ticks, seen),
            Reading::AfterBracket { bracket } if letter == '(' => {
                self.reading = Reading::Address { bracket, start: self.held.len(), depth: 0 };
                self.hold(letter);
            }
            Reading::AfterBracket { bracket } => {
                // Only brackets, without an address: their content may still be marked.
                self.open.remove(bracket);
                self.reading = Reading::Text;
                self.read_text(letter);
            }
            Reading::Address { bracket, start, depth } => {
                self.hold(letter);
                self.reading = match letter {
                    '(' => Reading::Address { bracket, start, depth: depth + 1 },
                    ')' if depth == 0 => Reading::Text,
                    ')' => Reading::Address { bracket, start, depth: depth - 1 },
                    _ => self.reading,
                };
                if self.reading == Reading::Text {
                    self.close_link(bracket, start);
                }
            }
        }
    }

    fn read_text(&mut self, letter: char) {
        let start = self.held.len();
        self.slashes = match (self.slashes, letter) {
            (_, letter) if letter.is_whitespace() => 0,
            (3, _) => 3,
            (0, ':') => 1,
            (seen @ 1..=2, '/') => seen + 1,
            (_, ':') => 1,
            _ => 0,
        };
        self.hold(letter);
        match letter {
            '\\' => self.reading = Reading::Escape,
            '*' | '_' | '~' => {
                self.reading = Reading::Run { mark: letter, start, before: self.before };
            }
            '`' => self.reading = Reading::Ticks { start },
            '[' => self.open(OpenMark { mark: '[', at: start, len: 1, whole: 1, can_close: false }),
            ']' => {
                steps::count(self.open.len());
                if let Some(bracket) = self.open.iter().rposition(|it| it.mark == '[') {
                    self.reading = Reading::AfterBracket { bracket };
                }
            }
            _ => {}
        }
    }

    fn open(&mut self, mark: OpenMark) {
        if self.open.len() < MAX_OPEN {
            self.open.push(mark);
        }
    }

    fn read_code(&mut self, letter: char, start: usize, ticks: usize, seen: usize) {
        let seen = if letter == '`' { seen + 1 } else { seen };
        if letter != '`' && seen == ticks {
            self.close_code(start, ticks);
            self.reading = Reading::Text;
            self.read_text(letter);
            return;
        }
        self.hold(letter);
        self.reading = Reading::Code { start, ticks, seen: if letter == '`' { seen } else { 0 } };
    }

    /// Closes code at the end of `held`.
    fn close_code(&mut self, start: usize, ticks: usize) {
        let end = self.held.len();
        let mut inside = start + ticks..end - ticks;
        let is =
            |at: usize, wanted: char| self.held[at].is_some_and(|glyph| glyph.letter == wanted);
        let padded = 2 < inside.len() && is(inside.start, ' ') && is(inside.end - 1, ' ');
        if padded && !inside.clone().all(|at| is(at, ' ')) {
            inside = inside.start + 1..inside.end - 1;
        }
        self.hide(start..inside.start);
        self.hide(inside.end..end);
        self.ink(inside, Ink::of(Hue::Cyan));
    }

    /// Ends a run of marks before `after`: it closes what it can and opens with the rest.
    fn end_run(&mut self, mark: char, start: usize, before: char, after: char) {
        let whole = self.held.len() - start;
        let run = Flanks::of(before, after);
        let (can_open, can_close) = match mark {
            '_' => (
                run.left && (!run.right || run.mark_before),
                run.right && (!run.left || run.mark_after),
            ),
            _ => (run.left, run.right),
        };
        let can_open = can_open && self.slashes < 3;
        if MAX_RUN < whole || (mark == '~' && whole != 2) {
            return;
        }
        let mut rest = start..self.held.len();
        while can_close && !rest.is_empty() {
            let fits = |it: &OpenMark| {
                let third = (it.can_close || can_open)
                    && (it.whole + whole).is_multiple_of(3)
                    && !(it.whole.is_multiple_of(3) && whole.is_multiple_of(3));
                it.mark == mark && !third
            };
            steps::count(self.open.len());
            // A mark inside of brackets cannot close a mark outside of them.
            let inner = self.open.iter().rposition(|it| it.mark == '[').map_or(0, |at| at + 1);
            let Some(at) = self.open[inner..].iter().rposition(fits) else { break };
            rest = self.close(inner + at, rest);
        }
        if can_open && !rest.is_empty() {
            self.open(OpenMark { mark, at: rest.start, len: rest.len(), whole, can_close });
        }
    }

    /// Closes an open mark with the first characters of `run`; returns the rest of the run.
    fn close(&mut self, at: usize, run: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let mut opener = self.open[at];
        let used = opener.len.min(run.len()).min(2);
        let look = match (opener.mark, used) {
            ('~', _) => Ink { struck: true, ..Ink::PLAIN },
            (_, 1) => Ink { italic: true, ..Ink::PLAIN },
            _ => Ink { bold: true, ..Ink::PLAIN },
        };
        let inside = opener.at + opener.len;
        self.ink(inside..run.start, look);
        self.hide(inside - used..inside);
        self.hide(run.start..run.start + used);
        opener.len -= used;
        self.open.truncate(at);
        if 0 < opener.len {
            self.open.push(opener);
        }
        run.start + used..run.end
    }

    /// Closes a link at the end of `held`: shows its text, and then its address in parentheses,
    /// unless both are the same.
    fn close_link(&mut self, bracket: usize, start: usize) {
        let opener = self.open[bracket];
        self.open.truncate(bracket);
        let (text, address) = (opener.at + 1..start - 1, start + 1..self.held.len() - 1);
        let shown = |range: std::ops::Range<usize>| {
            self.held[range].iter().flatten().map(|glyph| glyph.letter)
        };
        let same = shown(text.clone()).eq(shown(address.clone()));
        steps::count(self.held.len() - opener.at);
        self.hide(opener.at..opener.at + 1);
        self.ink(text, Ink { underlined: true, ..Ink::PLAIN });
        if same {
            self.hide(start - 1..self.held.len());
            return;
        }
        self.held[start - 1] = Some(Glyph { letter: ' ', ink: self.base });
        self.ink(start..self.held.len(), Ink::DIM);
    }

    fn hide(&mut self, range: std::ops::Range<usize>) {
        self.held[range].fill(None);
    }

    fn ink(&mut self, range: std::ops::Range<usize>, look: Ink) {
        steps::count(range.len());
        for glyph in self.held[range].iter_mut().flatten() {
            glyph.ink = glyph.ink.with(look);
        }
    }
}

/// The flanking of a run of marks, as CommonMark defines it.
struct Flanks {
    left: bool,
    right: bool,
    mark_before: bool,
    mark_after: bool,
}

impl Flanks {
    fn of(before: char, after: char) -> Self {
        let mark = |letter: char| !letter.is_alphanumeric() && !letter.is_whitespace();
        let (mark_before, mark_after) = (mark(before), mark(after));
        let (space_before, space_after) = (before.is_whitespace(), after.is_whitespace());
        Self {
            left: !space_after && (!mark_after || space_before || mark_before),
            right: !space_before && (!mark_before || space_after || mark_after),
            mark_before,
            mark_after,
        }
    }
}
