//! Runs the steps of a long command and measures them, for a table at its end.
//!
//! `ci` and `test` run their steps through it and print the table, even if a step fails.

#[cfg(test)]
mod tests;

use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::step;

/// The steps so far, in the order in which they ran.
#[derive(Default)]
pub(crate) struct Timetable {
    rows: Vec<Row>,
}

struct Row {
    title: String,
    took: Duration,
    failed: bool,
}

impl Timetable {
    /// Runs a program as one step.
    pub(crate) fn step(&mut self, title: &str, command: &mut Command) -> anyhow::Result<()> {
        self.time(title, || step(title, command))
    }

    /// Runs a function as one step.
    pub(crate) fn time<T>(
        &mut self,
        title: &str,
        work: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let began = Instant::now();
        let outcome = work();
        self.note(title, began.elapsed(), outcome.is_err());
        outcome
    }

    fn note(&mut self, title: &str, took: Duration, failed: bool) {
        self.rows.push(Row { title: title.to_owned(), took, failed });
    }
}

impl fmt::Display for Timetable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.rows.iter().map(|row| row.title.chars().count()).max().unwrap_or(0);
        let all = self.rows.iter().map(|row| row.took).sum();
        for Row { title, took, failed } in &self.rows {
            let mark = if *failed { "  failed" } else { "" };
            writeln!(out, "  {title:width$}  {}{mark}", minutes(*took))?;
        }
        write!(out, "  {:width$}  {}", "all", minutes(all))
    }
}

/// Minutes and seconds, right-aligned.
fn minutes(took: Duration) -> String {
    let tenths = took.as_millis().div_ceil(100);
    format!("{:>3}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}
