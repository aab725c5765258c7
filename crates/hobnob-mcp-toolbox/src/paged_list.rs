//! A sorted list that clients page through. The inventory has one for each kind of item.
//!
//! Items are sorted by key. A cursor names the last key seen, so pages neither repeat nor skip an
//! item that stays, even if others are added or removed meanwhile.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hobnob_mcp_engine::{CallError, ListPage};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// An item of a `*/list` result.
pub(crate) trait Listed {
    /// Its entry in the list, as JSON text.
    fn listing(&self) -> &str;
}

/// Registered items of one kind, by name or URI.
pub(crate) struct PagedList<T> {
    /// The member of the result that holds the list; it is also part of every cursor.
    name: &'static str,
    items: BTreeMap<Box<str>, Arc<T>>,
}

impl<T: Listed> PagedList<T> {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, items: BTreeMap::new() }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Arc<T>> {
        self.items.get(key)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Arc<T>)> {
        self.items.iter().map(|(key, item)| (&**key, item))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds an item; `false` if it replaced another one.
    pub(crate) fn insert(&mut self, key: &str, item: Arc<T>) -> bool {
        self.items.insert(key.into(), item).is_none()
    }

    /// Whether a client would see no difference between the two lists.
    pub(crate) fn looks_like(&self, other: &Self) -> bool {
        let mine = self.iter().map(|(_, item)| item.listing());
        mine.eq(other.iter().map(|(_, item)| item.listing()))
    }

    /// The result with one page of the list.
    pub(crate) fn page(&self, cursor: Option<&str>, size: usize) -> Result<String, CallError> {
        let after = cursor.map(|cursor| self.read_cursor(cursor)).transpose()?;
        let from = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut left = self.items.range::<str, _>((from, Bound::Unbounded)).peekable();
        let mut page = ListPage::new(self.name, size);
        let mut last = None;
        while let Some((key, _)) = left.next_if(|(_, item)| page.push(item.listing())) {
            last = Some(key);
        }
        let next = last.filter(|_| left.peek().is_some()).map(|key| self.write_cursor(key));
        Ok(page.finish(next.as_deref()))
    }

    fn write_cursor(&self, key: &str) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}\n{key}", self.name))
    }

    fn read_cursor(&self, cursor: &str) -> Result<Box<str>, CallError> {
        let text = URL_SAFE_NO_PAD.decode(cursor).ok();
        let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
        let key = text.as_deref().and_then(|text| text.strip_prefix(self.name)?.strip_prefix('\n'));
        key.map(Box::from).ok_or_else(|| {
            let list = self.name;
            CallError::params(format!(
                "`params.cursor` is not from the {list} list; ask again without one"
            ))
        })
    }
}
