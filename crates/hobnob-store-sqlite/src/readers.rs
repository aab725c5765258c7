//! The pool of reader connections, opened when needed and used on blocking threads.
//!
//! Each read is one transaction, so it sees one consistent snapshot.

use super::connection::{ConnectionUse, connect};
use super::convert::{WorkError, store_error};
use super::presence::Presence;
use hobnob_store::StoreError;
use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Maximum number of concurrent readers; more would only share the same cores.
const MAX_READERS: usize = 4;

/// The readers of a process.
#[derive(Debug)]
pub(super) struct Readers {
    pool: Arc<Pool>,
    permits: Arc<Semaphore>,
}

/// The free connections. A read may outlive its caller, and so the store.
#[derive(Debug)]
struct Pool {
    free: Mutex<Vec<FreeReader>>,
    /// The last field, so that it is dropped after all connections.
    presence: Presence,
}

/// A connection that no read uses.
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

    /// Runs a read; `work` sees one consistent snapshot.
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

    /// Closes connections that were idle for `idle`, which frees their page caches.
    pub(super) fn release_idle(&self, idle: Duration) {
        self.pool.lock().retain(|reader| reader.since.elapsed() < idle);
    }
}

impl Pool {
    fn take(&self) -> Result<Connection, WorkError> {
        // Last in, first out: the connection used last has the most pages in its cache.
        let free = self.lock().pop();
        match free {
            Some(reader) => Ok(reader.connection),
            None => connect(self.presence.files().file(), ConnectionUse::Read),
        }
    }

    fn give_back(&self, connection: Connection) {
        // A connection left inside a transaction would keep its old snapshot for ever.
        if connection.is_autocommit() {
            self.lock().push(FreeReader { connection, since: Instant::now() });
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<FreeReader>> {
        self.free.lock()
    }
}

fn in_transaction<T, E: From<StoreError>>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, WorkError<E>>,
) -> Result<T, E> {
    let transaction = connection.unchecked_transaction().map_err(store_error)?;
    work(&transaction).map_err(WorkError::into_port)
}
