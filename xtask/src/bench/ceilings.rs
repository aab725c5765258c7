//! The maximum number of instructions per call, as multiples of the bare loop's count.
//!
//! They are in `xtask/instruction-ceilings.json` and should only ever sink. They are multiples
//! because compiler, C library and processor features change both counts alike. `gate` compares
//! them, and `cargo xtask bench --ceilings update` writes new ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::table::number;

/// How far counts may differ between machines and runs without a real change.
const TOLERANCE: f64 = 1.02;

/// The counts of one case.
pub(super) struct Count {
    pub(super) case: String,
    pub(super) raw: f64,
    pub(super) ours: f64,
}

impl Count {
    fn times_raw(&self) -> f64 {
        self.ours / self.raw
    }
}

/// The maximum multiple for each case, by the case's name.
#[derive(Serialize, Deserialize, Default)]
#[serde(transparent)]
pub(super) struct Ceilings(pub(super) BTreeMap<String, f64>);

impl Ceilings {
    pub(super) fn load(root: &Path) -> anyhow::Result<Self> {
        let path = path(root);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is broken", path.display()))
    }

    pub(super) fn holds(&self, count: &Count) -> bool {
        self.0.get(&count.case).is_some_and(|ceiling| count.times_raw() <= *ceiling)
    }

    /// Prints one line per case. Fails if a count is above its ceiling, or if a case has only one
    /// of the two: the ceiling of a case that is no longer counted would hold for ever.
    pub(super) fn judge(&self, counts: &[Count]) -> anyhow::Result<()> {
        let mut complaints = String::new();
        for count in counts {
            let Count { case, raw, ours } = count;
            let (times, ours, raw) = (count.times_raw(), number(*ours), number(*raw));
            let found = format!("{case}: {ours} instructions per call, {times:.3} × raw ({raw})");
            match self.0.get(case) {
                Some(ceiling) if times <= *ceiling => {
                    eprintln!("  {found}, the ceiling is {ceiling} ×");
                }
                Some(ceiling) => {
                    add(&mut complaints, &format!("{found}, the ceiling is {ceiling} ×"))
                }
                None => add(&mut complaints, &format!("{found}, and there is no ceiling")),
            }
        }
        let counted = |case: &String| counts.iter().any(|count| count.case == *case);
        for case in self.0.keys().filter(|case| !counted(case)) {
            add(&mut complaints, &format!("{case}: has a ceiling and was not counted"));
        }
        anyhow::ensure!(
            complaints.is_empty(),
            "too many instructions per call:{complaints}{ADVICE}"
        );
        Ok(())
    }

    /// Replaces the ceilings with these counts, and prints which ones rose.
    pub(super) fn update(&mut self, root: &Path, counts: &[Count]) -> anyhow::Result<()> {
        let mut now = BTreeMap::new();
        for count in counts {
            let ceiling = (count.times_raw() * TOLERANCE * 1e3).ceil() / 1e3;
            match self.0.get(&count.case) {
                Some(before) if *before < ceiling => {
                    eprintln!(
                        "!! {}: the ceiling rises from {before} × to {ceiling} ×",
                        count.case
                    );
                }
                _ => eprintln!("  {}: the ceiling is now {ceiling} ×", count.case),
            }
            now.insert(count.case.clone(), ceiling);
        }
        self.0 = now;
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(path(root), text).context("cannot write the ceilings")
    }
}

const ADVICE: &str = "\nRun `valgrind --tool=callgrind` on `echo-server` before and after the \
    change to see which functions take them.\nIf the change is worth them, `cargo xtask bench \
    --ceilings update` writes new ceilings; say why in the commit.";

fn add(complaints: &mut String, line: &str) {
    // Writing to a string never fails.
    let _ = write!(complaints, "\n  {line}");
}

fn path(root: &Path) -> PathBuf {
    root.join("xtask/instruction-ceilings.json")
}
