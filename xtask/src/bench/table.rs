//! Formats results as Markdown: one table per kind, with medians, ratios and targets.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::case::{Case, Target};
use super::findings::{Failure, Findings, Sample};
use super::kind::{Column, Kind, OURS, Shown};

/// All tables, then the failures.
pub(super) fn render(plan: &[(&'static Kind, Vec<Case>)], findings: &Findings) -> String {
    let mut text = String::new();
    for (kind, cases) in plan {
        line(&mut text, &format!("### {}\n", kind.heading()));
        line(&mut text, &table(kind, cases, &findings.samples));
    }
    render_failures(&mut text, &findings.failures);
    text
}

/// A server that fails everywhere for the same reason is listed once.
fn render_failures(text: &mut String, failures: &[Failure]) {
    for (index, first) in failures.iter().enumerate() {
        let same = |it: &&Failure| it.server == first.server && it.reason == first.reason;
        if failures[..index].iter().any(|it| same(&it)) {
            continue;
        }
        let Failure { server, case, reason } = first;
        let more = match failures[index + 1..].iter().filter(same).count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        line(text, &format!("- failed: {server}, {case}{more}: {reason}"));
    }
}

/// The first two lines of a kind's table.
pub(super) fn head(kind: &Kind) -> String {
    let headings: Vec<&str> = kind.columns.iter().map(|column| column.heading).collect();
    let (headings, rules) = (headings.join(" | "), "---:|".repeat(headings.len()));
    format!("| case | server | {headings} | target |\n|---|---|{rules}---|\n")
}

/// The table of one kind, without a title.
pub(super) fn table(kind: &Kind, cases: &[Case], samples: &[Sample]) -> String {
    let mut text = head(kind);
    for case in cases {
        let is_its = |sample: &&Sample| sample.kind == kind.name && sample.case == case.name;
        let medians = Medians { samples: samples.iter().filter(is_its).collect() };
        for server in medians.servers() {
            let values: Vec<Option<f64>> =
                kind.columns.iter().map(|column| medians.shown(server, column)).collect();
            let shown: Vec<String> =
                values.iter().map(|value| value.map_or("–".into(), number)).collect();
            let verdict = |target: &Target| {
                let at = kind.columns.iter().position(|it| it.heading == target.heading)?;
                values[at].map(|value| target.verdict(value))
            };
            let targets = case.targets.iter().filter(|_| server == OURS);
            let verdicts: Vec<String> = targets.filter_map(verdict).collect();
            let (name, shown, verdicts) = (&case.name, shown.join(" | "), verdicts.join("; "));
            line(&mut text, &format!("| {name} | {server} | {shown} | {verdicts} |"));
        }
    }
    text
}

/// The samples of a case, reduced to one number per server and figure.
struct Medians<'s> {
    samples: Vec<&'s Sample>,
}

impl<'s> Medians<'s> {
    /// The measured servers, in the order of the first round.
    fn servers(&self) -> Vec<&'s str> {
        let mut servers: Vec<&str> = Vec::new();
        for sample in self.samples.iter().filter(|sample| sample.round == 0) {
            if !servers.contains(&sample.server.as_str()) {
                servers.push(&sample.server);
            }
        }
        servers
    }

    /// A server's figures, by round.
    fn figures(&self, server: &str, figure: &str) -> BTreeMap<usize, f64> {
        let its = self.samples.iter().filter(|sample| sample.server == server);
        its.filter_map(|it| Some((it.round, *it.figures.get(figure)?))).collect()
    }

    fn of(&self, server: &str, column: &Column) -> Option<f64> {
        let figures = self.figures(server, column.figure).into_values().collect();
        median(figures).map(|figure| figure * column.scale)
    }

    /// The value of a server in a column.
    fn shown(&self, server: &str, column: &Column) -> Option<f64> {
        let first = |others: &'static [&'static str]| {
            self.servers().into_iter().find(|name| others.contains(name))
        };
        match column.shown {
            Shown::Itself => self.of(server, column),
            Shown::Added(others) => {
                Some(self.of(server, column)? - self.of(first(others)?, column)?)
            }
            Shown::Times(others) => self.times(server, first(others)?, column),
        }
    }

    /// The ratio to another server's figure. Each round is compared by itself: the machine may be
    /// faster or slower in the next one.
    fn times(&self, server: &str, other: &str, column: &Column) -> Option<f64> {
        let others = self.figures(other, column.figure);
        let its = self.figures(server, column.figure).into_iter();
        let ratios = its.filter_map(|(round, figure)| {
            others.get(&round).filter(|other| **other > 0.0).map(|other| figure / other)
        });
        median(ratios.collect())
    }
}

impl Target {
    /// Whether the target is met, and its limit.
    pub(super) fn verdict(self, value: f64) -> String {
        let met = if value <= self.limit { "✓ met" } else { "✗ missed" };
        format!("{met}: {} ≤ {}", self.heading, number(self.limit))
    }
}

/// The median; for an even number of values, the mean of the middle two.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// A number with as many digits as are meaningful, and commas between thousands.
pub(super) fn number(value: f64) -> String {
    if value < 10.0 {
        return format!("{value:.2}");
    }
    if value < 100.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn line(text: &mut String, words: &str) {
    // Writing to a string never fails.
    let _ = writeln!(text, "{words}");
}
