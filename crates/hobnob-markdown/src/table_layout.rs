//! Lays out a table for a terminal: columns that fit the width or, failing that, a card per row.

use crate::inline::InlineText;
use crate::measure::{columns_of, joins_the_one_before, may_break};
use crate::painter::{Glyph, glyphs};
use crate::style::{Colour, Ink};
use crate::table::{Alignment, HeldTable};
use crate::word_wrap::blank;

/// The separator between two columns.
const COLUMN_SEPARATOR: &str = " │ ";
/// A column that is narrower than this is hard to read, unless its text is.
const MIN_COLUMN: usize = 8;

const BOLD: Ink = Ink { bold: true, ..Ink::PLAIN };

/// The lines of a table.
#[derive(Debug)]
pub(crate) enum TableLayout {
    /// Complete lines, not to be wrapped.
    Lines(Vec<Vec<Glyph>>),
    /// A line for each cell, to be wrapped; empty lines separate the rows.
    Cards(Vec<Vec<Glyph>>),
}

/// A cell's text with its styles.
type CellText = Vec<Glyph>;

impl TableLayout {
    pub(crate) fn of(table: &HeldTable, colour: Colour, width: usize) -> Self {
        let (rows, alignments) = table.parts();
        let mut inline = InlineText::new(colour);
        let mut cell = |text: &String, base: Ink| {
            let mut out = Vec::new();
            inline.begin(base);
            text.chars().for_each(|letter| inline.push(letter, &mut out));
            inline.end(&mut out);
            out
        };
        let rows = rows.iter().enumerate().map(|(index, row)| {
            let base = if index == 0 { BOLD } else { Ink::PLAIN };
            let shown = row.iter().take(alignments.len());
            shown.map(|text| cell(text, base)).collect::<Vec<CellText>>()
        });
        let rows: Vec<Vec<CellText>> = rows.collect();
        match fitting_widths(&rows, alignments.len(), width) {
            Some(widths) => Self::Lines(lines(&rows, alignments, &widths)),
            None => Self::Cards(cards(&rows)),
        }
    }
}

/// The widths of the columns, if all of them fit together.
fn fitting_widths(rows: &[Vec<CellText>], columns: usize, width: usize) -> Option<Vec<usize>> {
    let between = columns_of(COLUMN_SEPARATOR.chars()) * columns.saturating_sub(1);
    let room = width.checked_sub(between)?;
    let mut natural = vec![1; columns];
    let mut minimal = vec![1; columns];
    for (column, cell) in rows.iter().flat_map(|row| row.iter().enumerate()) {
        let longest = words(cell).map(columns_of_glyphs).max().unwrap_or(0);
        // A URL is never broken; another long word may be.
        let is_address = words(cell).any(contains_scheme);
        let needed = if is_address { longest } else { longest.min(MIN_COLUMN * 2) };
        natural[column] = natural[column].max(columns_of_glyphs(cell));
        minimal[column] = minimal[column].max(needed).max(MIN_COLUMN.min(columns_of_glyphs(cell)));
    }
    if natural.iter().sum::<usize>() <= room {
        return Some(natural);
    }
    let mut rest = room.checked_sub(minimal.iter().sum())?;
    // Columns that need the least come first, so that most columns get all they need.
    let mut order: Vec<usize> = (0..columns).collect();
    order.sort_by_key(|column| natural[*column] - minimal[*column]);
    let mut widths = minimal;
    for (done, column) in order.into_iter().enumerate() {
        let share = rest / (columns - done);
        let given = share.min(natural[column] - widths[column]);
        widths[column] += given;
        rest -= given;
    }
    Some(widths)
}

fn lines(rows: &[Vec<CellText>], sides: &[Alignment], widths: &[usize]) -> Vec<Vec<Glyph>> {
    let mut lines = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<CellText>> = widths
            .iter()
            .enumerate()
            .map(|(column, width)| row.get(column).map_or(Vec::new(), |cell| wrapped(cell, *width)))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for line in 0..height {
            let mut shown = Vec::new();
            for (column, cell) in cells.iter().enumerate() {
                if 0 < column {
                    shown.extend(glyphs(COLUMN_SEPARATOR, Ink::DIM));
                }
                let text = cell.get(line).map_or(&[][..], Vec::as_slice);
                let free = widths[column].saturating_sub(columns_of_glyphs(text));
                let before = match sides[column] {
                    Alignment::Left => 0,
                    Alignment::Centre => free / 2,
                    Alignment::Right => free,
                };
                shown.extend(blank(before));
                shown.extend_from_slice(text);
                shown.extend(blank(free - before));
            }
            lines.push(shown);
        }
        if index == 0 {
            let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            lines.push(glyphs(&rule.join("─┼─"), Ink::DIM).collect());
        }
    }
    lines
}

fn cards(rows: &[Vec<CellText>]) -> Vec<Vec<Glyph>> {
    let Some((header, rows)) = rows.split_first() else { return Vec::new() };
    let mut lines = Vec::new();
    for row in rows {
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        for (name, cell) in header.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let mut line = name.clone();
            line.extend(glyphs(": ", Ink::PLAIN));
            line.extend_from_slice(cell);
            lines.push(line);
        }
    }
    if lines.is_empty() {
        lines.push(header.join(&Glyph { letter: ' ', ink: Ink::PLAIN }));
    }
    lines
}

/// The lines of a cell; a word that is too long is broken.
fn wrapped(cell: &[Glyph], width: usize) -> Vec<CellText> {
    let mut lines = vec![CellText::new()];
    let mut used = 0;
    for word in words(cell) {
        let mut space = usize::from(0 < used);
        for part in word.chunk_by(|before, after| !may_break(before.letter, after.letter)) {
            if width < used + space + columns_of_glyphs(part) && 0 < used {
                lines.push(CellText::new());
                (used, space) = (0, 0);
            }
            for cluster in part.chunk_by(|_, after| joins_the_one_before(after.letter)) {
                let wide = columns_of_glyphs(cluster);
                if width < used + space + wide && 0 < used {
                    lines.push(CellText::new());
                    used = 0;
                }
                if let Some(line) = lines.last_mut() {
                    line.extend(blank(space));
                    line.extend_from_slice(cluster);
                }
                used += space + wide;
                space = 0;
            }
        }
    }
    lines
}

fn words(cell: &[Glyph]) -> impl Iterator<Item = &[Glyph]> {
    cell.split(|glyph| glyph.letter == ' ').filter(|word| !word.is_empty())
}

fn columns_of_glyphs(text: &[Glyph]) -> usize {
    columns_of(text.iter().map(|glyph| glyph.letter))
}

fn contains_scheme(word: &[Glyph]) -> bool {
    word.windows(3).any(|it| it.iter().map(|glyph| glyph.letter).eq("://".chars()))
}
