//! Keeps the trash of granted folders within its limits: after deletions, and now and then while the
//! process runs.

use hobnob_machine::files::{GrantedFolders, TrashLimits};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How often deletions have the trash looked through, at most.
const AFTER_DELETIONS: Duration = Duration::from_secs(60);
/// How often it is looked through anyway, since what is in it grows old.
pub(super) const ALWAYS: Duration = Duration::from_secs(60 * 60);

/// When the trash was last looked through.
#[derive(Debug, Default)]
pub(super) struct Housekeeping {
    last: Mutex<Option<Instant>>,
}

impl Housekeeping {
    /// Called when something went into the trash.
    pub(super) async fn after_deletion(&self, folders: &Arc<GrantedFolders>) {
        self.clean_if_due(folders, AFTER_DELETIONS).await;
    }

    /// Removes what is too old or too much, unless that was done a moment ago.
    pub(super) async fn clean_if_due(&self, folders: &Arc<GrantedFolders>, every: Duration) {
        if !self.is_due(every) {
            return;
        }
        let folders = Arc::clone(folders);
        let clean = move || folders.clean_trash(TrashLimits::default(), SystemTime::now());
        match tokio::task::spawn_blocking(clean).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "old deletions were removed from the trash"),
            Err(error) => tracing::error!(%error, "the trash could not be looked through"),
        }
    }

    fn is_due(&self, every: Duration) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.is_none_or(|last| every <= last.elapsed());
        if due {
            *last = Some(Instant::now());
        }
        due
    }
}
