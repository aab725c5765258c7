//! Where a page of a numbered list ended, before it is sealed.
//!
//! Lists of memories, tasks and trees are in the order of numbers that all owners share, so the numbers
//! tell how much others store. What must stay true: nobody sees a cursor before it is sealed.

use crate::memory::{MemoryError, Page};
use crate::tasks::TaskError;
use crate::trees::{TreeError, TreeOutline};

/// What a page that ends with this number is followed by; sealed before anybody sees it. All are equally
/// long, since a seal does not hide a length.
pub fn cursor_at(number: i64) -> String {
    format!("after-{number:012x}")
}

/// The number of the cursor; nothing if it is none of ours.
pub fn number_in(cursor: &str) -> Option<i64> {
    let digits = cursor.strip_prefix("after-")?;
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    i64::from_str_radix(digits, 16).ok().filter(|_| plain)
}

/// A part of a list, which may say what comes next.
pub trait PartOfList {
    /// What the next part comes after.
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

/// A cursor that is none of this list's, as the error of a port.
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
