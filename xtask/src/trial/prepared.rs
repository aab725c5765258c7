//! What every stage of the trial needs: the servers, their installation, and the hub.

use std::path::PathBuf;

use super::home::{Home, Setup};
use super::promises::Promises;
use super::roster::Entry;
use crate::peers::Roster;

/// The installed servers and the hub.
pub(crate) struct Prepared {
    /// The program of the hub.
    pub(crate) program: PathBuf,
    /// The folder for homes.
    pub(crate) folder: PathBuf,
    pub(crate) entries: Vec<Entry>,
    pub(crate) installed: Roster,
}

impl Prepared {
    /// A new home for one stage, without remains of an earlier trial.
    pub(crate) fn home(&self, stage: &str, setup: Setup) -> anyhow::Result<Home> {
        let folder = self.folder.join(format!("home-{stage}"));
        Home::new(folder, &self.program, &self.entries, &self.installed, setup)
    }

    /// Records which servers are available.
    pub(crate) fn check(&self, promises: &mut Promises) {
        let missing = self.installed.missing.keys();
        let missing = missing.map(|name| format!("{name} could not be installed"));
        let seen = format!("{} of {}", self.installed.installed.len(), self.entries.len());
        promises.check("every server is installed", seen, missing.collect());
    }
}
