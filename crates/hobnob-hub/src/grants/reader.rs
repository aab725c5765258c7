//! The grants as they are on the disk right now, for the machine services.
//!
//! Each check costs one `stat` of the file; the file is read again only if it has changed. A file
//! that cannot be trusted grants nothing, and the status says why.

use super::understand::understand;
use hobnob_config::{Fingerprint, GrantsFile, Places};
use hobnob_policy::GrantSet;
use hobnob_policy::audit::{AuditLog, AuditRecord};
use hobnob_services::GrantSource;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;

/// Reads the file of grants whenever it has changed.
pub(crate) struct GrantReader {
    file: GrantsFile,
    audit: Option<Arc<AuditLog>>,
    read: Mutex<ReadGrants>,
}

/// The result of the last read.
struct ReadGrants {
    seen: Fingerprint,
    grants: GrantSet,
    /// Why nothing is granted, if the file is at fault.
    problem: Option<String>,
    /// How many times the grants have changed.
    version: u64,
}

impl GrantReader {
    /// Reads the file for the first time.
    pub(crate) fn new(places: &Places, audit: Option<Arc<AuditLog>>) -> Self {
        let file = GrantsFile::new(&places.grants());
        let read = Mutex::new(read(&file, 0));
        Self { file, audit, read }
    }

    /// A number that grows with each change of the grants.
    pub(crate) fn version(&self) -> u64 {
        self.up_to_date().version
    }

    /// Why nothing is granted, if the file is at fault.
    pub(crate) fn problem(&self) -> Option<String> {
        self.up_to_date().problem.clone()
    }

    /// The current grants; reads the file again if it has changed.
    fn up_to_date(&self) -> MutexGuard<'_, ReadGrants> {
        let mut last = self.read.lock();
        if last.seen != Fingerprint::of([self.file.path()]) {
            *last = read(&self.file, last.version + 1);
            self.record();
        }
        last
    }

    fn record(&self) {
        if let Some(log) = &self.audit {
            log.notice(&AuditRecord::event("grants/changed"));
        }
    }
}

impl GrantSource for GrantReader {
    fn current(&self) -> GrantSet {
        self.up_to_date().grants.clone()
    }
}

fn read(file: &GrantsFile, version: u64) -> ReadGrants {
    // Taken before the contents: a change in between is noticed the next time.
    let seen = Fingerprint::of([file.path()]);
    let understood = match file.load() {
        Ok(entries) => understand(&entries).map_err(|error| {
            format!("{}: {error}; nothing is granted until it is corrected", file.path().display())
        }),
        Err(broken) => Err(broken.to_string()),
    };
    match understood {
        Ok(grants) => ReadGrants { seen, grants, problem: None, version },
        Err(problem) => {
            tracing::warn!(%problem, "grants");
            ReadGrants { seen, grants: GrantSet::nothing(), problem: Some(problem), version }
        }
    }
}
