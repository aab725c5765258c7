//! Readers: a few connections, opened when they are needed, used on blocking threads.
//!
//! Each read is one transaction, so everything it sees is of one moment.

use super::connection::{ConnectionUse, connect};
use super::convert::{WorkError, store_error};
use super::presence::Presence;
use hobnob_store::StoreError;
use rusqlite::Connection;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Readers at once. More would only share the same cores.
const MAX_READERS: usize = 4;

/// The readers of a process.
#[derive(Debug)]
pub(super) struct Readers {
    pool: Arc<Pool>,
    permits: Arc<Semaphore>,
}

/// The connections that are free. A read may outlive whoever asked for it, and so the store.
#[derive(Debug)]
struct Pool {
    free: Mutex<Vec<FreeReader>>,
    /// Comes last, since it ends after all connections.
    presence: Presence,
}

/// A connection that nobody reads with.
#[derive(Debug)]
struct FreeReader {
    connection: Connection,
    since: Instant,
}

impl Readers {
    pub(super) fn new(presence: Presence) -> Self {
        let pool = Pool { free: Mutex::default(), presence };
        Self { pool: Arc::new(pool), permits: Arc::new(Semaphore::new(MAX_READERS)) }
    }

    /// Reads; everything that `work` sees is of one moment.
    pub(super) async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, WorkError<E>> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| E::from(StoreError::Closed))?;
        let pool = Arc::clone(&self.pool);
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let connection = pool.take().map_err(StoreError::from)?;
            let done = in_transaction(&connection, work);
            pool.give_back(connection);
            done
        });
        done.await.unwrap_or_else(|_| Err(StoreError::Failed("a read panicked".into()).into()))
    }

    /// Closes the connections that nobody has read with for so long, which gives back their pages.
    pub(super) fn release_idle(&self, idle: Duration) {
        self.pool.lock().retain(|reader| reader.since.elapsed() < idle);
    }
}

impl Pool {
    fn take(&self) -> Result<Connection, WorkError> {
        // The last one that was given back: it has most of the pages in memory.
        let free = self.lock().pop();
        match free {
            Some(reader) => Ok(reader.connection),
            None => connect(self.presence.files().file(), ConnectionUse::Read),
        }
    }

    fn give_back(&self, connection: Connection) {
        // One that is left inside a transaction would see the past for ever.
        if connection.is_autocommit() {
            self.lock().push(FreeReader { connection, since: Instant::now() });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<FreeReader>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_transaction<T, E: From<StoreError>>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, WorkError<E>>,
) -> Result<T, E> {
    let transaction = connection.unchecked_transaction().map_err(store_error)?;
    work(&transaction).map_err(WorkError::into_port)
}
