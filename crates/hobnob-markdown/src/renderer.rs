//! Renders Markdown blocks for a terminal: characters in, lines out.
//! [`MarkdownStream`](crate::MarkdownStream) feeds it with text that is already safe.
//!
//! Each character is read once, so the final output does not depend on how the text was cut into
//! pieces.

use crate::code_block::{CodeBlock, CodeLine, LinePart};
use crate::container::{Container, Containers, ItemMark};
use crate::inline::InlineText;
use crate::line_start::{self, Beginning};
use crate::painter::{Glyph, glyphs};
use crate::steps;
use crate::style::{Colour, Ink};
use crate::table::HeldTable;
use crate::table_layout::TableLayout;
use crate::word_wrap::{WordWrap, blank};

/// The indentation of indented code, and the tab width.
const CODE_INDENT: usize = 4;
/// Longest line, in bytes, that may wait for its end to decide its kind; a longer one is text.
const MAX_HELD_LINE: usize = 4096;
/// The indentation of a cell's further lines if a row is shown as a card.
const CARD_INDENT: usize = 2;
/// Maximum width of a horizontal rule.
const MAX_RULE_WIDTH: usize = 40;

/// The state of a document while it is written.
#[derive(Debug)]
pub(crate) struct Renderer {
    colour: Colour,
    wrap: WordWrap,
    inline: InlineText,
    containers: Containers,
    line: Line,
    place: Place,
    code: Option<CodeBlock>,
    table: Option<HeldTable>,
    paragraph: Paragraph,
    gap: Gap,
    /// Characters that are decided and not wrapped yet; kept for its capacity.
    decided: Vec<Glyph>,
}

/// The kind of the current line, and its text so far.
#[derive(Debug)]
enum Line {
    /// The beginning of a line whose kind is undecided.
    Start(String),
    /// Marks and spaces that are a rule if nothing else follows.
    Rule(String),
    Fence(String),
    Row(String),
    Text,
    Code(CodeLine),
}

/// How far the beginning of a line was read.
#[derive(Debug, Default, PartialEq, Eq)]
struct Place {
    /// How many containers the line belongs to so far.
    matched: usize,
    /// The spaces since the last mark.
    indent: usize,
    column: usize,
    mark: AfterMark,
}

/// The last mark on this line.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum AfterMark {
    #[default]
    None,
    /// One space after it belongs to it.
    Quote,
    /// The spaces after it show where its text begins.
    Item,
}

/// Whether the previous line was a paragraph that can continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Paragraph {
    Open,
    Closed,
}

/// Whether an empty line is due before the next block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Nothing was written yet, so no empty line is due.
    Beginning,
    None,
    /// An empty line is due, inside of `depth` containers.
    Due {
        depth: usize,
    },
}

impl Renderer {
    pub(crate) fn new(colour: Colour, width: usize) -> Self {
        Self {
            colour,
            wrap: WordWrap::new(colour, width),
            inline: InlineText::new(colour),
            containers: Containers::default(),
            line: Line::Start(String::new()),
            place: Place::default(),
            code: None,
            table: None,
            paragraph: Paragraph::Closed,
            gap: Gap::Beginning,
            decided: Vec::new(),
        }
    }

    pub(crate) fn set_width(&mut self, width: usize) {
        self.wrap.set_width(width);
    }

    pub(crate) fn push(&mut self, text: &str) -> String {
        text.chars().for_each(|letter| self.read(letter));
        self.wrap.take()
    }

    pub(crate) fn finish(mut self) -> String {
        let at_start = matches!(&self.line, Line::Start(token) if token.is_empty());
        if !at_start || self.place != Place::default() {
            self.read('\n');
        }
        self.end_table();
        self.wrap.take()
    }

    fn read(&mut self, letter: char) {
        steps::count(1);
        match std::mem::replace(&mut self.line, Line::Text) {
            Line::Start(token) if token.is_empty() => self.read_first(letter),
            Line::Start(token) => self.read_start(token, letter),
            Line::Rule(read) => self.read_rule(read, letter),
            Line::Fence(read) if letter == '\n' => self.end_fence_line(&read),
            Line::Row(read) if letter == '\n' => self.end_row(read),
            Line::Fence(mut read) => {
                read.push(letter);
                self.hold_line(read, Line::Fence);
            }
            Line::Row(mut read) => {
                read.push(letter);
                self.hold_line(read, Line::Row);
            }
            Line::Text => self.read_text(letter),
            Line::Code(line) => self.read_code(line, letter),
        }
    }

