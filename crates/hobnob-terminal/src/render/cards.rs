//! Cards: the cells of each row under each other, for terminals that are too narrow for a table.
//! `table` makes them.
//!
//! What must stay true: words never break, so that a name can be copied; a word longer than a line
//! runs over its end.

use super::cell::Cell;
use super::tone::{Tone, paint};
use dialoguer::console::measure_text_width;

/// Cards for a narrower terminal assume this many columns.
const MIN_COLUMNS: usize = 40;

/// One card for each row: its first cell, and below it every other cell that is not empty.
pub(super) fn cards(header: &[String], rows: &[Vec<Cell>], width: usize) -> String {
    let keys: Vec<String> = header.iter().map(|name| name.to_lowercase()).collect();
    let widest = keys.iter().skip(1).map(|key| measure_text_width(key)).max().unwrap_or(0);
    let room = width.max(MIN_COLUMNS).saturating_sub(widest + 4);
    let cards: Vec<String> = rows.iter().map(|row| card(&keys, row, widest, room)).collect();
    cards.join("\n")
}

fn card(keys: &[String], row: &[Cell], widest: usize, room: usize) -> String {
    let mut text = String::new();
    if let Some(name) = row.first() {
        text.push_str(&format!("{}\n", paint(name.tone, &name.text)));
    }
    let rest = keys.iter().zip(row).skip(1);
    for (key, cell) in rest.filter(|(_, cell)| !matches!(cell.text.as_str(), "" | "-")) {
        let padding = " ".repeat(widest - measure_text_width(key));
        let mut before = format!("  {}{padding}  ", paint(Tone::Dim, key));
        for line in wrapped(&cell.text, room) {
            text.push_str(&format!("{before}{}\n", paint(cell.tone, &line)));
            before = " ".repeat(widest + 4);
        }
    }
    text
}

/// Wraps a text between words to lines of `room` columns; a longer word gets its own line.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if measure_text_width(line) + 1 + measure_text_width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
