//! The signature in an Azure shared access signature URL.
//!
//! Its trigger word is `sig=`; the other parameters of the query confirm it.

use std::ops::Range;

use crate::composition::Composition;
use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{after, before, byte_before, run_end, slice};

/// How far away the other parameters of the query may be, in bytes.
const QUERY_REACH: usize = 512;
/// A signature is 32 bytes in base64, in which a URL may escape characters.
const LENGTHS: std::ops::RangeInclusive<usize> = 43..=80;

/// Matches `sig=…` near `sv=` and `se=`.
pub(crate) fn find_signature(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    if !matches!(byte_before(text, hit.start), Some(b'?' | b'&' | b';')) {
        return None;
    }
    let end = run_end(text, hit.end, escaped_base64, 128);
    let value = slice(text, hit.end..end);
    if !LENGTHS.contains(&value.len()) || Composition::of(value).distinct < 12 {
        return None;
    }
    let query_before = before(text, hit.start, QUERY_REACH);
    let query_after = after(text, end, QUERY_REACH);
    let has = |parameter: &str| query_before.contains(parameter) || query_after.contains(parameter);
    (has("sv=") && has("se=")).then(|| RuleMatch::new(FindingKind::AzureSasToken, hit.end..end))
}

fn escaped_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'+' | b'/' | b'=' | b'-' | b'_')
}
