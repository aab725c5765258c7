//! The cursor of an outline: where one part ended, as text that callers carry, sealed, to the next.
//!
//! Besides the last node it names the innermost branches around it, so that the next part can be
//! drawn without walking up to the root.

use crate::trees::SHOWN_BRANCHES;

/// The end of one part of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineCursor {
    /// The last node of the part.
    pub last: i64,
    /// How many branches are further out than the named ones.
    pub hidden: u64,
    /// The nodes whose branches contain the last node (itself too if it has siblings), outermost
    /// first.
    pub branches: Vec<i64>,
}

impl OutlineCursor {
    /// The unsealed cursor. Numbers have a fixed width: their size depends on other owners' data.
    pub fn to_text(&self) -> String {
        let mut text = format!("after-{:012x}-{:x}", self.last, self.hidden);
        for branch in &self.branches {
            text.push_str(&format!("-{branch:012x}"));
        }
        text
    }

    /// Parses such a text; `None` if this program did not write it.
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
