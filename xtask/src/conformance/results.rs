//! Reading what a suite wrote: one folder per scenario, one `checks.json` in each.
//!
//! A scenario passes only if at least one check succeeded and none failed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// Length of the time stamp that ends a scenario's folder name, with its dash.
const STAMP: usize = "-2026-01-01T00-00-00-000Z".len();

/// One scenario as it went.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    pub(crate) passed: usize,
    pub(crate) failures: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// What a check came to. A status that a newer suite may add counts for nothing.
#[derive(Deserialize)]
struct Check {
    id: String,
    status: String,
    #[serde(rename = "errorMessage")]
    error: Option<String>,
}

impl Scenario {
    /// Whether it proved anything, and nothing to the contrary.
    pub(crate) fn holds(&self) -> bool {
        self.failures.is_empty() && 0 < self.passed
    }

    /// Checks that came to a verdict.
    pub(crate) fn total(&self) -> usize {
        self.passed + self.failures.len()
    }
}

/// All scenarios under a suite's output folder, by name. `side` is what their folders begin with.
pub(crate) fn read(folder: &Path, side: &str) -> anyhow::Result<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    let entries = fs::read_dir(folder)
        .with_context(|| format!("the suite wrote nothing to {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let folder = entry.file_name();
        let Some(name) = folder.to_str().and_then(|it| scenario_name(it, side)) else { continue };
        // A scenario that was skipped or blew up leaves its folder empty.
        let text =
            fs::read_to_string(entry.path().join("checks.json")).unwrap_or_else(|_| "[]".into());
        let scenario = parse(name, &text).with_context(|| format!("results of {name}"))?;
        scenarios.push(scenario);
    }
    scenarios.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(scenarios)
}

/// The one scenario that was run into a folder of its own.
pub(crate) fn read_one(name: &str, folder: &Path) -> anyhow::Result<Scenario> {
    // `auth/dpop` has a folder `auth` around its own.
    let group = name.split_once('/').map(|(group, _)| folder.join(group));
    let folder = group.filter(|group| group.is_dir()).unwrap_or_else(|| folder.into());
    let checks = fs::read_dir(&folder)?
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("checks.json")).ok())
        .next();
    // A suite that found the scenario out of place writes nothing, and nothing was proved.
    let text = checks.unwrap_or_else(|| "[]".into());
    parse(name, &text).with_context(|| format!("results of {name}"))
}

/// `server-tools-list-2026-…Z` is the scenario `tools-list` of the side `server-`.
pub(crate) fn scenario_name<'a>(folder: &'a str, side: &str) -> Option<&'a str> {
    let name = folder.get(..folder.len().checked_sub(STAMP)?)?;
    name.strip_prefix(side)
}

pub(crate) fn parse(name: &str, text: &str) -> anyhow::Result<Scenario> {
    let checks: Vec<Check> = serde_json::from_str(text)?;
    let messages = |status: &str| {
        let matching = checks.iter().filter(|check| check.status == status);
        matching
            .map(|check| match &check.error {
                // One line each: some checks list every message of the dialogue.
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

/// The server scenarios that a suite runs but does not score, from its `list` command.
pub(crate) fn unscored(listing: &str) -> BTreeSet<&str> {
    let (_, extras) = listing.split_once("never scored").unwrap_or_default();
    extras
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- ")?.strip_suffix(" [server]"))
        .collect()
}
