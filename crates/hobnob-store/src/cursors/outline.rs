//! Where a part of an outline ended, as text that callers carry, sealed, to the next part.
//!
//! Besides the last node it names the innermost branches there, so that the next part is drawn
//! without a way up to the root.

use crate::trees::SHOWN_BRANCHES;

/// The end of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineCursor {
    /// The last node of the part.
    pub last: i64,
    /// How many branches are further out than those named.
    pub hidden: u64,
    /// The nodes whose branches the last node is in, outermost first; itself if it is in one.
    pub branches: Vec<i64>,
}

impl OutlineCursor {
    /// The cursor before it is sealed. Every number is equally long: how large it is depends on what
    /// others store too.
    pub fn to_text(&self) -> String {
        let mut text = format!("after-{:012x}-{:x}", self.last, self.hidden);
        for branch in &self.branches {
            text.push_str(&format!("-{branch:012x}"));
        }
        text
    }

    /// The cursor of such a text; nothing if it is none of ours.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.strip_prefix("after-")?.split('-').map(number);
        let last = numbers.next()??;
        let hidden = numbers.next()??.unsigned_abs();
        let branches: Vec<i64> = numbers.collect::<Option<_>>()?;
        (branches.len() <= SHOWN_BRANCHES).then_some(Self { last, hidden, branches })
    }
}

fn number(digits: &str) -> Option<i64> {
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    i64::from_str_radix(digits, 16).ok().filter(|_| plain)
}
