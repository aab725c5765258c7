//! The differences between two readings of the configuration, and a cheap test for changes.
//!
//! The gateway compares fingerprints every two seconds and on SIGHUP, and applies the differences.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::name::ServerName;
use crate::servers::{ConfiguredServer, Servers};

/// Whether a change affects a running server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The running server is no longer the configured one: replace it.
    Restart,
    /// Only limits, filters, roots or the start time differ: keep it running.
    Settings,
}

/// One difference between two readings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerChange {
    /// Only the new reading has the server.
    Added(ServerName),
    /// Only the old reading has the server.
    Removed(ServerName),
    /// Both readings have the server, but its entries differ.
    Changed {
        /// The name in both readings.
        name: ServerName,
        /// Whether a running server must be replaced.
        kind: ChangeKind,
    },
}

/// The differences by name; unchanged servers are left out.
pub fn compare(old: &Servers, new: &Servers) -> Vec<ServerChange> {
    let mut changes: Vec<(&ServerName, ServerChange)> = Vec::new();
    for server in new.iter() {
        let name = &server.name;
        match old.get(name.as_str()) {
            None => changes.push((name, ServerChange::Added(name.clone()))),
            Some(before) => {
                let change = |kind| (name, ServerChange::Changed { name: name.clone(), kind });
                changes.extend(difference(before, server).map(change));
            }
        }
    }
    let gone = old.iter().filter(|server| new.get(server.name.as_str()).is_none());
    changes.extend(gone.map(|it| (&it.name, ServerChange::Removed(it.name.clone()))));
    changes.sort_by_key(|(name, _)| *name);
    changes.into_iter().map(|(_, change)| change).collect()
}

fn difference(old: &ConfiguredServer, new: &ConfiguredServer) -> Option<ChangeKind> {
    // The origin and the digest decide whether an approval is needed, so their change is a restart.
    let moved = old.origin != new.origin || old.digest != new.digest || old.switch != new.switch;
    let restart = moved
        || match (&old.state, &new.state) {
            (Ok(old), Ok(new)) => old.target != new.target,
            (Err(old), Err(new)) => old != new,
            _ => true,
        };
    if restart {
        Some(ChangeKind::Restart)
    } else if old.state != new.state {
        Some(ChangeKind::Settings)
    } else {
        None
    }
}

/// The times, sizes and inodes of some files. Equal fingerprints mean equal contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    files: Vec<(PathBuf, Option<Stamp>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    inode: u64,
    /// The ctime, which changes even if only the permissions do.
    status_changed: (i64, i64),
}

impl Fingerprint {
    /// Takes the metadata of the files; a missing file counts too.
    pub fn of<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Self {
        let look = |file: P| (file.as_ref().to_owned(), stamp(file.as_ref()));
        Self { files: files.into_iter().map(look).collect() }
    }
}

fn stamp(file: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(file).ok()?;
    // Our own writes and most editors rename a new file into place, so the inode changes too.
    #[cfg(unix)]
    let (inode, status_changed) = {
        use std::os::unix::fs::MetadataExt as _;
        (metadata.ino(), (metadata.ctime(), metadata.ctime_nsec()))
    };
    #[cfg(not(unix))]
    let (inode, status_changed) = (0, (0, 0));
    let (modified, length) = (metadata.modified().ok(), metadata.len());
    Some(Stamp { modified, length, inode, status_changed })
}
