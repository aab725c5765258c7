//! Cursors of lists that are in the order of numbers: where a page ended, as text.
//!
//! Lists of tasks and of trees write and read them; callers only carry them.

/// What a page that ends with this number is followed by.
pub(super) fn cursor_at(number: i64) -> String {
    format!("after-{number:x}")
}

/// The number of the cursor; nothing if it is none of ours.
pub(super) fn number_in(cursor: &str) -> Option<i64> {
    let digits = cursor.strip_prefix("after-")?;
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    i64::from_str_radix(digits, 16).ok().filter(|_| plain)
}
