//! JSON web tokens: whatever looks like one is decoded, and must contain JSON objects.
//!
//! Triggered by `eyJ`, the beginning of every encoded object.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{base64url, begins_word, byte, ends_word, run_end, slice};

/// The longest part that is read.
const PART: usize = 16 * 1024;
/// A signature of the shortest algorithm has 32 bytes.
const SIGNATURE: usize = 22;

/// The token that begins with the header at `hit`: signed with three parts, encrypted with five.
pub(crate) fn find(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    if !begins_word(text, hit.start) {
        return None;
    }
    let header_end = run_end(text, hit.start, base64url, PART);
    let header = object(slice(text, hit.start..header_end))?;
    let payload = next_part(text, header_end)?;
    let third = next_part(text, payload.end)?;
    let end = if header.contains_key("enc") {
        let fourth = next_part(text, third.end)?;
        next_part(text, fourth.end)?.end
    } else {
        let signed = header.contains_key("alg") && SIGNATURE <= third.len();
        object(slice(text, payload)).filter(|_| signed)?;
        third.end
    };
    ends_word(text, end).then(|| RuleMatch::new(FindingKind::Jwt, hit.start..end))
}

fn next_part(text: &str, point: usize) -> Option<Range<usize>> {
    let start = point + 1;
    (byte(text, point) == Some(b'.')).then(|| start..run_end(text, start, base64url, PART))
}

fn object(part: &str) -> Option<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(part).ok()?;
    serde_json::from_slice(&bytes).ok()
}
