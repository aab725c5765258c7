//! The signature of an Azure shared access signature.
//!
//! Triggered by `sig=`; only the other parameters of the query make it recognisable.

use std::ops::Range;

use crate::composition::Composition;
use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{after, before, byte_before, run_end, slice};

/// How far the other parameters of the query may be away.
const QUERY: usize = 512;
/// A signature is 32 bytes in base64, in which the URL may escape signs.
const LENGTHS: std::ops::RangeInclusive<usize> = 43..=80;

/// `sig=…` beside `sv=` and `se=`.
pub(crate) fn find_signature(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    if !matches!(byte_before(text, hit.start), Some(b'?' | b'&' | b';')) {
        return None;
    }
    let end = run_end(text, hit.end, escaped_base64, 128);
    let value = slice(text, hit.end..end);
    if !LENGTHS.contains(&value.len()) || Composition::of(value).distinct < 12 {
        return None;
    }
    let query_before = before(text, hit.start, QUERY);
    let query_after = after(text, end, QUERY);
    let has = |parameter: &str| query_before.contains(parameter) || query_after.contains(parameter);
    (has("sv=") && has("se=")).then(|| RuleMatch::new(FindingKind::AzureSasToken, hit.end..end))
}

fn escaped_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'+' | b'/' | b'=' | b'-' | b'_')
}
