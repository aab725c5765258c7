//! The handle everything goes through. Cheap to clone; the last one waits for the last write.

use super::file;
use super::readers::Readers;
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
    writer: Writer,
    readers: Readers,
    commits: watch::Sender<u64>,
}

impl SqliteStore {
    /// Opens the file, and makes it if it is not there. Blocks; done once at start.
    pub fn open(file: &Path) -> Result<Self, OpenError> {
        let connection = file::open(file)?;
        let commits = watch::Sender::new(0);
        let writer = Writer::start(connection, commits.clone())
            .map_err(|source| OpenError::Io { file: file.into(), source })?;
        let readers = Readers::new(file.into());
        Ok(Self(Arc::new(Inside { file: file.into(), writer, readers, commits })))
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

    /// Counts the commits of this process.
    pub(super) fn commits(&self) -> watch::Receiver<u64> {
        self.0.commits.subscribe()
    }
}