    fn hold_line(&mut self, read: String, line: fn(String) -> Line) {
        match MAX_HELD_LINE < read.len() {
            true => self.begin_text(&read),
            false => self.line = line(read),
        }
    }

    /// Begins the next line.
    fn next_line(&mut self) {
        self.line = Line::Start(String::new());
        self.place = Place::default();
    }

    // The beginning of a line.

    fn read_first(&mut self, letter: char) {
        match letter {
            '\n' => return self.end_blank_line(),
            ' ' | '\t' => return self.read_space(letter),
            _ => {}
        }
        if self.place.mark == AfterMark::Item && self.place.indent < CODE_INDENT {
            self.containers.widen_item(self.place.indent);
            self.place.indent = 0;
        }
        self.place.mark = AfterMark::None;
        if self.match_containers(letter) {
            self.line = Line::Start(String::new());
            return;
        }
        if let Some(code) = &self.code {
            if self.place.matched == self.containers.len() {
                let line = CodeLine::new(self.place.indent.saturating_sub(code.indent));
                return self.read_code(line, letter);
            }
            self.code = None;
        }
        if CODE_INDENT <= self.place.indent {
            return match self.in_paragraph() {
                true => self.begin_text(letter.encode_utf8(&mut [0; 4])),
                false => {
                    self.begin_block();
                    self.read_code(CodeLine::new(self.place.indent - CODE_INDENT), letter);
                }
            };
        }
        self.begin(line_start::first(letter), letter.to_string());
    }

    fn read_space(&mut self, letter: char) {
        let columns = match letter {
            '\t' => CODE_INDENT - self.place.column % CODE_INDENT,
            _ => 1,
        };
        self.place.column += columns;
        let own = usize::from(self.place.mark == AfterMark::Quote);
        self.place.indent += columns - own;
        if self.place.mark == AfterMark::Quote {
            self.place.mark = AfterMark::None;
        }
        self.line = Line::Start(String::new());
    }

    /// Finds the containers that the line continues; returns whether the letter was such a mark.
    fn match_containers(&mut self, letter: char) -> bool {
        while let Some(container) = self.containers.get(self.place.matched) {
            match container {
                Container::Quote if letter == '>' && self.place.indent < CODE_INDENT => {
                    self.place.matched += 1;
                    self.place.indent = 0;
                    self.place.column += 1;
                    self.place.mark = AfterMark::Quote;
                    return true;
                }
                Container::Quote => return false,
                // Two columns are enough for any width of the mark, since models write it so. Code
                // in an item goes on until its fence is closed.
                Container::Item(item) => {
                    let inside = item.content.min(item.margin + 2) <= self.place.indent;
                    if !inside && self.code.is_none() {
                        return false;
                    }
                    self.place.indent = self.place.indent.saturating_sub(item.content);
                    self.place.matched += 1;
                }
            }
        }
        false
    }

    fn read_start(&mut self, token: String, letter: char) {
        let beginning = line_start::next(&token, letter);
        match beginning {
            Beginning::Undecided | Beginning::Fence | Beginning::Text => {
                let mut token = token;
                if letter != '\n' {
                    token.push(letter);
                }
                self.begin(beginning, token);
                if letter == '\n' {
                    self.read(letter);
                }
            }
            Beginning::Item if !self.begin_item(&token, letter) => {
                self.begin_text(&token);
                self.read(letter);
            }
            Beginning::Item => self.read_behind_item(letter),
            _ => {
                self.begin(beginning, token);
                self.read(letter);
            }
        }
    }

    /// Handles a line by its kind.
    fn begin(&mut self, beginning: Beginning, token: String) {
        match beginning {
            Beginning::Undecided => self.line = Line::Start(token),
            Beginning::Quote if self.containers.has_room(2, self.wrap.width()) => {
                self.begin_block();
                self.containers.open_quote();
                self.place.matched = self.containers.len();
                self.place.indent = 0;
                self.place.column += 1;
                self.place.mark = AfterMark::Quote;
                self.line = Line::Start(String::new());
            }
            Beginning::Heading { level } => self.begin_heading(level),
            Beginning::Rule => self.line = Line::Rule(token),
            Beginning::Fence => self.line = Line::Fence(token),
            Beginning::Row => self.line = Line::Row(token),
            Beginning::Text | Beginning::Quote | Beginning::Item => self.begin_text(&token),
        }
    }

