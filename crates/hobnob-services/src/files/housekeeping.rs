//! Keeps the trash of granted folders within its limits: after deletions, and periodically while
//! the process runs.

use hobnob_machine::files::{GrantedFolders, TrashLimits};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Shortest time between two clean-ups that deletions cause.
const MIN_CLEAN_INTERVAL: Duration = Duration::from_secs(60);
/// Time between two periodic clean-ups, since trash also expires by age.
pub(super) const CLEAN_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Remembers when the trash was last cleaned.
#[derive(Debug, Default)]
pub(super) struct Housekeeping {
    last: Mutex<Option<Instant>>,
}

impl Housekeeping {
    /// Called after something was moved to the trash.
    pub(super) async fn after_deletion(&self, folders: &Arc<GrantedFolders>) {
        self.clean_if_due(folders, MIN_CLEAN_INTERVAL).await;
    }

    /// Removes what is over the limits of age and size, unless done less than `every` ago.
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
        let mut last = self.last.lock();
        let due = last.is_none_or(|last| every <= last.elapsed());
        if due {
            *last = Some(Instant::now());
        }
        due
    }
}
