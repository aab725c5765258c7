//! Discord bot tokens: a user id in base64, a dot, a time, a dot, a signature.
//!
//! No word announces them, so the scanner runs this rule at every dot.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{base64url, begins_word, ends_word, run_end, run_start, slice};

const ID: std::ops::RangeInclusive<usize> = 22..=28;
const TIME: usize = 6;
const SIGNATURE: std::ops::RangeInclusive<usize> = 27..=45;

/// Every token of that form; no word announces them, so every dot is tried.
pub(crate) fn run(text: &str, report: &mut impl FnMut(RuleMatch)) {
    // Asked for every byte, so both dots are compared before anything else.
    let dots = |at: &[u8]| at[0] == b'.' && at[1 + TIME] == b'.';
    let places = text.as_bytes().windows(2 + TIME).enumerate().filter(|(_, at)| dots(at));
    places.filter_map(|(dot, _)| find(text, dot)).for_each(report);
}

/// The token whose dots are at `dot` and behind a time.
fn find(text: &str, dot: usize) -> Option<RuleMatch> {
    let second = dot + 1 + TIME;
    let start = run_start(text, dot, base64url, ID.end() + 1);
    let time = run_end(text, dot + 1, base64url, TIME);
    let end = run_end(text, second + 1, base64url, SIGNATURE.end() + 1);
    let lengths = ID.contains(&(dot - start)) && SIGNATURE.contains(&(end - second - 1));
    if time != second || !lengths || !begins_word(text, start) || !ends_word(text, end) {
        return None;
    }
    let id = URL_SAFE_NO_PAD.decode(slice(text, start..dot)).ok()?;
    let snowflake = (16..=20).contains(&id.len()) && id.iter().all(u8::is_ascii_digit);
    snowflake.then(|| RuleMatch::new(FindingKind::DiscordToken, start..end))
}
