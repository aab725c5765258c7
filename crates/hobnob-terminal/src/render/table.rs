//! Tables: as many columns as a terminal has room for, wrapped; cards where even the most important
//! columns do not fit; one line per row without a terminal. Commands that list something use them.
//!
//! What must stay true: cells are made safe, names never break, and the output for pipes does not
//! depend on the terminal's width.

use super::cards;
use super::cell::Cell;
use super::tone::Tone;
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Color, ColumnConstraint, ContentArrangement, Width};
use dialoguer::console::{colors_enabled, measure_text_width};

/// Below this width of a terminal, each row is a card.
const MIN_TABLE_WIDTH: u16 = 80;

/// From this width on, long words of wrapped columns may break, so that a table needs no cards.
const MIN_BREAK_WIDTH: u16 = 100;

/// Columns up to this width are never wrapped, and neither is the first one, which has names.
const MAX_UNWRAPPED: usize = 24;

/// The preferred and the minimum width of a wrapped column.
const PREFERRED_WRAPPED: usize = 36;
const MIN_WRAPPED: usize = 16;

/// Blanks between two columns.
const GAP: usize = 2;

/// A header and the rows below it.
#[derive(Debug, Clone)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<Cell>>,
    /// The columns to leave out, in this order, where there is no room for all.
    optional: Vec<String>,
}

impl Table {
    /// A table with these columns; names are in the first one.
    pub fn new(header: &[&str]) -> Self {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Self { header, rows: Vec::new(), optional: Vec::new() }
    }

    /// Names the columns that a narrow terminal leaves out, the least important one first.
    pub fn optional(mut self, columns: &[&str]) -> Self {
        self.optional = columns.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Adds a row, with a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Whether there is no row besides the header.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The whole table, with a line break at the end, as standard output takes it.
    pub fn to_text(&self) -> String {
        self.to_text_of_width(comfy_table::Table::new().width())
    }

    /// The table for a terminal with this many columns; `None` stands for a pipe.
    pub(super) fn to_text_of_width(&self, width: Option<u16>) -> String {
        // Some terminals report a width of zero, which means unknown.
        let Some(width) = width.filter(|it| *it != 0) else { return self.lines(None) };
        let filled = self.with_columns(|column| self.has_text(column));
        let shorter = self.optional.iter().scan(filled.clone(), |table, name| {
            *table = table.with_columns(|column| table.header[column] != *name);
            Some(table.clone())
        });
        let tables: Vec<Self> = [self.clone(), filled].into_iter().chain(shorter).collect();
        let has_room = |table: &&Self| {
            MIN_TABLE_WIDTH <= width && table.fits_whole_words(width, PREFERRED_WRAPPED)
        };
        let has_little =
            |table: &&Self| MIN_TABLE_WIDTH <= width && table.fits_whole_words(width, MIN_WRAPPED);
        let breaks_words =
            |table: &&Self| MIN_BREAK_WIDTH <= width && table.fits(width.into(), |_| MIN_WRAPPED);
        let fitting = tables.iter().find(has_room).or_else(|| tables.iter().find(has_little));
        match fitting.or_else(|| tables.iter().find(breaks_words)) {
            Some(table) => table.lines(Some(width)),
            None => cards::cards(&self.header, &self.rows, width.into()),
        }
    }

    fn with_columns(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.header.len()).filter(|column| keep(*column)).collect();
        let row = |row: &Vec<Cell>| kept.iter().filter_map(|it| row.get(*it).cloned()).collect();
        Self {
            header: kept.iter().map(|it| self.header[*it].clone()).collect(),
            rows: self.rows.iter().map(row).collect(),
            optional: self.optional.clone(),
        }
    }

    fn has_text(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.any(|cell| !cell.text.is_empty())
    }

    /// Whether all columns fit beside each other: names and short columns with their content, other
    /// columns with the width that `wrapped` returns.
    fn fits(&self, width: usize, wrapped: impl Fn(usize) -> usize) -> bool {
        let columns = 0..self.header.len();
        let widths = columns.map(|column| match self.is_fixed(column) {
            true => self.content_width(column) + GAP,
            false => wrapped(column) + GAP,
        });
        widths.sum::<usize>() <= width
    }

    /// Whether all columns fit, each wrapped one with the width of `whole_words`.
    fn fits_whole_words(&self, width: u16, wrapped: usize) -> bool {
        self.fits(width.into(), |column| self.whole_words(column, wrapped))
    }

    /// Width of a wrapped column: its longest word, or its content up to `wrapped` if wider.
    fn whole_words(&self, column: usize, wrapped: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let words = cells.flat_map(|cell| cell.text.split(' ')).map(measure_text_width);
        words.max().unwrap_or(0).max(wrapped.min(self.content_width(column)))
    }

    fn is_fixed(&self, column: usize) -> bool {
        column == 0 || self.content_width(column) <= MAX_UNWRAPPED
    }

    fn content_width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|cell| measure_text_width(&cell.text)).max().unwrap_or(0);
        cells.max(measure_text_width(&self.header[column]))
    }

    fn constraint(&self, column: usize, width: u16) -> Option<ColumnConstraint> {
        if self.is_fixed(column) {
            return Some(ColumnConstraint::ContentWidth);
        }
        // Without it, a column of long words gets the same room as its neighbours.
        let fits = self.fits_whole_words(width, MIN_WRAPPED);
        let min_width = self.whole_words(column, MIN_WRAPPED) + GAP;
        let min_width = u16::try_from(min_width).ok().filter(|_| fits)?;
        Some(ColumnConstraint::LowerBoundary(Width::Fixed(min_width)))
    }

    fn lines(&self, width: Option<u16>) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(self.header.iter().map(|name| styled(&Cell::toned(Tone::Dim, name))));
        for row in &self.rows {
            table.add_row(row.iter().map(styled));
        }
        match width {
            Some(width) => drop(table.set_width(width)),
            None => drop(table.force_no_tty()),
        }
        for number in 0..self.header.len() {
            let constraint = width.and_then(|width| self.constraint(number, width));
            if let Some(column) = table.column_mut(number) {
                column.set_padding((0, 2));
                if let Some(constraint) = constraint {
                    column.set_constraint(constraint);
                }
            }
        }
        let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n") + "\n"
    }
}

fn styled(cell: &Cell) -> comfy_table::Cell {
    let styled = comfy_table::Cell::new(&cell.text);
    if !colors_enabled() {
        return styled;
    }
    match cell.tone {
        Tone::Plain => styled,
        Tone::Good => styled.fg(Color::Green),
        Tone::Warn => styled.fg(Color::Yellow),
        Tone::Bad => styled.fg(Color::Red),
        Tone::Dim => styled.add_attribute(Attribute::Dim),
    }
}
