//! Readers: a few connections, opened when they are needed, used on blocking threads.

use super::connection::{Use, connect};
use crate::error::StoreError;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Readers at once. More would only share the same cores.
const MOST: usize = 4;

/// The readers of a process.
#[derive(Debug)]
pub(super) struct Readers {
    file: PathBuf,
    free: Arc<Mutex<Vec<Connection>>>,
    seats: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(file: PathBuf) -> Self {
        Self { file, free: Arc::default(), seats: Arc::new(Semaphore::new(MOST)) }
    }

    /// Reads; everything that `work` sees is of one moment.
    pub(super) async fn read<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Connection) -> Result<T, E> + Send + 'static,
    {
        let seat = Arc::clone(&self.seats).acquire_owned().await;
        let seat = seat.map_err(|_| E::from(StoreError::Closed))?;
        let (free, file) = (Arc::clone(&self.free), self.file.clone());
        let done = tokio::task::spawn_blocking(move || {
            let _seat = seat;
            let kept = free.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = match kept {
                Some(connection) => connection,
                None => connect(&file, Use::Read)?,
            };
            let done = in_transaction(&connection, work);
            // One that is left inside a transaction would see the past for ever.
            if connection.is_autocommit() {
                free.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            }
            done
        });
        done.await.unwrap_or_else(|_| Err(StoreError::Failed("a read panicked".into()).into()))
    }
}

fn in_transaction<T, E: From<StoreError>>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = connection.unchecked_transaction().map_err(StoreError::from)?;
    work(&transaction)
}
