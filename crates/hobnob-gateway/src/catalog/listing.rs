//! One list in order, and its pages.

use super::cursor::{BadCursor, PagePosition};
use super::entry::{EntryOwner, ListKind};
use hobnob_mcp_engine::ListPage;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

/// One page as JSON text, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageText {
    /// The result's body: `{"tools":[…],"nextCursor":"…"}`.
    pub body: Arc<str>,
    /// Where the next page begins; nothing on the last page.
    pub next_cursor: Option<Arc<str>>,
}

/// An entry at its place in the list.
#[derive(Debug, Clone)]
pub(super) struct ListedEntry {
    pub(super) key: Arc<str>,
    pub(super) json: Arc<str>,
    pub(super) owner: EntryOwner,
    /// Its position in its owner's list.
    pub(super) index: usize,
}

/// All entries of one kind, in order: by owner, then by index.
#[derive(Debug)]
pub(crate) struct OrderedList {
    kind: ListKind,
    entries: Vec<ListedEntry>,
    places: HashMap<Arc<str>, usize>,
    /// A cache: nearly every client asks for the first page only, and always with the same size.
    first: OnceLock<(NonZeroUsize, PageText)>,
}

impl PartialEq for OrderedList {
    /// Whether clients see no difference.
    fn eq(&self, other: &Self) -> bool {
        self.entries().eq(other.entries())
    }
}

impl OrderedList {
    /// Takes entries that are in order and have unique keys.
    pub(super) fn new(kind: ListKind, entries: Vec<ListedEntry>) -> Self {
        let places =
            entries.iter().enumerate().map(|(place, entry)| (entry.key.clone(), place)).collect();
        Self { kind, entries, places, first: OnceLock::new() }
    }

    /// The list with only the entries that `shows` accepts.
    pub(crate) fn filtered(&self, shows: impl Fn(&str) -> bool) -> Self {
        let entries = self.entries.iter().filter(|entry| shows(&entry.key));
        Self::new(self.kind, entries.cloned().collect())
    }

    /// The public keys and texts, in order.
    pub(crate) fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.entries.iter().map(|entry| (&*entry.key, &*entry.json))
    }

    /// The text of one entry, by its public name, address or pattern.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.entries.get(*self.places.get(key)?).map(|entry| &*entry.json)
    }

    /// One page. No cursor, or an empty one, is the first page.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        size: NonZeroUsize,
    ) -> Result<PageText, BadCursor> {
        match cursor {
            None | Some("") => {
                let (cached_size, page) = self.first.get_or_init(|| (size, self.render(0, size)));
                Ok(if *cached_size == size { page.clone() } else { self.render(0, size) })
            }
            Some(text) => {
                let position = PagePosition::decode(self.kind, text)?;
                Ok(self.render(self.after(&position), size))
            }
        }
    }

    /// The place after a position, even if the entry at that position is gone.
    fn after(&self, position: &PagePosition) -> usize {
        if let Some(place) = self.places.get(position.key.as_str()) {
            return place + 1;
        }
        // The entry that followed the lost one now has its index or a later one.
        let before =
            |entry: &ListedEntry| (&entry.owner, entry.index) < (&position.owner, position.index);
        self.entries.partition_point(before)
    }

    fn render(&self, start: usize, size: NonZeroUsize) -> PageText {
        let rest = self.entries.get(start..).unwrap_or_default();
        let mut page = ListPage::new(self.kind.member(), size.get());
        let taken = rest.iter().take_while(|entry| page.push(&entry.json)).count();
        let last = rest.get(..taken).and_then(<[ListedEntry]>::last).filter(|_| taken < rest.len());
        let next_cursor: Option<Arc<str>> = last.map(|last| self.cursor(last).into());
        PageText { body: page.finish(next_cursor.as_deref()).into(), next_cursor }
    }

    fn cursor(&self, last: &ListedEntry) -> String {
        let (owner, key) = (last.owner.clone(), last.key.to_string());
        PagePosition { owner, index: last.index, key }.encode(self.kind)
    }
}
