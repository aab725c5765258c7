//! The handle that implements every port. It is cheap to clone; dropping the last one waits for the
//! last write. The binary opens it once; every access to this folder goes through it.

use super::convert::WorkError;
use super::file::{OpenedFile, open};
use super::migrate::STEPS;
use super::readers::Readers;
use super::search::SearchCaches;
use super::writer::Writer;
use hobnob_store::cursors::CursorKey;
use hobnob_store::{Store, StoreError, StoreOpenError, StoreQuotas};
use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tokio::sync::{OnceCell, watch};

/// How long after a failure the next attempt to open the file is allowed.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// A store in one SQLite file. It implements every port.
#[derive(Debug, Clone)]
pub struct SqliteStore(Arc<StoreState>);

#[derive(Debug)]
struct StoreState {
    file: PathBuf,
    /// Unset until the file has been opened.
    opened: OnceLock<OpenStore>,
    /// Why the file is no longer used although it was opened.
    given_up: OnceLock<StoreError>,
    /// The last failed attempt to open the file; locked by the thread that tries.
    last_try: Mutex<Option<FailedTry>>,
    caches: Arc<SearchCaches>,
    /// Set once, when the settings are known.
    quotas: OnceLock<StoreQuotas>,
    commits: watch::Sender<u64>,
    /// The key that seals cursors, loaded on first use.
    cursors: OnceCell<CursorKey>,
}

/// The threads of an opened file.
#[derive(Debug)]
struct OpenStore {
    /// Dropped before the readers, which hold the mark that the store is open.
    writer: Writer,
    readers: Readers,
}

#[derive(Debug)]
struct FailedTry {
    at: Instant,
    why: StoreError,
}

impl SqliteStore {
    /// Opens the file, creating it if necessary. Blocks; called once at start.
    pub fn open(file: &Path) -> Result<Self, StoreOpenError> {
        Self::open_by(file, STEPS)
    }

    /// The same for a later version with additional steps; for tests of future migrations.
    #[cfg(any(test, feature = "suite"))]
    pub fn open_newer(file: &Path, steps: &[&str]) -> Result<Self, StoreOpenError> {
        Self::open_by(file, &[STEPS, steps].concat())
    }

    /// The same for a caller that can run without a store: if the file cannot be opened now, every
    /// operation fails with [`StoreError::Unavailable`], and later operations retry opening it. The
    /// returned error says why it is not open yet.
    pub fn open_or_retry(file: &Path) -> (Self, Option<StoreOpenError>) {
        let store = Self::on_demand(file);
        let error = store.0.begin(STEPS).err();
        if let Some(error) = &error {
            *store.0.lock() = Some(FailedTry { at: Instant::now(), why: unavailable(error) });
        }
        (store, error)
    }

    /// The same for a caller that may never use the store: the first operation opens the file,
    /// which is untouched before.
    pub fn on_demand(file: &Path) -> Self {
        Self(Arc::new(StoreState {
            file: file.into(),
            opened: OnceLock::new(),
            given_up: OnceLock::new(),
            last_try: Mutex::default(),
            caches: Arc::default(),
            quotas: OnceLock::new(),
            commits: watch::Sender::new(0),
            cursors: OnceCell::new(),
        }))
    }

    fn open_by(file: &Path, steps: &[&str]) -> Result<Self, StoreOpenError> {
        let store = Self::on_demand(file);
        store.0.begin(steps)?;
        Ok(store)
    }

    /// The threads of the store; tries to open the file if no attempt has succeeded yet.
    async fn opened(&self) -> Result<&OpenStore, StoreError> {
        if let Some(why) = self.0.given_up.get() {
            return Err(why.clone());
        }
        if let Some(opened) = self.0.opened.get() {
            return Ok(opened);
        }
        let inside = Arc::clone(&self.0);
        let tried = tokio::task::spawn_blocking(move || inside.try_again()).await;
        tried.unwrap_or_else(|_| Err(StoreError::Failed("opening the store panicked".into())))?;
        self.0.opened.get().ok_or(StoreError::Closed)
    }

