//! Reads a suite's results: one folder per scenario, with one `checks.json` in each.
//!
//! A scenario passes only if at least one check succeeded and none failed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// The length of the time stamp at the end of a folder's name, with its dash.
const STAMP_LEN: usize = "-2026-01-01T00-00-00-000Z".len();

/// The results of one scenario.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) passed: usize,
    pub(crate) failures: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// One check. An unknown status, which a newer suite may add, counts for nothing.
#[derive(Deserialize)]
struct Check {
    id: String,
    status: String,
    #[serde(rename = "errorMessage")]
    error: Option<String>,
}

impl Scenario {
    /// Whether at least one check succeeded and none failed.
    pub(crate) fn holds(&self) -> bool {
        self.failures.is_empty() && 0 < self.passed
    }

    /// The number of checks with a verdict.
    pub(crate) fn total(&self) -> usize {
        self.passed + self.failures.len()
    }
}

/// All scenarios in a suite's output folder, by name. `side` is the prefix of their folders.
pub(crate) fn read(folder: &Path, side: &str) -> anyhow::Result<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    let entries = fs::read_dir(folder)
        .with_context(|| format!("the suite wrote nothing to {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let folder = entry.file_name();
        let Some(name) = folder.to_str().and_then(|it| scenario_name(it, side)) else { continue };
        // A scenario that was skipped or crashed leaves its folder empty.
        let text =
            fs::read_to_string(entry.path().join("checks.json")).unwrap_or_else(|_| "[]".into());
        let scenario = parse(name, &text).with_context(|| format!("results of {name}"))?;
        scenarios.push(scenario);
    }
    scenarios.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(scenarios)
}

/// The only scenario in a folder of its own.
pub(crate) fn read_one(name: &str, folder: &Path) -> anyhow::Result<Scenario> {
    // `auth/dpop` has a folder `auth` around its own.
    let group = name.split_once('/').map(|(group, _)| folder.join(group));
    let folder = group.filter(|group| group.is_dir()).unwrap_or_else(|| folder.into());
    let checks = fs::read_dir(&folder)?
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("checks.json")).ok())
        .next();
    // A suite that refused the scenario writes nothing, so nothing was proved.
    let text = checks.unwrap_or_else(|| "[]".into());
    parse(name, &text).with_context(|| format!("results of {name}"))
}

/// `server-tools-list-2026-…Z` is the scenario `tools-list` of the side `server-`.
pub(crate) fn scenario_name<'a>(folder: &'a str, side: &str) -> Option<&'a str> {
    let name = folder.get(..folder.len().checked_sub(STAMP_LEN)?)?;
    name.strip_prefix(side)
}

pub(crate) fn parse(name: &str, text: &str) -> anyhow::Result<Scenario> {
    let checks: Vec<Check> = serde_json::from_str(text)?;
    let messages = |status: &str| {
        let matching = checks.iter().filter(|check| check.status == status);
        matching
            .map(|check| match &check.error {
                // Only the first line: some checks list every message of the dialogue.
                Some(error) => {
                    format!("{}: {}", check.id, error.lines().next().unwrap_or_default())
                }
                None => check.id.clone(),
            })
            .collect::<Vec<_>>()
    };
    Ok(Scenario {
        name: name.into(),
        passed: messages("SUCCESS").len(),
        failures: messages("FAILURE"),
        warnings: messages("WARNING"),
    })
}

/// The server scenarios that a suite runs without scoring them, from its `list` command.
pub(crate) fn unscored(listing: &str) -> BTreeSet<&str> {
    let (_, extras) = listing.split_once("never scored").unwrap_or_default();
    extras
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- ")?.strip_suffix(" [server]"))
        .collect()
}
