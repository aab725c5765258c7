//! Opaque list cursors: callers carry one from page to page and learn nothing from it.
//!
//! Backends seal the cursors they return with the key of their store, and open those they receive.

mod key;
mod outline;
mod page;

pub use key::{CursorKey, ListOwner};
pub use outline::OutlineCursor;
pub use page::{ForeignCursor, PartOfList, cursor_at, number_in};
