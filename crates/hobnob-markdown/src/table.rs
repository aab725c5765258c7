//! A table while its rows arrive. Only tables are held back for longer than a line, since every row
//! affects the column widths.

/// Maximum number of bytes that are held back; then the table is shown, and more rows are text.
const MAX_HELD_BYTES: usize = 64 * 1024;
/// Maximum number of columns; a line with more is text.
const MAX_COLUMNS: usize = 64;

/// The alignment of a cell in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alignment {
    Left,
    Centre,
    Right,
}

/// The rows so far, and the alignments once the second row has shown that they are a table.
#[derive(Debug)]
pub(crate) struct HeldTable {
    rows: Vec<String>,
    bytes: usize,
    alignments: Vec<Alignment>,
}

impl HeldTable {
    /// A line that is the header of a table if the next line confirms it.
    pub(crate) fn header(row: String) -> Self {
        Self { bytes: row.len(), rows: vec![row], alignments: Vec::new() }
    }

    /// Whether it is only a line with bars so far.
    pub(crate) fn is_candidate(&self) -> bool {
        self.alignments.is_empty()
    }

    /// Adds a line, or gives it back if it is not a row of the table.
    pub(crate) fn add(&mut self, row: String) -> Result<(), String> {
        if self.is_candidate() {
            let columns = self.rows.first().map_or(0, |header| cells(header).len());
            match alignments(&row) {
                Some(found) if found.len() == columns && columns <= MAX_COLUMNS => {
                    self.alignments = found;
                    return Ok(());
                }
                _ => return Err(row),
            }
        }
        if MAX_HELD_BYTES < self.bytes + row.len() {
            return Err(row);
        }
        self.bytes += row.len() + size_of::<String>();
        self.rows.push(row);
        Ok(())
    }

    /// The lines as they were written.
    pub(crate) fn lines(&self) -> &[String] {
        &self.rows
    }

    /// The cells of every row, the header first, and the alignment of each column.
    pub(crate) fn parts(&self) -> (Vec<Vec<String>>, &[Alignment]) {
        (self.rows.iter().map(|row| cells(row)).collect(), &self.alignments)
    }
}

/// The cells of a row: the texts between unescaped bars.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut cells = vec![String::new()];
    let mut escaped = false;
    for letter in row.chars() {
        match (letter, cells.last_mut()) {
            ('|', Some(cell)) if escaped => {
                cell.pop();
                cell.push('|');
            }
            ('|', _) => cells.push(String::new()),
            ('\t', Some(cell)) => cell.push(' '),
            (_, Some(cell)) => cell.push(letter),
            (_, None) => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    if cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// The alignments of the columns, if the row is a delimiter row below a header.
fn alignments(row: &str) -> Option<Vec<Alignment>> {
    let side = |cell: &String| {
        let dashes = cell.trim_start_matches(':').trim_end_matches(':');
        let only_dashes = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
        only_dashes.then(|| match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => Alignment::Centre,
            (false, true) => Alignment::Right,
            _ => Alignment::Left,
        })
    };
    let sides: Option<Vec<_>> = cells(row).iter().map(side).collect();
    sides.filter(|it| !it.is_empty())
}
