//! Discord bot tokens: a user id in base64, a dot, a timestamp, a dot, a signature.
//!
//! They have no fixed prefix, so the scanner tries this rule at every dot.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{base64url, begins_word, ends_word, run_end, run_start, slice};

const ID_LENGTHS: std::ops::RangeInclusive<usize> = 22..=28;
const TIME_LENGTH: usize = 6;
const SIGNATURE_LENGTHS: std::ops::RangeInclusive<usize> = 27..=45;

/// Reports every token of this form, trying every dot.
pub(crate) fn run(text: &str, report: &mut impl FnMut(RuleMatch)) {
    // This runs for every byte, so it first compares the two dots.
    let dots = |at: &[u8]| at[0] == b'.' && at[1 + TIME_LENGTH] == b'.';
    let places = text.as_bytes().windows(2 + TIME_LENGTH).enumerate().filter(|(_, at)| dots(at));
    places.filter_map(|(dot, _)| find(text, dot)).for_each(report);
}

/// Matches the token with its first dot at `dot`.
fn find(text: &str, dot: usize) -> Option<RuleMatch> {
    let second = dot + 1 + TIME_LENGTH;
    let start = run_start(text, dot, base64url, ID_LENGTHS.end() + 1);
    let time = run_end(text, dot + 1, base64url, TIME_LENGTH);
    let end = run_end(text, second + 1, base64url, SIGNATURE_LENGTHS.end() + 1);
    let lengths =
        ID_LENGTHS.contains(&(dot - start)) && SIGNATURE_LENGTHS.contains(&(end - second - 1));
    if time != second || !lengths || !begins_word(text, start) || !ends_word(text, end) {
        return None;
    }
    let id = URL_SAFE_NO_PAD.decode(slice(text, start..dot)).ok()?;
    let snowflake = (16..=20).contains(&id.len()) && id.iter().all(u8::is_ascii_digit);
    snowflake.then(|| RuleMatch::new(FindingKind::DiscordToken, start..end))
}
