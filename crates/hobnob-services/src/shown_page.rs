//! The wire form of a page of a list: the entries under the list's own name, their count, and the
//! cursor of the next page.
//!
//! Tasks, trees and sessions are listed with it.

use hobnob_store::memory::Page;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// A page of entries, with a cursor if there are more.
#[derive(Debug)]
pub(crate) struct ShownPage<'a, T> {
    list: &'static str,
    entries: Vec<T>,
    next_cursor: Option<&'a str>,
}

impl<'a, T> ShownPage<'a, T> {
    /// A complete list, without a next page.
    pub(crate) fn whole<R>(list: &'static str, all: &'a [R], show: impl Fn(&'a R) -> T) -> Self {
        Self { list, entries: all.iter().map(show).collect(), next_cursor: None }
    }

    /// One page of a list.
    pub(crate) fn of<R>(list: &'static str, page: &'a Page<R>, show: impl Fn(&'a R) -> T) -> Self {
        Self { next_cursor: page.next.as_deref(), ..Self::whole(list, &page.items, show) }
    }
}

impl<T: Serialize> Serialize for ShownPage<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry(self.list, &self.entries)?;
        map.serialize_entry("count", &self.entries.len())?;
        if let Some(cursor) = self.next_cursor {
            map.serialize_entry("next_cursor", cursor)?;
        }
        map.end()
    }
}
