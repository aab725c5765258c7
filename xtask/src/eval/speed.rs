//! `cargo xtask eval memory --speed`: the time of a new question from the request to the hits,
//! including its embedding, which `cargo xtask bench` leaves out.
//!
//! Stores are filled once and kept below `target/eval`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::process::{quiet, step};
use crate::workspace::Workspace;

/// Sizes of the stores, in memories.
const SIZES: [&str; 2] = ["10000", "100000"];
/// Measured questions for each size.
const QUESTIONS: &str = "300";

/// Prints a table: time of a question and resident memory, with and without the embedding.
pub(super) fn run(workspace: &Workspace, work: &Path, weights: &Path) -> anyhow::Result<()> {
    let bench = || {
        let mut command = workspace.cargo(["run", "--release", "--quiet", "-p", "hobnob-services"]);
        command.args(["--example", "bench_memory", "--"]);
        command
    };
    println!("| memories | question | p50 ms | p95 ms | resident MiB |\n|---|---|---|---|---|");
    for memories in SIZES {
        let folder = work.join(format!("speed-{memories}"));
        let file = folder.join("hobnob.db");
        if !file.exists() {
            // A store that is half full after an interruption must not be measured.
            let part = work.join(format!("speed-{memories}.part"));
            if part.exists() {
                fs::remove_dir_all(&part)?;
            }
            fs::create_dir_all(&part)?;
            let mut fill = bench();
            fill.arg("fill").arg("--file").arg(part.join("hobnob.db"));
            step("fill", fill.args(["--memories", memories]))?;
            fs::rename(&part, &folder)?;
        }
        let ask = |weights: Option<&Path>| -> anyhow::Result<Value> {
            let mut recall = bench();
            recall.arg("recall").arg("--file").arg(&file).args(["--memories", memories]);
            recall.args(["--count", QUESTIONS]);
            if let Some(weights) = weights {
                recall.arg("--weights").arg(weights);
            }
            Ok(serde_json::from_str(&quiet(&mut recall)?)?)
        };
        let (embedded, whole) = (ask(None)?, ask(Some(weights))?);
        for (name, figures) in [("embedded before", embedded), ("from the request", whole)] {
            let number = |key: &str| figures[key].as_f64().unwrap_or_default();
            println!(
                "| {memories} | {name} | {:.1} | {:.1} | {:.0} |",
                number("p50_us") / 1_000.0,
                number("p95_us") / 1_000.0,
                number("rss_kib") / 1_024.0
            );
        }
    }
    Ok(())
}
