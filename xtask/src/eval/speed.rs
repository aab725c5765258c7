//! `cargo xtask eval memory --speed`: the time of a question from the request to the answer, through
//! the protocol, in the program that `cargo build --release` makes.
//!
//! The memories and their vectors are made up, and the vectors are stored under the name of a real
//! model, which embeds the questions. Stores are filled once and kept below `target/eval`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::asked_hub::{AskedHub, QuestionCost};
use crate::process::{built_program, quiet, step};
use crate::workspace::Workspace;

/// Numbers of memories, each with the targets for the median of new questions, in milliseconds, of
/// the models that have one.
const TARGETS: [(usize, &str, f64); 2] = [(10_000, "minilm", 10.0), (100_000, "minilm", 16.0)];

/// Measured questions per store, and questions before the first measured one: they load the model
/// and fill caches.
const QUESTIONS: usize = 300;
const WARM_UP_QUESTIONS: usize = 30;

/// A model as `hobnob embeddings install` knows it, and where its files are.
pub(super) struct SpeedModel {
    pub(super) name: &'static str,
    /// The name that is stored with each vector.
    pub(super) id: &'static str,
    pub(super) files: PathBuf,
}

/// Prints a table of all models and store sizes.
pub(super) fn run(
    workspace: &Workspace,
    work: &Path,
    models: &[SpeedModel],
    sizes: &[usize],
) -> anyhow::Result<()> {
    let release = ["build", "--release", "--message-format", "json", "-p"];
    let build = |package: &str, name: &str, more: &[&str]| {
        built_program(workspace.cargo(release).arg(package).args(more), name)
    };
    let hobnob = build("hobnob", "hobnob", &["--bin", "hobnob"])?;
    let bench = build("hobnob-services", "bench_memory", &["--example", "bench_memory"])?;
    let mut rows = vec![
        "| model | memories | question | p50 ms | p95 ms | p50 CPU ms | resident MiB | target |"
            .to_owned(),
        "|---|---:|---|---:|---:|---:|---:|---|".to_owned(),
    ];
    for model in models {
        for memories in sizes {
            let home = work.join(format!("speed-{}-{memories}", model.name));
            fill(&bench, &home, model, *memories)?;
            let mut install = Command::new(&hobnob);
            install.args(["embeddings", "install", model.name, "--from"]).arg(&model.files);
            quiet(install.env("HOBNOB_HOME", &home).env("HOME", &home))?;
            let questions = questions(&bench, *memories)?;
            let mut hub = AskedHub::start(&hobnob, &home)?;
            let (warm_up, measured) = questions.split_at(WARM_UP_QUESTIONS);
            for question in warm_up {
                // This mode fails without a model.
                hub.ask(&json!({ "query": question["query"], "mode": "vector" }))?;
                hub.ask(question)?;
            }
            let (mut new, mut again) = (Vec::new(), Vec::new());
            for question in measured {
                new.push(hub.ask(question)?);
                again.push(hub.ask(question)?);
            }
            let resident = hub.resident_mib()?;
            let target = TARGETS
                .iter()
                .find(|(size, name, _)| (size, *name) == (memories, model.name))
                .map(|(.., limit)| *limit);
            for (question, costs, target) in
                [("new", new, target), ("asked again", again, None::<f64>)]
            {
                let case = format!("| {} | {memories} | {question}", model.name);
                rows.push(row(&case, costs, resident, target));
            }
        }
    }
    println!("{}", rows.join("\n"));
    Ok(())
}

/// Creates the home of a hub with this many memories, unless it is there.
fn fill(bench: &Path, home: &Path, model: &SpeedModel, memories: usize) -> anyhow::Result<()> {
    if home.exists() {
        return Ok(());
    }
    // A store that is half full after an interruption must not be measured.
    let part = home.with_extension("part");
    if part.exists() {
        fs::remove_dir_all(&part)?;
    }
    fs::create_dir_all(part.join("data"))?;
    let mut fill = Command::new(bench);
    fill.arg("fill").arg("--file").arg(part.join("data/hobnob.db"));
    fill.args(["--memories", &memories.to_string(), "--model", model.id]);
    step(&format!("a store with {memories} memories for {}", model.name), &mut fill)?;
    Ok(fs::rename(&part, home)?)
}

/// The arguments of distinct calls of `memory_recall`.
fn questions(bench: &Path, memories: usize) -> anyhow::Result<Vec<Value>> {
    let count = (WARM_UP_QUESTIONS + QUESTIONS).to_string();
    let mut questions = Command::new(bench);
    questions.args(["questions", "--memories", &memories.to_string(), "--count", &count]);
    let lines = quiet(&mut questions)?;
    Ok(lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn row(case: &str, costs: Vec<QuestionCost>, resident: f64, target: Option<f64>) -> String {
    let sorted = |time: fn(&QuestionCost) -> std::time::Duration| {
        let mut times: Vec<f64> = costs.iter().map(|it| time(it).as_secs_f64() * 1e3).collect();
        times.sort_unstable_by(f64::total_cmp);
        times
    };
    let (wall, cpu) = (sorted(|it| it.wall), sorted(|it| it.cpu));
    // The nearest-rank percentile.
    let percentile = |times: &[f64], percent: usize| {
        let rank = (times.len() * percent).div_ceil(100).max(1);
        times.get(rank - 1).copied().unwrap_or_default()
    };
    let median = percentile(&wall, 50);
    let target = target.map(|limit| {
        let verdict = if median <= limit { "✓ met" } else { "✗ missed" };
        format!("{verdict}: p50 ≤ {limit} ms")
    });
    format!(
        "{case} | {median:.1} | {:.1} | {:.1} | {resident:.0} | {} |",
        percentile(&wall, 95),
        percentile(&cpu, 50),
        target.unwrap_or_default(),
    )
}
