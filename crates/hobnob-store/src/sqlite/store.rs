//! The handle everything goes through. Cheap to clone; the last one waits for the last write.

use super::file::{Opened, open};
use super::migrate::STEPS;
use super::readers::Readers;
use super::search::{Frequent, Vectors};
use super::writer::Writer;
use crate::error::{OpenError, StoreError};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

/// A store in one SQLite file. It implements every port.
#[derive(Debug, Clone)]
pub struct SqliteStore(Arc<Inside>);

#[derive(Debug)]
struct Inside {
    file: PathBuf,
    /// Ends before the readers, who hold what says that the store is open.
    writer: Writer,
    readers: Readers,
    vectors: Arc<Vectors>,
    frequent: Arc<Frequent>,
    commits: watch::Sender<u64>,
}

impl SqliteStore {
    /// Opens the file, and makes it if it is not there. Blocks; done once at start.
    pub fn open(file: &Path) -> Result<Self, OpenError> {
        Self::open_by(file, STEPS)
    }

    /// The same for a Hobnob that is newer by these steps; for tests of steps to come.
    #[cfg(any(test, feature = "suite"))]
    pub fn open_newer(file: &Path, steps: &[&str]) -> Result<Self, OpenError> {
        Self::open_by(file, &[STEPS, steps].concat())
    }

    fn open_by(file: &Path, steps: &[&str]) -> Result<Self, OpenError> {
        let Opened { connection, presence } = open(file, steps)?;
        let commits = watch::Sender::new(0);
        let writer = Writer::start(connection, commits.clone())
            .map_err(|source| OpenError::Io { file: file.into(), source })?;
        let readers = Readers::new(presence);
        Ok(Self(Arc::new(Inside {
            file: file.into(),
            writer,
            readers,
            vectors: Arc::default(),
            frequent: Arc::default(),
            commits,
        })))
    }

    /// Where it is.
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// Makes a write in the background; durable when this is ready.
    pub(crate) async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    {
        self.0.writer.write(work).await
    }

    /// Reads in the background.
    pub(crate) async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    {
        self.0.readers.read(work).await
    }

    /// Vectors that are kept in memory.
    pub(super) fn vectors(&self) -> &Arc<Vectors> {
        &self.0.vectors
    }

    /// Words that are kept in memory.
    pub(super) fn frequent(&self) -> &Arc<Frequent> {
        &self.0.frequent
    }

    /// Counts the commits of this process.
    pub(super) fn commits(&self) -> watch::Receiver<u64> {
        self.0.commits.subscribe()
    }
}
