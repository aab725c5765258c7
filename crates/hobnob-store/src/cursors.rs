//! Where a page of a list ended, as text that callers carry to the next page and learn nothing from.
//!
//! Backends seal what they hand out with the key of their store, and open what comes back.

mod key;
mod outline;
mod page;

pub use key::{CursorKey, ListOwner};
pub use outline::OutlineCursor;
pub use page::{ForeignCursor, PartOfList, cursor_at, number_in};
