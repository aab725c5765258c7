//! The results of the suites: rows, the table, and the verdict.

use super::floors::{Floors, Tally};
use super::results::Scenario;

/// One line of the table.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) tally: Tally,
    scenarios: usize,
    checks: usize,
    required: Option<usize>,
}

impl Row {
    /// Sums up scenarios, and prints their failures and warnings at once.
    pub(crate) fn new(name: String, scenarios: &[&Scenario], required: Option<usize>) -> Self {
        for scenario in scenarios {
            if scenario.total() == 0 {
                eprintln!("  {name} / {}: NO CHECKS", scenario.name);
            }
            for failure in &scenario.failures {
                eprintln!("  {name} / {}: failed {failure}", scenario.name);
            }
            for warning in &scenario.warnings {
                eprintln!("  {name} / {}: warning {warning}", scenario.name);
            }
        }
        let tally = Tally {
            scenarios: scenarios.iter().filter(|scenario| scenario.holds()).count(),
            checks: scenarios.iter().map(|scenario| scenario.passed).sum(),
        };
        let checks = scenarios.iter().map(|scenario| scenario.total()).sum();
        Self { name, tally, scenarios: scenarios.len(), checks, required }
    }

    /// The row of the scenarios that are not scored, if there are any.
    pub(crate) fn unscored(suite: &str, scenarios: &[&Scenario]) -> Option<Self> {
        let name = format!("{suite} not scored");
        (!scenarios.is_empty()).then(|| Self::new(name, scenarios, None))
    }
}

/// Prints the table; fails if a row is below its target or its floor.
pub(crate) fn judge(rows: &[Row], floors: &Floors) -> anyhow::Result<()> {
    println!("\n{:<32}{:>12}{:>12}{:>9}", "suite", "scenarios", "checks", "target");
    let mut complaints = Vec::new();
    for row in rows {
        let scenarios = format!("{}/{}", row.tally.scenarios, row.scenarios);
        let checks = format!("{}/{}", row.tally.checks, row.checks);
        let target = row.required.map_or_else(|| "-".into(), |it| it.to_string());
        println!("{:<32}{scenarios:>12}{checks:>12}{target:>9}", row.name);
        if let Some(required) = row.required.filter(|it| row.tally.scenarios < *it) {
            let passed = row.tally.scenarios;
            complaints.push(format!("{}: {passed} of {required} scenarios", row.name));
        }
        complaints.extend(floors.complaint(&row.name, row.tally));
    }
    anyhow::ensure!(complaints.is_empty(), "below the target:\n  {}", complaints.join("\n  "));
    Ok(())
}
