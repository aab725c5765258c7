//! Asks git for the commit of a source tree. The build script prints it, and the tests call it.
//!
//! What must stay true: sources that lie inside the repository of another project, or in none, have
//! no commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sources that the program is built from.
const SOURCES: [&str; 3] = ["crates", "Cargo.toml", "Cargo.lock"];

/// The files that a commit or a checkout changes in a repository: the branch, where it points, and
/// the same in other formats.
const REFERENCES: [&str; 4] = ["HEAD", "refs/heads", "packed-refs", "reftable"];

/// The commit and its date, such as `8d95b657 2026-11-18`; `8d95b657-dirty` if sources were changed
/// since.
pub(crate) fn describe(root: &Path) -> Option<String> {
    let root = own_repository(root)?;
    let commit = git(&root, &["log", "-1", "--abbrev=8", "--format=%h %cs"])?;
    let (hash, date) = commit.split_once(' ')?;
    let mut status = vec!["status", "--porcelain", "--untracked-files=no", "--"];
    status.extend(SOURCES);
    let dirty = if git(&root, &status)?.is_empty() { "" } else { "-dirty" };
    Some(format!("{hash}{dirty} {date}"))
}

/// The paths whose change may change the answer; empty without a repository. All of them exist,
/// since Cargo would take a missing path for a change.
pub(crate) fn watched(root: &Path) -> Vec<PathBuf> {
    let Some(root) = own_repository(root) else { return Vec::new() };
    let references = REFERENCES.into_iter().filter_map(|name| {
        // In a worktree, they are in different folders.
        let path = git(&root, &["rev-parse", "--git-path", name])?;
        Some(root.join(path))
    });
    let sources = SOURCES.into_iter().map(|name| root.join(name));
    references.chain(sources).filter(|path| path.exists()).collect()
}

/// The root, if it is the root of a repository.
fn own_repository(root: &Path) -> Option<PathBuf> {
    let root = fs::canonicalize(root).ok()?;
    let top = git(&root, &["rev-parse", "--show-toplevel"])?;
    (fs::canonicalize(top).ok()? == root).then_some(root)
}

/// The output of git; `None` if git fails or does not exist.
fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    let mut git = Command::new("git");
    // A hook of another repository may have started us.
    git.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    git.env("GIT_OPTIONAL_LOCKS", "0").arg("-C").arg(root).args(arguments);
    let output = git.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim_end().to_owned())
}
