//! The installed and the missing peers, for tests and for people.
//!
//! The interop tests read `peers.json` from the folder in `HOBNOB_PEERS`: a peer listed as
//! installed must be tested, and one listed as missing is skipped with the given reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;

/// The outcome of installing: Node, and each peer by its key.
#[derive(Serialize, Default)]
pub(crate) struct Roster {
    /// The Node that runs npm peers.
    pub(crate) node: Option<PathBuf>,
    /// The folder of each installed peer.
    pub(crate) installed: BTreeMap<&'static str, PathBuf>,
    /// Why each missing peer is missing.
    pub(crate) missing: BTreeMap<&'static str, String>,
}

impl Roster {
    /// Node and a peer's folder, or the reason why the peer cannot run.
    pub(crate) fn ready(&self, key: &str) -> Result<(&Path, &Path), String> {
        match (&self.node, self.installed.get(key)) {
            (Some(node), Some(folder)) => Ok((node, folder)),
            _ => Err(self.missing.get(key).cloned().unwrap_or_else(|| "not asked for".into())),
        }
    }

    /// Writes the list for the tests.
    pub(crate) fn publish(&self, folder: &Path) -> anyhow::Result<()> {
        let path = folder.join("peers.json");
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Prints every missing peer, in a frame that is hard to overlook.
    pub(crate) fn warn(&self) {
        if self.missing.is_empty() {
            return;
        }
        let rule = "!".repeat(78);
        eprintln!("\n{rule}\n!! NOT TESTED: {} peer(s) could not be installed", self.missing.len());
        for (key, reason) in &self.missing {
            let reason = reason.lines().collect::<Vec<_>>().join(" ");
            eprintln!("!!   {key}: {reason}");
        }
        eprintln!("{rule}");
    }
}
