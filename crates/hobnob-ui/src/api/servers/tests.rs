//! What is sent of a log.

use super::{MAX_LINES, MAX_LOG_BYTES, tail};

#[test]
fn the_last_lines_are_sent() {
    let lines = |range: std::ops::Range<usize>| {
        range.map(|number| format!("line {number}\n")).collect::<String>()
    };
    assert_eq!(tail(""), "");
    assert_eq!(tail("one"), "one");
    assert_eq!(tail(&lines(0..MAX_LINES)), lines(0..MAX_LINES));
    assert_eq!(tail(&lines(0..MAX_LINES + 5)), lines(5..MAX_LINES + 5));
    let unended = lines(0..MAX_LINES + 5);
    assert_eq!(tail(unended.trim_end()), lines(5..MAX_LINES + 5).trim_end());
    let long = "é".repeat(MAX_LOG_BYTES);
    assert_eq!(tail(&long).len(), MAX_LOG_BYTES);
}
