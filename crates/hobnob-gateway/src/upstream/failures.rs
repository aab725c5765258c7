//! Failed starts on the disk: no later command or `hobnob serve` has to wait for a hanging server
//! as long again.
//!
//! One private file per server, named by its name and identity, since a changed entry is another
//! server. The files are only hints: one that cannot be read counts as absent.

use crate::background::BackgroundTasks;
use crate::upstream::configured::Configured;
use crate::upstream::shown_connections::ShownConnections;
use hobnob_config::{ConfiguredServer, Digest, Places};
use hobnob_disk::{FileMode, make_folder, write_atomic};
use hobnob_mcp_engine::Principal;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most failures stored; the oldest are removed.
const MAX_FILES: usize = 256;

/// The most bytes of a reason that are stored.
const MAX_REASON_BYTES: usize = 2000;

/// The backoff before anything waits for the server again: ten times as long as the failed start
/// took, doubled with each further failure, within these bounds.
const WAIT_FACTOR: u32 = 10;
const MIN_WAIT: Duration = Duration::from_secs(5);
const MAX_WAIT: Duration = Duration::from_secs(60 * 60);

/// One or more failed starts in a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartFailure {
    /// When the last start failed, in seconds since 1970.
    at: u64,
    /// The end of the backoff, in seconds since 1970.
    until: u64,
    /// The number of failures in a row.
    count: u32,
    /// The error of the last start, cut to a bounded length.
    pub(crate) why: String,
    /// The principal whose connection failed; empty for the owner of the hub.
    #[serde(default)]
    owner: String,
}

impl StartFailure {
    /// Records a start that just failed after `took`, following `before` if that failed too.
    pub(crate) fn new(
        before: Option<&Self>,
        now: SystemTime,
        took: Duration,
        owner: &Principal,
        why: &str,
    ) -> Self {
        let count = before.map_or(1, |before| before.count.saturating_add(1));
        let once = took.saturating_mul(WAIT_FACTOR).max(MIN_WAIT);
        let wait = once.saturating_mul(1 << (count - 1).min(16)).min(MAX_WAIT);
        let at = seconds(now);
        let end = why.floor_char_boundary(MAX_REASON_BYTES);
        let (until, owner) = (at.saturating_add(wait.as_secs()), owner.as_str().to_owned());
        Self { at, until, count, why: why[..end].into(), owner }
    }

    /// Whether a reader who sees these connections also sees this failure.
    pub(crate) fn is_shown(&self, shown: &ShownConnections) -> bool {
        let owner = match self.owner.as_str() {
            "" => Principal::anonymous(),
            name => Principal::named(name),
        };
        shown.include(&owner)
    }

    /// When the last start failed.
    pub(crate) fn at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.at)
    }

    /// Whether the backoff still lasts. A clock that was set back does not prolong it.
    pub(crate) fn holds(&self, now: SystemTime) -> bool {
        (self.at..self.until).contains(&seconds(now))
    }
}

