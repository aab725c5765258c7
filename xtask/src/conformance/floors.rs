//! The minimum number of scenarios and checks that each row of the table must pass.
//!
//! They are in `xtask/conformance-floors.json` and should only ever rise: a server that skips half
//! of a scenario keeps its ticks but loses checks. `--update` writes the current results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

/// The result of one row.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) scenarios: usize,
    pub(crate) checks: usize,
}

/// The minimum result of each row, by name.
#[derive(Serialize, Deserialize, Default, Debug)]
#[serde(transparent)]
pub(crate) struct Floors(pub(crate) BTreeMap<String, Tally>);

impl Floors {
    /// Reads the file; without a file there are no floors.
    pub(crate) fn load(root: &Path) -> anyhow::Result<Self> {
        let path = path(root);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = fs::read_to_string(&path)?;
        serde_json::from_str(&text).with_context(|| format!("{} is broken", path.display()))
    }

    /// Why a row is below its floor, if it is.
    pub(crate) fn complaint(&self, row: &str, tally: Tally) -> Option<String> {
        let floor = self.0.get(row)?;
        if floor.scenarios <= tally.scenarios && floor.checks <= tally.checks {
            return None;
        }
        Some(format!(
            "{row}: {} scenarios and {} checks passed, the floor is {} and {}",
            tally.scenarios, tally.checks, floor.scenarios, floor.checks
        ))
    }

    /// Replaces the floors with these results, and prints which ones sank.
    pub(crate) fn update(&mut self, root: &Path, rows: &[(String, Tally)]) -> anyhow::Result<()> {
        for (row, tally) in rows {
            if let Some(complaint) = self.complaint(row, *tally) {
                eprintln!("!! lowering a floor: {complaint}");
            }
            self.0.insert(row.clone(), *tally);
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(path(root), text).context("cannot write the floors")
    }
}

fn path(root: &Path) -> PathBuf {
    root.join("xtask/conformance-floors.json")
}
