//! Looks at everything, prints what it finds, fails if that is anything at all.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::source::Source;
use super::{arrows, bans, markdown, shape};
use crate::process::quiet;
use crate::workspace::Workspace;

/// `cargo xtask tidy` takes nothing.
#[derive(clap::Args)]
pub(crate) struct Args {}

/// Checks the whole repository.
pub(crate) fn run(_args: Args) -> anyhow::Result<()> {
    let workspace = Workspace::load()?;
    let files = files(&workspace)?;
    let mut findings = arrows::check(&workspace)?;
    let mut sources = 0;
    for path in &files {
        let whole = workspace.root.join(path);
        let extension = path.extension().and_then(|it| it.to_str());
        if !matches!(extension, Some("rs" | "md")) || !whole.exists() {
            continue;
        }
        let text = std::fs::read_to_string(&whole)
            .with_context(|| format!("cannot read {}", path.display()))?;
        if extension == Some("md") {
            findings.extend(markdown::check(path, &text, &workspace.root));
            continue;
        }
        sources += 1;
        match Source::parse(path, &text) {
            Ok(source) => {
                findings.extend(shape::check(&source));
                findings.extend(bans::check(&source));
            }
            Err(finding) => findings.push(finding),
        }
    }
    findings.extend(markdown::check_map(&workspace)?);
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    anyhow::ensure!(findings.is_empty(), "tidy: {} finding(s)", findings.len());
    eprintln!("✓ tidy, {sources} sources");
    Ok(())
}

/// Every file that git tracks or would: what is ignored is nobody's business.
fn files(workspace: &Workspace) -> anyhow::Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listing = quiet(git.current_dir(&workspace.root))?;
    Ok(listing.split_terminator('\0').map(PathBuf::from).collect())
}
