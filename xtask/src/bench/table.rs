//! Findings as Markdown: one table a kind, medians, ratios to the bare loop, targets.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::findings::{Failure, Findings, Sample};
use super::plan::{Column, Job, Kind, Shown, Subject, Target, columns};
use super::start::{BESIDE, OURS, PROXY, RAW};

/// All tables, then what failed.
pub(super) fn render(kinds: &[Kind], jobs: &[Job], findings: &Findings) -> String {
    let mut text = String::new();
    for kind in kinds {
        line(&mut text, &format!("### {}\n", kind.title()));
        line(&mut text, &table(*kind, jobs, &findings.samples));
    }
    render_failures(&mut text, &findings.failures);
    text
}

/// A server that fails everywhere for one reason is listed once.
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

/// The two lines with which the table of a kind begins.
pub(super) fn head(kind: Kind) -> String {
    let columns = columns(kind);
    let headings: Vec<&str> = columns.iter().map(|column| column.heading).collect();
    let (raw_heading, raw_rule) = if beside_raw(kind) { (" × raw |", "---|") } else { ("", "") };
    let (headings, rules) = (headings.join(" | "), "---:|".repeat(columns.len()));
    format!(
        "| case | server | {headings} |{raw_heading} target |\n|---|---|{rules}{raw_rule}---|\n"
    )
}

/// Whether the bare loop is among what is measured.
fn beside_raw(kind: Kind) -> bool {
    match kind.subject() {
        Subject::Servers | Subject::Gateways | Subject::Streams | Subject::Tokens => true,
        Subject::BuiltIns | Subject::Machine | Subject::Part => false,
        Subject::Trees | Subject::Sources => false,
    }
}

/// The table of one kind, without a title.
pub(super) fn table(kind: Kind, jobs: &[Job], samples: &[Sample]) -> String {
    let columns = columns(kind);
    let beside_raw = beside_raw(kind);
    let mut text = head(kind);
    let medians = Medians { kind, samples };
    for job in jobs.iter().filter(|job| job.kind == kind) {
        for server in medians.servers(&job.case) {
            let value = |column| medians.shown(job, server, column);
            let shown: Vec<String> =
                columns.iter().map(|column| value(column).map_or("–".into(), number)).collect();
            let ratio = medians.times(&job.case, server, &job.case, RAW, &columns[0]);
            let verdict = |target: &Target| {
                let column = &columns[target.column];
                Some(target.verdict(column.heading, value(column)?, ratio))
            };
            let targets = job.targets.iter().filter(|_| server == OURS);
            let verdicts: Vec<String> = targets.filter_map(verdict).collect();
            let ratio = ratio.map_or("–".into(), |ratio| format!("{ratio:.2}"));
            let ratio = if beside_raw { format!(" {ratio} |") } else { String::new() };
            line(
                &mut text,
                &format!(
                    "| {} | {server} | {} |{ratio} {} |",
                    job.case,
                    shown.join(" | "),
                    verdicts.join("; ")
                ),
            );
        }
    }
    text
}

/// The samples of a kind, as one number for each case, server and figure.
struct Medians<'s> {
    kind: Kind,
    samples: &'s [Sample],
}

impl<'s> Medians<'s> {
    /// Who was measured in a case.
    fn servers(&self, case: &str) -> Vec<&'s str> {
        let mut servers: Vec<&str> = Vec::new();
        for sample in self.case(case).filter(|sample| sample.round == 0) {
            if !servers.contains(&sample.server.as_str()) {
                servers.push(&sample.server);
            }
        }
        servers
    }

    fn of(&self, case: &str, server: &str, column: &Column) -> Option<f64> {
        let its = self.case(case).filter(|sample| sample.server == server);
        let figures = its.filter_map(|sample| sample.figures.get(column.figure));
        median(figures.copied().collect()).map(|figure| figure * column.scale)
    }

    /// What a column says of it.
    fn shown(&self, job: &Job, server: &str, column: &Column) -> Option<f64> {
        let itself = self.of(&job.case, server, column)?;
        match column.shown {
            Shown::Itself => Some(itself),
            Shown::AddedToRaw => Some(itself - self.of(&job.case, RAW, column)?),
            Shown::TimesProxy => self.times(&job.case, server, &job.case, PROXY, column),
            Shown::TimesBeside => {
                let beside = self.servers(&job.case).into_iter().find(|name| BESIDE.contains(name));
                self.times(&job.case, server, &job.case, beside?, column)
            }
            Shown::TimesOther => self.times(&job.case, server, job.other.as_ref()?, server, column),
        }
    }

    /// How many times as much as another. Each round is compared for itself: a machine may be faster or
    /// slower in the next.
    fn times(
        &self,
        case: &str,
        server: &str,
        other_case: &str,
        other: &str,
        column: &Column,
    ) -> Option<f64> {
        let figures = |case, server| {
            let its = self.case(case).filter(move |sample| sample.server == server);
            its.filter_map(|it| Some((it.round, *it.figures.get(column.figure)?)))
        };
        let others: BTreeMap<_, _> =
            figures(other_case, other).filter(|(_, figure)| *figure > 0.0).collect();
        let ratios =
            figures(case, server).filter_map(|(round, figure)| Some(figure / others.get(&round)?));
        median(ratios.collect())
    }

    fn case(&self, case: &str) -> impl Iterator<Item = &'s Sample> {
        self.samples.iter().filter(move |it| it.kind == self.kind && it.case == case)
    }
}

impl Target {
    /// Met or missed, and the limit; a column other than the first is named.
    pub(super) fn verdict(self, heading: &str, value: f64, ratio: Option<f64>) -> String {
        let within = |value: Option<f64>, limit: Option<f64>| {
            value.zip(limit).is_some_and(|(value, limit)| value <= limit)
        };
        let met = within(Some(value), self.at_most) || within(ratio, self.times_raw);
        let limits =
            [self.at_most.map(number), self.times_raw.map(|times| format!("{times} × raw"))];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        let heading = if self.column == 0 { String::new() } else { format!("{heading} ") };
        format!("{}: {heading}≤ {}", if met { "✓ met" } else { "✗ missed" }, limits.join(" or "))
    }
}

/// The middle value; of an even number, the mean of the two in the middle.
pub(super) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// As many digits as mean something, with commas between thousands.
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
    // Writing to a string does not fail.
    let _ = writeln!(text, "{words}");
}
