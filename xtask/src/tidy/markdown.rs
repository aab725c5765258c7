//! Checks documents against the tree that they describe.

use std::fs;
use std::path::Path;

use super::finding::Finding;
use crate::workspace::Workspace;

/// The map of the crates, and its maximum length.
const MAP: &str = "ARCHITECTURE.md";
const MAP_LINES: usize = 200;
/// Prefixes of repository paths in documents.
const ROOTS: [&str; 6] = ["crates/", "xtask/", "bench/", "fuzz/", "loom/", ".ci/"];

/// Checks that paths in backticks and relative links exist.
pub(crate) fn check(path: &Path, text: &str, root: &Path) -> Vec<Finding> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut findings = Vec::new();
    let mut fenced = false;
    for (line, content) in (1..).zip(text.lines()) {
        if content.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            let dead = walked(content).filter(|it| path == Path::new(MAP) && !is_file(root, it));
            let dead = dead.map(|it| format!("the walk names `{it}`, which is no file of a crate"));
            findings.extend(dead.map(|message| Finding::new(path, line, message)));
            continue;
        }
        let named = quoted(content).filter(|it| ROOTS.iter().any(|start| it.starts_with(start)));
        let named = named.filter(|it| !root.join(it).exists());
        let linked = links(content).filter(|it| !root.join(folder).join(it).exists());
        let dead = named.chain(linked).map(|it| format!("`{it}` does not exist"));
        findings.extend(dead.map(|message| Finding::new(path, line, message)));
    }
    let lines = text.lines().count();
    if path == Path::new(MAP) && MAP_LINES < lines {
        findings.push(Finding::new(path, 1, format!("{lines} lines, the limit is {MAP_LINES}")));
    }
    findings
}

/// Checks that the map exists and names every crate.
pub(crate) fn check_map(workspace: &Workspace) -> anyhow::Result<Vec<Finding>> {
    let path = Path::new(MAP);
    let whole = workspace.root.join(path);
    if !whole.exists() {
        return Ok(vec![Finding::new(path, 1, "the map is missing: write one")]);
    }
    let text = fs::read_to_string(whole)?;
    let names = workspace.packages.iter().map(|package| &package.name);
    let absent = names.filter(|name| !text.contains(&format!("`{name}`")));
    Ok(absent.map(|name| Finding::new(path, 1, format!("`{name}` is not on the map"))).collect())
}

/// Text in backticks that could be a path: without spaces or placeholders.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    let inside = line.split('`').skip(1).step_by(2);
    inside.filter(|it| it.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c)))
}

/// The files in a walk along arrows, such as `server/session` for `session.rs` of that crate.
fn walked(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split([' ', '→']).filter(|_| line.contains('→'));
    words.filter(|it| {
        it.contains('/') && it.chars().all(|c| c.is_ascii_lowercase() || "/_".contains(c))
    })
}

/// Whether `server/session` is a file of a protocol crate or of the product.
fn is_file(root: &Path, walked: &str) -> bool {
    let Some((name, file)) = walked.split_once('/') else { return false };
    let path = |family: &str| root.join(format!("crates/{family}-{name}/src/{file}.rs"));
    ["hobnob-mcp", "hobnob"].iter().any(|family| path(family).is_file())
}

/// Targets of relative links, without their anchors.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', '#', ' ']).next()?;
        (!target.is_empty() && !target.contains(':')).then_some(target)
    })
}
