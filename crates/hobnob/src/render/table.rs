//! Tables: wrapped to the width of a terminal, one line per row elsewhere. Commands that list
//! something use them.
//!
//! What must stay true: cells are made safe, and the output for pipes does not depend on the
//! terminal's width.

use super::safe::one_line;
use super::tone::Tone;
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Color, ContentArrangement};
use dialoguer::console::colors_enabled;

/// The text of a cell, made safe and put on one line, and its colour.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// A cell in the colour of this tone.
    pub(crate) fn toned(tone: Tone, text: &str) -> Self {
        Self { text: one_line(text), tone }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::toned(Tone::Plain, text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

/// The narrowest width of a terminal that is believed.
const NARROWEST: u16 = 40;

/// A header and the rows below it.
#[derive(Debug)]
pub(crate) struct Table {
    inner: comfy_table::Table,
    columns: usize,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(header: &[&str]) -> Self {
        let mut inner = comfy_table::Table::new();
        inner.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        inner.set_header(header.iter().map(|name| styled(Cell::toned(Tone::Dim, name))));
        Self { inner, columns: header.len() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.inner.add_row(cells.into_iter().map(styled));
    }

    /// Whether there is no row besides the header.
    pub(crate) fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// The whole table, with a line break at the end.
    pub(crate) fn to_text(&self) -> String {
        let mut inner = self.inner.clone();
        if inner.width().is_some_and(|width| width < NARROWEST) {
            // Some terminals report a width of zero, which would give one letter per line.
            inner.set_width(NARROWEST);
        }
        for column in 0..self.columns {
            if let Some(column) = inner.column_mut(column) {
                column.set_padding((0, 2));
            }
        }
        let lines: Vec<String> = inner.lines().map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n") + "\n"
    }
}

fn styled(cell: Cell) -> comfy_table::Cell {
    let styled = comfy_table::Cell::new_owned(cell.text);
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