fn seconds(moment: SystemTime) -> u64 {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The folder with one file per failing server.
#[derive(Debug, Clone)]
pub(crate) struct StartFailures {
    folder: PathBuf,
}

impl StartFailures {
    pub(crate) fn new(places: &Places) -> Self {
        Self { folder: places.state_dir.join("failures") }
    }

    /// The stored failure of a server, if any.
    pub(crate) fn load(&self, name: &str, identity: &Digest) -> Option<StartFailure> {
        let text = fs::read(self.file(name, identity)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// Stores a failed start, so that the next process knows of it too.
    pub(crate) fn store(&self, name: &str, identity: &Digest, failure: &StartFailure) {
        let stored = serde_json::to_vec(failure).map_err(std::io::Error::other).and_then(|text| {
            make_folder(&self.folder)?;
            write_atomic(&self.file(name, identity), &text, FileMode::Private)
        });
        match stored {
            Ok(()) => self.make_room(),
            Err(error) => tracing::warn!(server = name, %error, "cannot store the failed start"),
        }
    }

    /// Removes the failure of a server that has started since then.
    pub(crate) fn forget(&self, name: &str, identity: &Digest) {
        // If the file is missing, nothing has to be removed.
        drop(fs::remove_file(self.file(name, identity)));
    }

    fn file(&self, name: &str, identity: &Digest) -> PathBuf {
        let key = Digest::of_parts(["start failure", name, &identity.to_string()]);
        self.folder.join(format!("{key}.json"))
    }

    fn make_room(&self) {
        let Ok(files) = fs::read_dir(&self.folder) else { return };
        let age = |path: &Path| fs::metadata(path).and_then(|it| it.modified()).ok();
        let mut files: Vec<_> = files.filter_map(|it| Some(it.ok()?.path())).collect();
        if files.len() <= MAX_FILES {
            return;
        }
        files.sort_by_cached_key(|path| age(path));
        for oldest in &files[..files.len() - MAX_FILES] {
            drop(fs::remove_file(oldest));
        }
    }
}

/// The last failed start of one upstream, in this process or an earlier one.
pub(crate) struct FailureMemory {
    last: Mutex<Option<StartFailure>>,
    store: StartFailures,
    tasks: BackgroundTasks,
}

impl FailureMemory {
    /// Starts from the stored failure, if there is one.
    pub(super) fn new(
        store: StartFailures,
        tasks: BackgroundTasks,
        configured: &Configured,
    ) -> Self {
        let last = Mutex::new(store.load(configured.name.as_str(), &configured.identity));
        Self { last, store, tasks }
    }

    /// Stores a start that failed after `took`, so that later starts, in any process, know of it.
    pub(super) fn remember(
        &self,
        configured: Arc<Configured>,
        took: Duration,
        owner: &Principal,
        why: &str,
    ) {
        // If Hobnob stops before the server has answered, the server did nothing wrong.
        if self.tasks.stop.is_cancelled() {
            return;
        }
        let mut last = self.last.lock();
        let failure = StartFailure::new(last.as_ref(), SystemTime::now(), took, owner, why);
        *last = Some(failure.clone());
        let store = self.store.clone();
        self.tasks.tracker.spawn_blocking(move || {
            store.store(configured.name.as_str(), &configured.identity, &failure);
        });
    }

    /// Forgets the failure of a server that works.
    pub(super) fn forget(&self, configured: Arc<Configured>) {
        let mut last = self.last.lock();
        if last.take().is_some() {
            let store = self.store.clone();
            self.tasks.tracker.spawn_blocking(move || {
                store.forget(configured.name.as_str(), &configured.identity);
            });
        }
    }

    /// Whether the upstream failed to start lately, so that only calls that name it wait for it.
    pub(crate) fn is_recent(&self) -> bool {
        self.last.lock().as_ref().is_some_and(|failure| failure.holds(SystemTime::now()))
    }

    /// The failure, for readers who may see these connections.
    pub(crate) fn shown(&self, shown: &ShownConnections) -> Option<StartFailure> {
        self.last.lock().clone().filter(|failure| failure.is_shown(shown))
    }
}

/// Copies a server's stored start failure, or its absence, from one state folder to another.
pub fn carry_start_failure(from: &Places, to: &Places, server: &ConfiguredServer) {
    let (name, identity) = (server.name.as_str(), &server.identity);
    let to = StartFailures::new(to);
    match StartFailures::new(from).load(name, identity) {
        Some(failure) => to.store(name, identity, &failure),
        None => to.forget(name, identity),
    }
}

/// Removes a server's stored start failure because its cause is gone.
pub fn forget_start_failure(places: &Places, server: &ConfiguredServer) {
    StartFailures::new(places).forget(server.name.as_str(), &server.identity);
}

#[cfg(test)]
mod tests {
    use super::{MAX_WAIT, StartFailure};
    use crate::upstream::shown_connections::ShownConnections;
    use hobnob_mcp_engine::Principal;
    use std::time::{Duration, SystemTime};

    #[test]
    fn what_took_long_is_not_waited_for_again_for_long() {
        let (now, owner) = (SystemTime::now(), Principal::anonymous());
        let mut before: Option<StartFailure> = None;
        let mut last = Duration::ZERO;
        for (took, wanted) in [(0, 5), (0, 10), (30, 1200), (30, 2400), (30, 3600), (30, 3600)] {
            let failure = StartFailure::new(
                before.as_ref(),
                now,
                Duration::from_secs(took),
                &owner,
                "it hung",
            );
            let wait = Duration::from_secs(failure.until - failure.at);
            assert_eq!(wait, Duration::from_secs(wanted));
            assert!(last <= wait && wait <= MAX_WAIT);
            assert!(failure.holds(now) && !failure.holds(now + wait));
            assert!(!failure.holds(now - Duration::from_secs(100)), "the clock was set back");
            last = wait;
            before = Some(failure);
        }
    }

    #[test]
    fn a_long_reason_is_cut() {
        let why = "ä".repeat(5000);
        let owner = Principal::named("ann");
        let failure = StartFailure::new(None, SystemTime::now(), Duration::ZERO, &owner, &why);
        assert!(failure.why.len() <= 2000);
    }

    #[test]
    fn a_failure_on_the_disk_has_an_owner() {
        let failed = |owner: &Principal| {
            let failure = StartFailure::new(None, SystemTime::now(), Duration::ZERO, owner, "boom");
            let text = serde_json::to_string(&failure).unwrap();
            serde_json::from_str::<StartFailure>(&text).unwrap()
        };
        let (ann, nobody) = (Principal::named("ann"), Principal::anonymous());
        let old = r#"{"at":1,"until":2,"count":1,"why":"boom"}"#;
        let old: StartFailure = serde_json::from_str(old).unwrap();
        for (failure, to_ann, to_bob) in
            [(failed(&ann), true, false), (failed(&nobody), false, false), (old, false, false)]
        {
            let shown = |name| failure.is_shown(&ShownConnections::of(&Principal::named(name)));
            assert_eq!((shown("ann"), shown("bob")), (to_ann, to_bob), "{failure:?}");
            assert!(failure.is_shown(&ShownConnections::of(&nobody)));
        }
    }
}