    fn read_rule(&mut self, mut read: String, letter: char) {
        match line_start::rule(&read, letter) {
            Beginning::Undecided => {
                read.push(letter);
                self.hold_line(read, Line::Rule);
            }
            Beginning::Rule => {
                self.begin_block();
                let rule = "─".repeat(MAX_RULE_WIDTH.min(self.room()));
                self.write_line(glyphs(&rule, Ink::DIM).collect());
                self.next_line();
            }
            Beginning::Item if self.begin_item(&read[..1], after_mark(&read, letter)) => {
                let mut rest = read.chars().skip(1);
                match rest.next() {
                    None => self.read_behind_item(letter),
                    Some(space) => {
                        self.read_behind_item(space);
                        rest.for_each(|it| self.read(it));
                        self.read(letter);
                    }
                }
            }
            _ => {
                self.begin_text(&read);
                self.read(letter);
            }
        }
    }

    /// Begins a list item with this mark, unless the mark is text in a paragraph, or there is no
    /// room for one more level.
    fn begin_item(&mut self, token: &str, next: char) -> bool {
        let sibling = self.containers.item(self.place.matched).cloned();
        let mark = ItemMark::read(token, sibling.as_ref());
        let interrupts = self.in_paragraph() && sibling.is_none();
        let cannot_interrupt =
            next == '\n' || matches!(mark, ItemMark::Number { written: 2.., .. });
        if interrupts && cannot_interrupt {
            return false;
        }
        if !self.containers.has_room(token.len() + 1, self.wrap.width()) && sibling.is_none() {
            return false;
        }
        self.begin_block();
        let margin = self.place.indent;
        self.containers.open_item(margin, margin + token.len() + 1, mark);
        self.place.matched = self.containers.len();
        self.place.indent = 0;
        self.place.column += token.len();
        self.place.mark = AfterMark::Item;
        true
    }

    /// Reads the space after an item's mark, which belongs to the mark.
    fn read_behind_item(&mut self, letter: char) {
        self.line = Line::Start(String::new());
        if letter == '\n' {
            return self.read(letter);
        }
        self.read_space(letter);
        self.place.indent = self.place.indent.saturating_sub(1);
    }

    // Blocks.

    fn in_paragraph(&self) -> bool {
        let candidate = self.table.as_ref().is_some_and(HeldTable::is_candidate);
        self.paragraph == Paragraph::Open || candidate
    }

    /// Ends the open table, containers and paragraph, since another block begins.
    fn begin_block(&mut self) {
        self.end_table();
        self.containers.close(self.place.matched);
        self.paragraph = Paragraph::Closed;
        self.fill_gap();
    }

    fn begin_text(&mut self, read: &str) {
        self.end_table();
        if self.paragraph == Paragraph::Closed {
            self.containers.close(self.place.matched);
            self.fill_gap();
        }
        self.paragraph = Paragraph::Open;
        self.begin_line();
        self.inline.begin(Ink::PLAIN);
        self.line = Line::Text;
        read.chars().for_each(|letter| self.read_text(letter));
    }

    fn begin_heading(&mut self, level: usize) {
        self.begin_block();
        self.begin_line();
        let bold = Ink { bold: true, ..Ink::PLAIN };
        self.inline.begin(Ink { underlined: level == 1, ..bold });
        if self.colour == Colour::Off {
            let mark = "#".repeat(level);
            glyphs(&mark, Ink::PLAIN).chain(blank(1)).for_each(|it| self.wrap.put(it));
        }
        self.line = Line::Text;
    }

    fn read_text(&mut self, letter: char) {
        match letter {
            '\n' => self.inline.end(&mut self.decided),
            _ => self.inline.push(letter, &mut self.decided),
        }
        self.decided.drain(..).for_each(|glyph| self.wrap.put(glyph));
        if letter == '\n' {
            self.wrap.end_line();
            self.next_line();
        }
    }

    fn end_fence_line(&mut self, read: &str) {
        let Some((mark, marks, language)) = line_start::fence(read) else {
            self.begin_text(read);
            return self.read('\n');
        };
        let code = CodeBlock::new(mark, marks, self.place.indent, language);
        self.begin_block();
        let mut line = CodeLine::new(0);
        read.chars().for_each(|letter| line.push(letter));
        self.write_line(glyphs(line.text().trim_end(), Ink::DIM).collect());
        self.code = Some(code);
        self.next_line();
    }

