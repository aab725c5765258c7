//! Tables: as wide as the terminal allows, one line a row elsewhere.

use super::safe::one_line;
use super::tone::Tone;
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Color, ContentArrangement};
use dialoguer::console::colors_enabled;

/// One cell: a text, made safe and put on one line, and what it means.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// A cell with a meaning.
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

/// What a terminal must report to be believed.
const NARROWEST: u16 = 40;

/// Rows under a header.
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
        inner.set_header(header.iter().map(|name| dress(Cell::toned(Tone::Dim, name))));
        Self { inner, columns: header.len() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.inner.add_row(cells.into_iter().map(dress));
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.inner.is_empty()
    }

    /// The text of it, with a line break at the end.
    pub(crate) fn to_text(&self) -> String {
        let mut inner = self.inner.clone();
        if inner.width().is_some_and(|width| width < NARROWEST) {
            // Some terminals report no width at all; a letter a line helps nobody.
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

fn dress(cell: Cell) -> comfy_table::Cell {
    let dressed = comfy_table::Cell::new_owned(cell.text);
    if !colors_enabled() {
        return dressed;
    }
    match cell.tone {
        Tone::Plain => dressed,
        Tone::Good => dressed.fg(Color::Green),
        Tone::Warn => dressed.fg(Color::Yellow),
        Tone::Bad => dressed.fg(Color::Red),
        Tone::Dim => dressed.add_attribute(Attribute::Dim),
    }
}
