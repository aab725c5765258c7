//! Converts the export of `llvm-cov` to one row per crate.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// The part of the export that is used.
#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<File>,
}

#[derive(Deserialize)]
struct File {
    filename: String,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    lines: Lines,
}

/// The number of executable lines, and of executed ones.
#[derive(Deserialize, Default, Clone, Copy)]
struct Lines {
    count: u64,
    covered: u64,
}

/// Crates for tests and measurements: their lines are not part of the product.
const TOOLS: [&str; 2] = ["hobnob-mcp-testkit", "hobnob-mcp-fixtures"];

/// A Markdown table of the product's crates below `root`, with a sum.
pub(super) fn table(export: &str, root: &Path) -> anyhow::Result<String> {
    let export: Export = serde_json::from_str(export).context("llvm-cov's export")?;
    let mut crates: BTreeMap<String, Lines> = BTreeMap::new();
    let mut all = Lines::default();
    for file in export.data.iter().flat_map(|data| &data.files) {
        let Some(name) = product_crate(Path::new(&file.filename), root) else { continue };
        for sum in [crates.entry(name).or_default(), &mut all] {
            sum.count += file.summary.lines.count;
            sum.covered += file.summary.lines.covered;
        }
    }
    let mut text = "| crate | lines | covered |\n|---|---:|---:|\n".to_owned();
    let rows = crates.iter().map(|(name, lines)| (format!("`{name}`"), *lines));
    for (name, lines) in rows.chain([("all".to_owned(), all)]) {
        let percent = 100.0 * lines.covered as f64 / lines.count.max(1) as f64;
        writeln!(text, "| {name} | {} | {percent:.1} % |", lines.count)?;
    }
    Ok(text)
}

/// The crate of a file, unless the file is a test, an example or a tool.
fn product_crate(path: &Path, root: &Path) -> Option<String> {
    let parts: Vec<_> = path.strip_prefix(root).ok()?.iter().filter_map(|it| it.to_str()).collect();
    let ["crates", name, "src", inside @ ..] = parts.as_slice() else { return None };
    let test = inside.iter().any(|part| ["tests", "tests.rs"].contains(part));
    (!test && !TOOLS.contains(name)).then(|| (*name).to_owned())
}
