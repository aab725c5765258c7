//! The commit that `--version` of an optimised build names, in repositories of every kind.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

#[path = "../../build/commit.rs"]
mod commit;

/// Runs git as if nothing was configured, at a fixed time.
fn git(folder: &Path, arguments: &[&str]) {
    let date = "2026-11-18T12:00:00+0000";
    let mut git = Command::new("git");
    git.args(["-c", "user.name=ann", "-c", "user.email=ann@example.com"]).args(arguments);
    git.env("GIT_COMMITTER_DATE", date).env("GIT_AUTHOR_DATE", date);
    git.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    git.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    let output = git.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn write(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A repository with one commit.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["Cargo.toml", "Cargo.lock", "crates/one/src/main.rs", "docs/page.md"] {
        write(folder.path(), file, "one\n");
    }
    git(folder.path(), &["init", "-q", "-b", "topic/one"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-q", "-m", "one"]);
    folder
}

/// The hash without its mark, the mark, and the date.
fn described(root: &Path) -> (String, bool, String) {
    let text = commit::describe(root).unwrap();
    let (hash, date) = text.split_once(' ').unwrap();
    let clean = hash.strip_suffix("-dirty");
    (clean.unwrap_or(hash).to_owned(), clean.is_some(), date.to_owned())
}

#[test]
fn a_build_names_its_commit_and_whether_sources_were_changed_since() {
    let folder = repository();
    let root = folder.path();
    let (hash, dirty, date) = described(root);
    assert_eq!((hash.len(), dirty, &*date), (8, false, "2026-11-18"));
    // Neither is part of the program.
    write(root, "docs/page.md", "two\n");
    write(root, "crates/one/notes.txt", "two\n");
    assert_eq!(described(root), (hash.clone(), false, date.clone()));
    write(root, "crates/one/src/main.rs", "two\n");
    assert_eq!(described(root), (hash.clone(), true, date.clone()));
    git(root, &["commit", "-q", "-a", "-m", "two"]);
    let (other, dirty, _) = described(root);
    assert_ne!(other, hash);
    assert!(!dirty);
    git(root, &["pack-refs", "--all"]);
    assert_eq!(described(root).0, other);
    git(root, &["checkout", "-q", "--detach", "HEAD~1"]);
    assert_eq!(described(root).0, hash);
}

#[test]
fn a_commit_in_a_worktree_changes_a_watched_path() {
    let folder = repository();
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path().join("tree");
    git(folder.path(), &["pack-refs", "--all"]);
    git(folder.path(), &["worktree", "add", "-q", "-b", "two", root.to_str().unwrap()]);
    let watched = commit::watched(&root);
    assert!(watched.iter().all(|path| path.exists()), "{watched:?}");
    write(&root, "docs/page.md", "two\n");
    let branch = folder.path().canonicalize().unwrap().join(".git/refs/heads/two");
    assert!(watched.iter().any(|path| branch.starts_with(path)), "{watched:?}");
    assert!(watched.iter().any(|path| path.ends_with("worktrees/tree/HEAD")), "{watched:?}");
}

#[test]
fn sources_without_a_repository_of_their_own_have_no_commit() {
    let alone = tempfile::tempdir().unwrap();
    assert_eq!(commit::describe(alone.path()), None);
    assert!(commit::watched(alone.path()).is_empty());
    let other = repository();
    write(other.path(), "vendor/hobnob/Cargo.toml", "one\n");
    assert_eq!(commit::describe(&other.path().join("vendor/hobnob")), None);
    let empty = tempfile::tempdir().unwrap();
    git(empty.path(), &["init", "-q"]);
    assert_eq!(commit::describe(empty.path()), None);
}
