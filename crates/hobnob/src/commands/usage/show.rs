//! Usage for people: the table, the line below it, and what to do without any.
//!
//! What must stay true: a narrow terminal leaves columns out before it makes cards of rows.

use hobnob_hub::usage::{Usage, UsagePoint, UsageRow};
use hobnob_terminal::render::{Cell, Table, Tone, counted, relative, short_count, short_duration};

/// Rows of the table; `--json` has more.
const MAX_ROWS: usize = 50;

/// The rows with the most calls.
pub(super) fn table(usage: &Usage) -> Table {
    let name = usage.by.to_uppercase();
    let header = [&*name, "CALLS", "ERRORS", "P50", "P95", "TOKENS IN", "TOKENS OUT", "LAST"];
    let mut table = Table::new(&header).optional(&["LAST", "P50", "TOKENS IN", "TOKENS OUT"]);
    for row in usage.rows.iter().take(MAX_ROWS) {
        table.row(cells(row));
    }
    table
}

fn cells(row: &UsageRow) -> [Cell; 8] {
    let took = |micros: Option<u64>| Cell::from(micros.map_or_else(|| "-".into(), short_duration));
    let errors = if row.errors == 0 { Tone::Plain } else { Tone::Bad };
    [
        Cell::from(row.name.as_str()),
        Cell::from(short_count(row.calls)),
        Cell::toned(errors, &short_count(row.errors)),
        took(row.p50_us),
        took(row.p95_us),
        Cell::from(short_count(row.request_tokens)),
        Cell::from(short_count(row.result_tokens)),
        Cell::toned(Tone::Dim, &relative(&row.last)),
    ]
}

/// All calls in one line; some may be in no row.
pub(super) fn sum(usage: &Usage, days: u16) -> String {
    let sum = |of: fn(&UsagePoint) -> u64| -> u64 { usage.series.iter().map(of).sum() };
    let (calls, errors) = (sum(|point| point.calls), sum(|point| point.errors));
    let tokens = sum(|point| point.request_tokens.saturating_add(point.result_tokens));
    let line = format!(
        "{} in {}: {}, about {} tokens",
        counted(calls, "call"),
        counted(days, "day"),
        counted(errors, "error"),
        short_count(tokens)
    );
    match usage.rows.len().checked_sub(MAX_ROWS) {
        None | Some(0) => line,
        Some(more) => format!("{line}; --json has {} more", counted(more, "row")),
    }
}

/// Why there are no rows, and what to do.
pub(super) fn nothing(days: u16, is_enabled: bool) -> String {
    if !is_enabled {
        return "calls are not counted: set `enabled = true` under [usage] in config.toml".into();
    }
    format!(
        "no calls in {}; Hobnob counts what clients of `hobnob serve` and `hobnob call` do, and \
         shows it here up to a minute later",
        counted(days, "day")
    )
}
