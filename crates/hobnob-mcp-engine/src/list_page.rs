//! One page of a `*/list` result, written entry by entry.
//!
//! The toolbox, the gateway's merged lists and `tasks/list` write theirs with it. A page always has
//! room for one entry, so a client that goes on from page to page gets to the end.

use hobnob_mcp_types::json::write_string;

/// A page ends before it gets bigger than this, whatever its number of entries. Many clients read
/// the first page only, so it holds all that can be sent at once: well below what transports take
/// for one message.
pub const MAX_PAGE_BYTES: usize = 4 << 20;

/// The result of a `*/list` request in the making.
#[derive(Debug)]
pub struct ListPage {
    body: String,
    entries: usize,
    max_entries: usize,
}

impl ListPage {
    /// An empty page; `list` is the member that holds the entries.
    pub fn new(list: &str, max_entries: usize) -> Self {
        let mut body = String::from("{");
        write_string(&mut body, list);
        body.push_str(":[");
        Self { body, entries: 0, max_entries }
    }

    /// Adds an entry, JSON text. `false` if the page is full and the entry belongs on the next one.
    pub fn push(&mut self, entry: &str) -> bool {
        if self.entries > 0 {
            let is_full = self.entries >= self.max_entries;
            if is_full || self.body.len() + entry.len() > MAX_PAGE_BYTES {
                return false;
            }
            self.body.push(',');
        }
        self.body.push_str(entry);
        self.entries += 1;
        true
    }

    /// The result's body, with the cursor of the next page if there is one.
    pub fn finish(mut self, next_cursor: Option<&str>) -> String {
        self.body.push(']');
        if let Some(cursor) = next_cursor {
            self.body.push_str(",\"nextCursor\":");
            write_string(&mut self.body, cursor);
        }
        self.body.push('}');
        self.body
    }
}
