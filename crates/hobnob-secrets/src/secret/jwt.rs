//! JSON web tokens: candidates are decoded, and must contain JSON objects.
//!
//! Its trigger word is `eyJ`, the beginning of every base64-encoded JSON object.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{base64url, begins_word, byte, ends_word, run_end, slice};

/// Maximum length of one part.
const MAX_PART: usize = 16 * 1024;
/// Minimum length of a signature; a complete one has 43 base64url characters (32 bytes) or more.
const MIN_SIGNATURE: usize = 22;

/// Matches the token whose header is at `hit`: three parts if signed, five if encrypted.
pub(crate) fn find(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    if !begins_word(text, hit.start) {
        return None;
    }
    let header_end = run_end(text, hit.start, base64url, MAX_PART);
    let header = object(slice(text, hit.start..header_end))?;
    let payload = next_part(text, header_end)?;
    let third = next_part(text, payload.end)?;
    let end = if header.contains_key("enc") {
        let fourth = next_part(text, third.end)?;
        next_part(text, fourth.end)?.end
    } else {
        let signed = header.contains_key("alg") && MIN_SIGNATURE <= third.len();
        object(slice(text, payload)).filter(|_| signed)?;
        third.end
    };
    ends_word(text, end).then(|| RuleMatch::new(FindingKind::Jwt, hit.start..end))
}

fn next_part(text: &str, point: usize) -> Option<Range<usize>> {
    let start = point + 1;
    (byte(text, point) == Some(b'.')).then(|| start..run_end(text, start, base64url, MAX_PART))
}

fn object(part: &str) -> Option<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(part).ok()?;
    serde_json::from_slice(&bytes).ok()
}
