//! What every stage of the trial runs with: the servers, where they are installed, and the hub.

use std::path::PathBuf;

use super::home::{Home, Setup};
use super::promises::Promises;
use super::roster::Entry;
use crate::peers::Roster;

/// What was installed and built.
pub(crate) struct Prepared {
    /// The hub's program, as it was built.
    pub(crate) program: PathBuf,
    /// Where homes are made.
    pub(crate) folder: PathBuf,
    pub(crate) entries: Vec<Entry>,
    pub(crate) installed: Roster,
}

impl Prepared {
    /// A home for one stage, without anything of an earlier trial.
    pub(crate) fn home(&self, stage: &str, setup: Setup) -> anyhow::Result<Home> {
        let folder = self.folder.join(format!("home-{stage}"));
        Home::new(folder, &self.program, &self.entries, &self.installed, setup)
    }

    /// Notes which servers there are to try.
    pub(crate) fn check(&self, promises: &mut Promises) {
        let missing = self.installed.missing.keys();
        let missing = missing.map(|name| format!("{name} could not be installed"));
        let seen = format!("{} of {}", self.installed.installed.len(), self.entries.len());
        promises.check("every server is installed", seen, missing.collect());
    }
}
