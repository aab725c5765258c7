//! Checks everything, prints the findings, and fails if there are any.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::finding::Finding;
use super::source::{Source, home};
use super::{
    arrows, bans, doc_words, file_circles, markdown, plain_words, profiles, rust_version, shape,
    type_names, wide_types,
};
use crate::process::quiet;
use crate::workspace::Workspace;

/// The arguments of `cargo xtask tidy`.
#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// Check only for circles of files, equal type names and short doc comments; sum up by crate.
    #[arg(long, alias = "new")]
    by_crate: bool,
}

/// Checks the whole repository.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let mut findings = arrows::check(&workspace)?;
    let mut sources = Vec::new();
    let manifest = std::fs::read_to_string(workspace.root.join("Cargo.toml"))?;
    let rust = rust_version::promised(&manifest).context("Cargo.toml has no `rust-version`")?;
    for path in files(&workspace)? {
        let whole = workspace.root.join(&path);
        let extension = path.extension().and_then(|it| it.to_str());
        if !matches!(extension, Some("rs" | "md" | "toml")) || !whole.exists() {
            continue;
        }
        let text = std::fs::read_to_string(&whole)
            .with_context(|| format!("cannot read {}", path.display()))?;
        if extension != Some("rs") {
            findings.extend(rust_version::check(&path, &text, rust));
        }
        if extension == Some("toml") {
            findings.extend(profiles::check(&path, &text));
            continue;
        }
        if extension == Some("md") {
            findings.extend(markdown::check(&path, &text, &workspace.root));
            continue;
        }
        match Source::parse(&path, &text) {
            Ok(source) => sources.push(source),
            Err(finding) => findings.push(finding),
        }
    }
    findings.extend(markdown::check_map(&workspace)?);
    findings.extend(sources.iter().flat_map(shape::check));
    findings.extend(sources.iter().flat_map(bans::check));
    findings.extend(sources.iter().flat_map(plain_words::check));
    if args.by_crate {
        return sum_up(&sources);
    }
    findings.extend(whole_tree(&sources).into_iter().flat_map(|(_, found)| found));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    anyhow::ensure!(findings.is_empty(), "tidy: {} finding(s)", findings.len());
    eprintln!("✓ tidy, {} sources", sources.len());
    Ok(())
}

/// The findings of the rules about the whole tree, each under a title.
fn whole_tree(sources: &[Source]) -> [(&'static str, Vec<Finding>); 4] {
    [
        ("circles of files", file_circles::check(sources)),
        ("equal type names", type_names::check(sources)),
        ("wide types", wide_types::check(sources)),
        ("short doc comments", sources.iter().flat_map(doc_words::check).collect()),
    ]
}

/// Prints the findings about the whole tree crate by crate, with their counts.
fn sum_up(sources: &[Source]) -> anyhow::Result<()> {
    let mut homes: BTreeMap<String, BTreeMap<&str, Vec<Finding>>> = BTreeMap::new();
    let mut total = 0;
    for (rule, findings) in whole_tree(sources) {
        total += findings.len();
        for finding in findings {
            let rules = homes.entry(home(&finding.path).display().to_string()).or_default();
            rules.entry(rule).or_default().push(finding);
        }
    }
    for (home, rules) in &mut homes {
        println!("\n# {home}");
        for (rule, findings) in rules {
            findings.sort();
            println!("\n## {home}: {}, {rule}", findings.len());
            findings.iter().for_each(|finding| println!("{finding}"));
        }
    }
    println!("\n# all");
    for (home, rules) in &homes {
        let counts: Vec<_> =
            rules.iter().map(|(rule, found)| format!("{}, {rule}", found.len())).collect();
        println!("{home}: {}", counts.join("; "));
    }
    anyhow::ensure!(total == 0, "tidy: {total} finding(s) about the tree as a whole");
    Ok(())
}

/// Every file that git tracks, and every untracked file that it does not ignore.
fn files(workspace: &Workspace) -> anyhow::Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listing = quiet(git.current_dir(&workspace.root))?;
    Ok(listing.split_terminator('\0').map(PathBuf::from).collect())
}