    /// The path of the database, as given when it was opened.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// Runs a write on the writer thread; it is durable when the future completes.
    pub(super) async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, WorkError<E>> + Send + 'static,
    {
        self.opened().await?.writer.write(work).await
    }

    /// Runs a read on a blocking thread.
    pub(super) async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, WorkError<E>> + Send + 'static,
    {
        self.opened().await?.readers.read(work).await
    }

    /// Sets the quotas of owners in place of the defaults; only the first call has an effect.
    #[must_use]
    pub fn with_quotas(self, quotas: StoreQuotas) -> Self {
        let _only_once = self.0.quotas.set(quotas);
        self
    }

    pub(super) fn cursors(&self) -> &OnceCell<CursorKey> {
        &self.0.cursors
    }

    /// The quotas of owners.
    pub(super) fn quotas(&self) -> StoreQuotas {
        self.0.quotas.get().copied().unwrap_or_default()
    }

    /// The in-memory caches of search.
    pub(super) fn caches(&self) -> &Arc<SearchCaches> {
        &self.0.caches
    }

    /// Frees caches and connections that were not used for `idle`.
    pub(super) fn release_idle_memory(&self, idle: Duration) {
        self.caches().release_idle(idle);
        if let Some(opened) = self.0.opened.get() {
            opened.readers.release_idle(idle);
        }
    }

    /// A counter of the commits of this process.
    pub(super) fn commit_counter(&self) -> watch::Receiver<u64> {
        self.0.commits.subscribe()
    }
}

impl Store for SqliteStore {
    fn unavailable(&self) -> Option<StoreError> {
        if let Some(why) = self.0.given_up.get() {
            return Some(why.clone());
        }
        match self.0.opened.get() {
            Some(_) => None,
            None => self.0.lock().as_ref().map(|failed| failed.why.clone()),
        }
    }

    fn give_up(&self, why: &StoreError) {
        let why = format!("{why}; `hobnob restore --force FILE` puts a backup in its place");
        drop(self.0.given_up.set(StoreError::Unavailable(why)));
    }
}

impl StoreState {
    fn begin(&self, steps: &[&str]) -> Result<(), StoreOpenError> {
        let OpenedFile { connection, presence } = open(&self.file, steps)?;
        let writer = Writer::start(connection, self.commits.clone())
            .map_err(|source| StoreOpenError::Io { file: self.file.clone(), source })?;
        // Only one thread at a time gets here, and only while the store is not open.
        drop(self.opened.set(OpenStore { writer, readers: Readers::new(presence) }));
        Ok(())
    }

    /// Blocks, but does not wait for another thread that is already trying.
    fn try_again(&self) -> Result<(), StoreError> {
        let busy = || StoreError::Unavailable("it is being opened".into());
        let mut last = self.last_try.try_lock().ok_or_else(busy)?;
        if self.opened.get().is_some() {
            return Ok(());
        }
        if let Some(failed) = last.as_ref().filter(|failed| failed.at.elapsed() < RETRY_AFTER) {
            return Err(failed.why.clone());
        }
        match self.begin(STEPS) {
            Ok(()) => {
                tracing::info!(file = %self.file.display(), "the store can be used again");
                *last = None;
                Ok(())
            }
            Err(error) => {
                let why = unavailable(&error);
                *last = Some(FailedTry { at: Instant::now(), why: why.clone() });
                Err(why)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<FailedTry>> {
        self.last_try.lock()
    }
}

/// The same error without file names, since a caller may be remote.
fn unavailable(error: &StoreOpenError) -> StoreError {
    StoreError::Unavailable(match error {
        StoreOpenError::Newer { found, known, .. } => {
            format!("a newer Hobnob has written it (format {found}, this one knows {known})")
        }
        StoreOpenError::Unusable { reason, .. } => {
            format!("{reason}; `hobnob restore --force FILE` puts a backup in its place")
        }
        StoreOpenError::LogMissing { .. } => "it was not closed properly, and its log is missing; \
             `hobnob restore --force FILE` puts a backup in its place"
            .into(),
        StoreOpenError::Database { reason, .. } => reason.clone(),
        StoreOpenError::Io { source, .. } => source.to_string(),
        StoreOpenError::Store { source, .. } => source.to_string(),
    })
}
