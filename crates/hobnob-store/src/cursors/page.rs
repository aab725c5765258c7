//! The cursor of a numbered list, before it is sealed.
//!
//! Memories, tasks and trees are listed by row numbers that all owners share, so a number tells how
//! much other owners store. What must stay true: a cursor leaves the backend only sealed.

use crate::memory::{MemoryError, Page};
use crate::tasks::TaskError;
use crate::trees::{TreeError, TreeOutline};

/// The cursor behind a page that ends with this number, to be sealed. All cursors have the same
/// length, since sealing does not hide the length.
pub fn cursor_at(number: i64) -> String {
    format!("after-{number:012x}")
}

/// The number in a cursor; `None` if this program did not write it.
pub fn number_in(cursor: &str) -> Option<i64> {
    let digits = cursor.strip_prefix("after-")?;
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    i64::from_str_radix(digits, 16).ok().filter(|_| plain)
}

/// A page of a list, which may carry a cursor.
pub trait PartOfList {
    /// The cursor of the next page.
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

/// A cursor that does not belong to this list; each port converts it to its own error.
#[derive(Debug, Clone, Copy)]
pub struct ForeignCursor;

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
