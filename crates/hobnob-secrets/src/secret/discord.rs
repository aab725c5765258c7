//! Discord bot tokens: a user id in base64, a point, a time, a point, a signature.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::kind::Kind;
use crate::sighting::Sighting;
use crate::text::{base64url, begins_word, byte, ends_word, run_end, run_start, slice};

const ID: std::ops::RangeInclusive<usize> = 22..=28;
const TIME: usize = 6;
const SIGNATURE: std::ops::RangeInclusive<usize> = 27..=45;

/// Every token of that form; no word announces them, so every point is looked at.
pub(crate) fn run(text: &str, note: &mut impl FnMut(Sighting)) {
    text.match_indices('.').filter_map(|(point, _)| find(text, point)).for_each(note);
}

/// The token whose first point is at `point`.
fn find(text: &str, point: usize) -> Option<Sighting> {
    let second = point + 1 + TIME;
    if byte(text, second) != Some(b'.') {
        return None;
    }
    let start = run_start(text, point, base64url, ID.end() + 1);
    let time = run_end(text, point + 1, base64url, TIME);
    let end = run_end(text, second + 1, base64url, SIGNATURE.end() + 1);
    let lengths = ID.contains(&(point - start)) && SIGNATURE.contains(&(end - second - 1));
    if time != second || !lengths || !begins_word(text, start) || !ends_word(text, end) {
        return None;
    }
    let id = URL_SAFE_NO_PAD.decode(slice(text, start..point)).ok()?;
    let snowflake = (16..=20).contains(&id.len()) && id.iter().all(u8::is_ascii_digit);
    snowflake.then(|| Sighting::new(Kind::DiscordToken, start..end))
}
