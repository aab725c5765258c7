//! Folders for one run: settings and stores of the servers that it starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;

use crate::workspace::Workspace;

/// A folder for one purpose of this run, removed when it is dropped.
pub(super) struct Scratch {
    pub(super) root: PathBuf,
    made: AtomicUsize,
}

impl Scratch {
    pub(super) fn new(workspace: &Workspace, purpose: &str) -> anyhow::Result<Self> {
        let name = format!("{purpose}-{}", std::process::id());
        let root = workspace.target().join("bench").join(name);
        fs::create_dir_all(&root).with_context(|| format!("cannot create {}", root.display()))?;
        Ok(Self { root, made: AtomicUsize::new(0) })
    }

    /// A new, empty folder.
    pub(super) fn folder(&self) -> anyhow::Result<PathBuf> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let folder = self.root.join(number.to_string());
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A folder that cannot be removed stays under `target`, where it does no harm.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Writes a file and creates its folder.
pub(super) fn write(file: &Path, words: &str) -> anyhow::Result<()> {
    let folder = file.parent().context("a file is in a folder")?;
    fs::create_dir_all(folder)?;
    fs::write(file, words).with_context(|| format!("cannot write {}", file.display()))
}
