//! The port of memories, each method one job for the writer or a reader.

use super::{capture, change, clean, find, list};
use crate::Work;
use crate::error::StoreError;
use crate::memory::{
    Captured, Count, Edit, Filter, Gone, Memories, Memory, MemoryError, MemoryId, NewMemory, Page,
    Part, Past, Reach,
};
use crate::sqlite::SqliteStore;
use crate::time::Time;

impl Memories for SqliteStore {
    fn capture(&self, new: NewMemory) -> Work<'_, Result<Captured, StoreError>> {
        Box::pin(self.write(move |connection| Ok(capture::capture(connection, new)?)))
    }

    fn capture_all(&self, new: Vec<NewMemory>) -> Work<'_, Result<Vec<Captured>, StoreError>> {
        Box::pin(self.write(move |connection| {
            new.into_iter().map(|new| Ok(capture::capture(connection, new)?)).collect()
        }))
    }

    fn get(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<Option<Memory>, StoreError>> {
        Box::pin(self.read(move |connection| match find::find(connection, &reach, &id) {
            Ok(kept) => Ok(Some(kept.memory)),
            Err(MemoryError::Store(error)) => Err(error),
            Err(_) => Ok(None),
        }))
    }

    fn update(
        &self,
        reach: Reach,
        id: MemoryId,
        edit: Edit,
    ) -> Work<'_, Result<Memory, MemoryError>> {
        Box::pin(self.write(move |connection| change::update(connection, &reach, &id, edit)))
    }

    fn delete(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<Memory, MemoryError>> {
        Box::pin(self.write(move |connection| change::delete(connection, &reach, &id)))
    }

    fn restore(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<Memory, MemoryError>> {
        Box::pin(self.write(move |connection| change::restore(connection, &reach, &id)))
    }

    fn purge(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<(), MemoryError>> {
        Box::pin(self.write(move |connection| change::purge(connection, &reach, &id)))
    }

    fn supersede(
        &self,
        reach: Reach,
        old: Vec<MemoryId>,
        new: NewMemory,
    ) -> Work<'_, Result<Memory, MemoryError>> {
        Box::pin(self.write(move |connection| capture::supersede(connection, &reach, &old, new)))
    }

    fn history(&self, reach: Reach, id: MemoryId) -> Work<'_, Result<Vec<Past>, MemoryError>> {
        Box::pin(self.read(move |connection| change::history(connection, &reach, &id)))
    }

    fn list(
        &self,
        reach: Reach,
        filter: Filter,
        page: Page,
    ) -> Work<'_, Result<Part<Memory>, MemoryError>> {
        Box::pin(self.read(move |connection| list::list(connection, &reach, &filter, &page)))
    }

    fn count(&self, reach: Reach, filter: Filter) -> Work<'_, Result<u64, StoreError>> {
        Box::pin(self.read(move |connection| Ok(list::count(connection, &reach, &filter)?)))
    }

    fn namespaces(&self, reach: Reach, filter: Filter) -> Work<'_, Result<Vec<Count>, StoreError>> {
        Box::pin(self.read(move |connection| Ok(list::namespaces(connection, &reach, &filter)?)))
    }

    fn tags(
        &self,
        reach: Reach,
        prefix: String,
        most: usize,
    ) -> Work<'_, Result<Vec<Count>, StoreError>> {
        Box::pin(self.read(move |connection| Ok(list::tags(connection, &reach, &prefix, most)?)))
    }

    fn clean_up(&self, now: Time, keep_since: Time) -> Work<'_, Result<Gone, StoreError>> {
        Box::pin(clean::clean_up(self, now, keep_since))
    }
}
