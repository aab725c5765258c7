//! The configuration is read again when its files change, or when somebody says so.

use crate::gateway::Gateway;
use hobnob_config::{Approvals, Cause, Fingerprint, Problem, Settings, process_environment};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How often the files are checked. A look is a few calls of `stat`; watching the folders
/// instead would mean watching the user's home.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// The first and the longest wait before a file that could not be read is read again.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LAST_RETRY: Duration = Duration::from_secs(30);

impl Gateway {
    /// Looks until the gateway stops.
    pub(crate) async fn watch_files(self: Arc<Self>) {
        let mut seen = self.fingerprint();
        let mut retry = FIRST_RETRY;
        let mut next_retry = Instant::now() + retry;
        loop {
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = self.reload.notified() => {}
                () = tokio::time::sleep(CHECK_INTERVAL) => {
                    let due = self.config().unreadable && next_retry <= Instant::now();
                    if self.fingerprint() == seen && !due {
                        continue;
                    }
                }
            }
            seen = self.fingerprint();
            self.read_again();
            // What a lack of descriptors or memory kept us from reading changes no fingerprint
            // when it can be read again.
            retry = if self.config().unreadable { LAST_RETRY.min(retry * 2) } else { FIRST_RETRY };
            next_retry = Instant::now() + retry;
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
        let settings = Settings::load(&self.places.settings());
        let approvals = Approvals::load(&self.places.approvals());
        let mut unreadable = [settings.as_ref().err(), approvals.as_ref().err().map(|it| &it.0)]
            .into_iter()
            .flatten()
            .any(is_unreadable);
        let servers = {
            let mut config = self.config();
            config.take_approvals(approvals);
            let approvals = config.approvals.as_ref().ok();
            let servers = config.servers.reload(&self.places, &process_environment, approvals);
            unreadable |= servers.problems().iter().any(is_unreadable);
            config.unreadable = unreadable;
            servers
        };
        self.apply(settings.map_err(|problem| problem.to_string()), servers);
    }
}

fn is_unreadable(problem: &Problem) -> bool {
    problem.cause == Cause::Unreadable
}
