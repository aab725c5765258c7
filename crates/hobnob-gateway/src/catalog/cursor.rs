//! Cursors: where a page ended, in a form that outlives the snapshot it was cut from.
//!
//! `listing` writes and reads them. Clients send them back, so `decode` expects arbitrary text.

use super::entry::{EntryOwner, ListKind};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

/// Longer cursors cannot be Hobnob's: the longest part is the address of a resource.
const MAX_CURSOR_BYTES: usize = 64 << 10;

/// The cursor is not one of Hobnob's, or it belongs to another list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the cursor is not one of this list; ask again without one")]
pub struct BadCursor;

/// The last entry of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PagePosition {
    pub(super) owner: EntryOwner,
    pub(super) index: usize,
    pub(super) key: String,
}

impl PagePosition {
    pub(super) fn encode(&self, kind: ListKind) -> String {
        let server = match &self.owner {
            EntryOwner::BuiltIn => None,
            EntryOwner::Server(name) => Some(&**name),
        };
        let text = serde_json::json!([kind.member(), server, self.index, self.key]).to_string();
        BASE64_URL_SAFE_NO_PAD.encode(text)
    }

    pub(super) fn decode(kind: ListKind, cursor: &str) -> Result<Self, BadCursor> {
        if cursor.len() > MAX_CURSOR_BYTES {
            return Err(BadCursor);
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).map_err(|_| BadCursor)?;
        let fields: (String, Option<String>, usize, String) =
            serde_json::from_slice(&bytes).map_err(|_| BadCursor)?;
        let (list, server, index, key) = fields;
        if list != kind.member() {
            return Err(BadCursor);
        }
        let owner = server.map_or(EntryOwner::BuiltIn, |name| EntryOwner::Server(name.into()));
        Ok(Self { owner, index, key })
    }
}
