//! Cursors of lists: where a page ended, as text that says nothing.
//!
//! Lists of memories, tasks and trees are in the order of numbers that all owners share, so the numbers
//! tell how much others store. What must stay true: whoever carries a cursor learns nothing from it, and
//! it counts only for the owner and the list it was made for.

use super::convert::WorkError;
use super::store::SqliteStore;
use crate::StoreFuture;
use crate::cursors::{CursorKey, ListOwner};
use crate::error::StoreError;
use crate::keys::KeyRepository as _;
use crate::memory::{MemoryError, Page, PageRequest};
use crate::tasks::TaskError;
use crate::trees::{TreeError, TreeOutline};
use ring::rand::{SecureRandom as _, SystemRandom};
use rusqlite::Connection;

#[cfg(test)]
mod tests;

/// The name of the key, which all processes share.
const KEY: &str = "cursors";

/// What a page that ends with this number is followed by; sealed before anybody sees it. All are equally
/// long, since a seal does not hide a length.
pub(super) fn cursor_at(number: i64) -> String {
    format!("after-{number:012x}")
}

/// The number of the cursor; nothing if it is none of ours.
pub(super) fn number_in(cursor: &str) -> Option<i64> {
    let digits = cursor.strip_prefix("after-")?;
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    i64::from_str_radix(digits, 16).ok().filter(|_| plain)
}

/// A part of a list, which may say what comes next.
pub(super) trait PartOfList {
    /// What the next part comes after.
    fn next_mut(&mut self) -> &mut Option<String>;
}

impl<T> PartOfList for Page<T> {
    fn next_mut(&mut self) -> &mut Option<String> {
        &mut self.next
    }
}

impl PartOfList for TreeOutline {
    fn next_mut(&mut self) -> &mut Option<String> {
        &mut self.next
    }
}

/// A cursor that is none of this list's, as the error of a port.
#[derive(Debug, Clone, Copy)]
pub(super) struct ForeignCursor;

impl From<ForeignCursor> for MemoryError {
    fn from(_: ForeignCursor) -> Self {
        Self::BadCursor
    }
}

impl From<ForeignCursor> for TaskError {
    fn from(_: ForeignCursor) -> Self {
        Self::BadCursor
    }
}

impl From<ForeignCursor> for TreeError {
    fn from(_: ForeignCursor) -> Self {
        Self::BadCursor
    }
}

impl SqliteStore {
    /// Reads a part of a list: opens the cursor that it begins at, and seals the one that it ends with.
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
                    let opened = self.cursor_key().await?.open(&of, &sealed);
                    Some(opened.ok_or(ForeignCursor)?)
                }
                None => None,
            };
            let page = PageRequest { after, limit };
            let mut part: T = self.read(move |connection| work(connection, &page)).await?;
            if let Some(next) = part.next_mut() {
                *next = self.cursor_key().await?.seal(&of, next)?;
            }
            Ok(part)
        })
    }

    async fn cursor_key(&self) -> Result<&CursorKey, StoreError> {
        let made = self.cursors().get_or_try_init(|| async {
            let mut fresh = vec![0; 32];
            SystemRandom::new().fill(&mut fresh).map_err(|_| no_randomness())?;
            let bytes = self.get_or_create(KEY, fresh).await?;
            CursorKey::new(&bytes)
        });
        made.await
    }
}

fn no_randomness() -> StoreError {
    StoreError::Failed("the system gives no randomness".into())
}
