//! Cursors of paginated reads, sealed with the key that all replicas share.
//!
//! What must stay true: a caller learns nothing from a cursor, and it works only for the owner and
//! the list it was made for.

use crate::store::PostgresStore;
use hobnob_store::StoreError;
use hobnob_store::cursors::{CursorKey, ForeignCursor, ListOwner, PartOfList};
use hobnob_store::keys::KeyRepository as _;
use hobnob_store::memory::PageRequest;
use ring::rand::{SecureRandom as _, SystemRandom};

/// The name of the key, which all replicas share.
const KEY: &str = "cursors";

impl PostgresStore {
    /// The page request with the cursor that was sealed in it.
    pub(crate) async fn open_cursor<E>(
        &self,
        of: &ListOwner,
        page: PageRequest,
    ) -> Result<PageRequest, E>
    where
        E: From<StoreError> + From<ForeignCursor>,
    {
        let PageRequest { after, limit } = page;
        let after = match after {
            Some(sealed) => {
                let opened = cursor_key(self).await?.open(of, &sealed);
                Some(opened.ok_or(ForeignCursor)?)
            }
            None => None,
        };
        Ok(PageRequest { after, limit })
    }

    /// The part with its cursor sealed.
    pub(crate) async fn seal_cursor<T: PartOfList, E: From<StoreError>>(
        &self,
        of: &ListOwner,
        part: Result<T, E>,
    ) -> Result<T, E> {
        let mut part = part?;
        if let Some(next) = part.next_mut() {
            *next = cursor_key(self).await?.seal(of, next)?;
        }
        Ok(part)
    }
}

/// The key of this store's cursors, made when it is first needed.
async fn cursor_key(store: &PostgresStore) -> Result<&CursorKey, StoreError> {
    let made = store.cursors().get_or_try_init(|| async {
        let mut fresh = vec![0; 32];
        let no_randomness = |_| StoreError::Failed("the system gives no randomness".into());
        SystemRandom::new().fill(&mut fresh).map_err(no_randomness)?;
        match store.get_or_create(KEY, fresh.clone()).await {
            Ok(shared) => CursorKey::new(&shared),
            // If the key cannot be stored, cursors work in this process until it restarts.
            Err(StoreError::Unwritable(_)) => CursorKey::new(&fresh),
            Err(error) => Err(error),
        }
    });
    made.await
}
