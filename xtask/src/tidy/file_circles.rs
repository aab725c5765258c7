//! Files of a crate that use each other in a cycle: one file that was cut in the wrong places.
//!
//! `command` runs it for each crate. One finding covers all files of a strongly connected
//! component, and lists every arrow between them, because any of them may be the one to reverse.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::file_arrows::{Arrow, arrows};
use super::finding::Finding;
use super::module_tree::{ModuleTree, Sources};
use super::source::Source;

/// The cycles of every crate below `crates/`, and of `xtask`.
pub(crate) fn check(sources: &[Source]) -> Vec<Finding> {
    let by_path: Sources<'_> = sources.iter().map(|it| (it.path.as_path(), it)).collect();
    let roots = sources.iter().filter(|source| is_root(&source.path));
    let trees = roots.map(|root| ModuleTree::read(root, &by_path));
    trees.flat_map(|tree| circles(&arrows(&tree))).collect()
}

/// Whether Cargo builds a library or a program from this file.
fn is_root(path: &Path) -> bool {
    let parts: Vec<_> = path.iter().filter_map(|part| part.to_str()).collect();
    let inside = match parts.as_slice() {
        ["crates", _, "src", inside @ ..] | ["xtask", "src", inside @ ..] => inside,
        _ => return false,
    };
    matches!(inside, ["lib.rs" | "main.rs"] | ["bin", _, "main.rs"])
        || matches!(inside, ["bin", file] if file.ends_with(".rs"))
}

/// One finding per strongly connected component.
fn circles(arrows: &[Arrow<'_>]) -> Vec<Finding> {
    let files: BTreeSet<_> = arrows.iter().map(|arrow| arrow.from).collect();
    let reach: BTreeMap<_, _> = files.iter().map(|file| (*file, reachable(arrows, file))).collect();
    let mut findings = Vec::new();
    let mut reported = BTreeSet::new();
    for (file, reached) in &reach {
        if !reached.contains(file) || reported.contains(file) {
            continue;
        }
        let back = |other: &&&Path| reach.get(**other).is_some_and(|it| it.contains(file));
        let cycle: BTreeSet<_> = reached.iter().filter(back).copied().collect();
        reported.extend(cycle.iter().copied());
        findings.extend(report(&cycle, arrows));
    }
    findings
}

fn reachable<'source>(arrows: &[Arrow<'source>], start: &Path) -> BTreeSet<&'source Path> {
    let mut reached = BTreeSet::new();
    let mut open = VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for arrow in arrows.iter().filter(|arrow| arrow.from == file) {
            if reached.insert(arrow.to) {
                open.push_back(arrow.to);
            }
        }
    }
    reached
}

fn report(cycle: &BTreeSet<&Path>, arrows: &[Arrow<'_>]) -> Option<Finding> {
    let inside = |arrow: &&Arrow<'_>| cycle.contains(arrow.from) && cycle.contains(arrow.to);
    let inside: Vec<_> = arrows.iter().filter(inside).collect();
    let circles = cycle.iter().filter_map(|file| shortest(&inside, file));
    let shortest = circles.min_by_key(Vec::len)?;
    let first = shortest.first()?;

    let folder = folder_above(cycle);
    let short = |path: &Path| path.strip_prefix(&folder).unwrap_or(path).display().to_string();
    let steps: Vec<_> = shortest.iter().map(|arrow| short(arrow.to)).collect();
    let mut message = format!(
        "{} files use each other in a circle ({} → {}): move what both need into a file of its \
         own, or let the caller pass it in; every arrow between them, below {}:",
        cycle.len(),
        short(first.from),
        steps.join(" → "),
        folder.display(),
    );
    for arrow in inside {
        let names: Vec<_> = arrow.names.iter().map(String::as_str).collect();
        let (from, to) = (short(arrow.from), short(arrow.to));
        message += &format!("\n    {from}:{} → {to}: {}", arrow.line, names.join(", "));
    }
    Some(Finding::new(first.from, first.line, message))
}

/// The shortest cycle through a file, by breadth-first search.
fn shortest<'arrow, 'source>(
    arrows: &[&'arrow Arrow<'source>],
    start: &Path,
) -> Option<Vec<&'arrow Arrow<'source>>> {
    let mut came: BTreeMap<&Path, &'arrow Arrow<'source>> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for arrow in arrows.iter().filter(|arrow| arrow.from == file) {
            if came.contains_key(arrow.to) {
                continue;
            }
            came.insert(arrow.to, arrow);
            open.push_back(arrow.to);
        }
    }
    let mut circle = vec![*came.get(start)?];
    while let Some(arrow) = circle.last().filter(|arrow| arrow.from != start) {
        circle.push(came.get(arrow.from)?);
    }
    circle.reverse();
    Some(circle)
}

/// The `src` folder that contains all of them.
fn folder_above(cycle: &BTreeSet<&Path>) -> PathBuf {
    let Some(first) = cycle.first() else { return PathBuf::new() };
    let depth = first.iter().position(|part| part == "src").map_or(0, |at| at + 1);
    first.iter().take(depth).collect()
}