    fn read_code(&mut self, mut line: CodeLine, letter: char) {
        if letter != '\n' {
            line.push(letter);
            if line.is_long() {
                self.write_code(&mut line);
            }
            self.line = Line::Code(line);
            return;
        }
        if self.code.as_ref().is_some_and(|code| code.is_closed_by(&line)) {
            self.code = None;
            self.write_line(glyphs(line.text().trim(), Ink::DIM).collect());
        } else {
            self.write_code(&mut line);
            self.wrap.end_line();
        }
        if let Some(code) = &mut self.code {
            code.highlighter.end_line();
        }
        self.next_line();
    }

    fn write_code(&mut self, line: &mut CodeLine) {
        if line.part() == LinePart::Whole {
            self.begin_line();
        }
        let code = line.take(self.code.as_mut().map(|code| &mut code.highlighter));
        code.into_iter().for_each(|glyph| self.wrap.put_as_it_is(glyph));
    }

    fn end_blank_line(&mut self) {
        while self.containers.item(self.place.matched).is_some() {
            self.place.matched += 1;
        }
        if self.code.is_some() && self.place.matched == self.containers.len() {
            self.begin_line();
            self.wrap.end_line();
            return self.next_line();
        }
        self.code = None;
        self.end_table();
        if self.place.mark == AfterMark::Item {
            // The item has no text so far.
            self.write_line(Vec::new());
            return self.next_line();
        }
        self.containers.close(self.place.matched);
        self.paragraph = Paragraph::Closed;
        let depth = self.place.matched;
        self.gap = match self.gap {
            Gap::Beginning => Gap::Beginning,
            Gap::None => Gap::Due { depth },
            Gap::Due { depth: before } => Gap::Due { depth: depth.min(before) },
        };
        self.next_line();
    }

    fn fill_gap(&mut self) {
        let Gap::Due { depth } = self.gap else { return };
        self.gap = Gap::None;
        let prefix = self.containers.prefix(depth);
        self.wrap.begin_line(&prefix, Vec::new());
        self.wrap.end_line();
    }

    // Tables.

    fn end_row(&mut self, row: String) {
        if self.place.matched < self.containers.len() && !self.in_paragraph() {
            self.begin_block();
        }
        let refused = match &mut self.table {
            Some(table) => table.add(row).err(),
            None => Some(row),
        };
        if let Some(row) = refused {
            self.end_table();
            self.table = Some(HeldTable::header(row));
        }
        self.next_line();
    }

    /// Writes the table that was held back; if it is only a line with bars, writes it as text.
    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        if table.is_candidate() {
            let place = std::mem::take(&mut self.place);
            self.place.matched = self.containers.len();
            let line = std::mem::replace(&mut self.line, Line::Text);
            for row in table.lines() {
                self.begin_text(row);
                self.read_text('\n');
            }
            (self.place, self.line) = (place, line);
            return;
        }
        self.paragraph = Paragraph::Closed;
        self.fill_gap();
        match TableLayout::of(&table, self.colour, self.room()) {
            TableLayout::Lines(lines) => {
                lines.into_iter().for_each(|line| self.write_line(line));
            }
            TableLayout::Cards(lines) => {
                for line in lines {
                    self.begin_line();
                    self.wrap.indent_more(CARD_INDENT);
                    line.into_iter().for_each(|glyph| self.wrap.put(glyph));
                    self.wrap.end_line();
                }
            }
        }
    }

    // Lines.

    /// The columns that containers leave for text.
    fn room(&self) -> usize {
        self.wrap.width().saturating_sub(self.containers.columns()).max(1)
    }

    fn begin_line(&mut self) {
        let first = self.containers.first_prefix();
        let rest = self.containers.prefix(self.containers.len());
        self.wrap.begin_line(&first, rest);
        if self.gap == Gap::Beginning {
            self.gap = Gap::None;
        }
    }

    fn write_line(&mut self, line: Vec<Glyph>) {
        self.begin_line();
        line.into_iter().for_each(|glyph| self.wrap.put_as_it_is(glyph));
        self.wrap.end_line();
    }
}

/// The first character after a mark that is not a space, as far as the line was read.
fn after_mark(read: &str, next: char) -> char {
    read.chars().skip(1).find(|it| !it.is_whitespace()).unwrap_or(next)
}
