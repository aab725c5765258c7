//! Tables: wrapped to the width of a terminal, cards where it is narrow, one line per row elsewhere.
//! Commands that list something use them.
//!
//! What must stay true: cells are made safe, names never break, and the output for pipes does not
//! depend on the terminal's width.

use super::cards;
use super::cell::Cell;
use super::tone::Tone;
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Color, ColumnConstraint, ContentArrangement};
use dialoguer::console::{colors_enabled, measure_text_width};

/// Below this width of a terminal, each row is a card.
const NARROW: u16 = 100;

/// Columns no wider than this are never wrapped, and neither is the first one, which has names.
const SHORT: usize = 24;

/// The least room for a column that is wrapped.
const MIN_WRAPPED: usize = 16;

/// Blanks between two columns.
const GAP: usize = 2;

/// A header and the rows below it.
#[derive(Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with these columns; names are in the first one.
    pub fn new(header: &[&str]) -> Self {
        let header = header.iter().map(|name| (*name).to_owned()).collect();
        Self { header, rows: Vec::new() }
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

    /// The same for a terminal of this many columns, or for none.
    pub(super) fn to_text_of_width(&self, width: Option<u16>) -> String {
        match width {
            // Some terminals report a width of zero, which says nothing.
            None | Some(0) => self.lines(None),
            Some(width) if width < NARROW => cards::cards(&self.header, &self.rows, width.into()),
            Some(width) if self.fits(width.into()) => self.lines(Some(width)),
            Some(width) => {
                let filled = self.without_empty_columns();
                match filled.fits(width.into()) {
                    true => filled.lines(Some(width)),
                    false => cards::cards(&self.header, &self.rows, width.into()),
                }
            }
        }
    }

    fn without_empty_columns(&self) -> Self {
        let has_text = |column: &usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(*column));
            cells.any(|cell| !cell.text.is_empty())
        };
        let filled: Vec<usize> = (0..self.header.len()).filter(has_text).collect();
        let row = |row: &Vec<Cell>| filled.iter().filter_map(|it| row.get(*it).cloned()).collect();
        Self {
            header: filled.iter().map(|it| self.header[*it].clone()).collect(),
            rows: self.rows.iter().map(row).collect(),
        }
    }

    /// Whether all names and short cells fit beside each other, with some room for the rest.
    fn fits(&self, width: usize) -> bool {
        let columns = 0..self.header.len();
        let least = columns.map(|column| match self.is_fixed(column) {
            true => self.content_width(column) + GAP,
            false => MIN_WRAPPED + GAP,
        });
        least.sum::<usize>() <= width
    }

    fn is_fixed(&self, column: usize) -> bool {
        column == 0 || self.content_width(column) <= SHORT
    }

    fn content_width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|cell| measure_text_width(&cell.text)).max().unwrap_or(0);
        cells.max(measure_text_width(&self.header[column]))
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
            let is_fixed = width.is_some() && self.is_fixed(number);
            if let Some(column) = table.column_mut(number) {
                column.set_padding((0, 2));
                if is_fixed {
                    column.set_constraint(ColumnConstraint::ContentWidth);
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
