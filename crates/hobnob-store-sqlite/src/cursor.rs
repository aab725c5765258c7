//! Paginated reads whose cursors are sealed with the key of this store.
//!
//! What must stay true: a caller learns nothing from a cursor, and it works only for the owner and
//! the list it was made for.

use super::convert::WorkError;
use super::store::SqliteStore;
use hobnob_store::cursors::{CursorKey, ForeignCursor, ListOwner, PartOfList};
use hobnob_store::keys::KeyRepository as _;
use hobnob_store::memory::PageRequest;
use hobnob_store::{StoreError, StoreFuture};
use ring::rand::{SecureRandom as _, SystemRandom};
use rusqlite::Connection;

#[cfg(test)]
mod tests;

/// The name of the key, which all processes share.
const KEY: &str = "cursors";

impl SqliteStore {
    /// Reads one page: opens the cursor that it starts at, and seals the one that it ends with.
    pub(super) fn read_part<T, E, F>(
        &self,
        of: ListOwner,
        page: PageRequest,
        work: F,
    ) -> StoreFuture<'_, Result<T, E>>
    where
        T: PartOfList + Send + 'static,
        E: From<StoreError> + From<ForeignCursor> + Send + 'static,
        F: FnOnce(&Connection, &PageRequest) -> Result<T, WorkError<E>> + Send + 'static,
    {
        Box::pin(async move {
            let PageRequest { after, limit } = page;
            let after = match after {
                Some(sealed) => {
                    let opened = cursor_key(self).await?.open(&of, &sealed);
                    Some(opened.ok_or(ForeignCursor)?)
                }
                None => None,
            };
            let page = PageRequest { after, limit };
            let mut part: T = self.read(move |connection| work(connection, &page)).await?;
            if let Some(next) = part.next_mut() {
                *next = cursor_key(self).await?.seal(&of, next)?;
            }
            Ok(part)
        })
    }
}

/// The key of this store's cursors, made when it is first needed.
async fn cursor_key(store: &SqliteStore) -> Result<&CursorKey, StoreError> {
    let made = store.cursors().get_or_try_init(|| async {
        let mut fresh = vec![0; 32];
        SystemRandom::new().fill(&mut fresh).map_err(|_| no_randomness())?;
        match store.get_or_create(KEY, fresh.clone()).await {
            Ok(shared) => CursorKey::new(&shared),
            // If the key cannot be stored, cursors work in this process until it restarts.
            Err(StoreError::Unwritable(_)) => CursorKey::new(&fresh),
            Err(error) => Err(error),
        }
    });
    made.await
}

fn no_randomness() -> StoreError {
    StoreError::Failed("the system gives no randomness".into())
}
