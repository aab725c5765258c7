//! One page of a `*/list` result, written entry by entry.
//!
//! The toolbox, the gateway's merged lists and `tasks/list` use it. A page always takes at least
//! one entry, so a client that follows the cursors reaches the end.

use hobnob_mcp_types::json::write_string;

/// The size at which a page ends, even if it has room for more entries. Many clients read only the
/// first page, so it is as large as is safe: well below what transports accept for one message.
pub const MAX_PAGE_BYTES: usize = 4 << 20;

/// A page of a `*/list` result while it is being written.
#[derive(Debug)]
pub struct ListPage {
    body: String,
    entries: usize,
    max_entries: usize,
}

impl ListPage {
    /// An empty page; `list` is the name of the member that holds the entries.
    pub fn new(list: &str, max_entries: usize) -> Self {
        let mut body = String::from("{");
        write_string(&mut body, list);
        body.push_str(":[");
        Self { body, entries: 0, max_entries }
    }

    /// Adds an entry, which is JSON text. `false` if the page is full: the entry belongs on the
    /// next page.
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
