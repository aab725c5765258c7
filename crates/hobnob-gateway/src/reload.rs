//! The configuration is read again when its files change, or when somebody says so.

use crate::gateway::Gateway;
use hobnob_config::{Fingerprint, Settings, process_environment};
use std::sync::Arc;
use std::time::Duration;

/// How often the files are looked at. A look is a few calls of `stat`; watching the folders
/// instead would mean watching the user's home.
const LOOK: Duration = Duration::from_secs(2);

impl Gateway {
    /// Looks until the gateway stops.
    pub(crate) async fn watch_files(self: Arc<Self>) {
        let mut seen = self.fingerprint();
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = self.reload.notified() => {}
                () = tokio::time::sleep(LOOK) => {
                    let now = self.fingerprint();
                    if now == seen {
                        continue;
                    }
                }
            }
            seen = self.fingerprint();
            self.read_again();
        }
    }

    /// The files as they are now; an approval counts like any other setting.
    fn fingerprint(&self) -> Fingerprint {
        let mut files = self.places.watched_files();
        files.push(self.places.approvals());
        Fingerprint::of(files)
    }

    /// Reads and applies. Only what changed is touched; what cannot be read stays as it was.
    pub fn read_again(self: &Arc<Self>) {
        let settings =
            Settings::load(&self.places.settings()).map_err(|problem| problem.to_string());
        let servers = self.config().servers.reload(&self.places, &process_environment);
        self.apply(settings, servers);
    }
}
