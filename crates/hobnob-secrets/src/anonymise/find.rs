//! One pass over a text: each word, what the words before it say about it, and what in it is personal.
//!
//! A find begins where the one before ended, as if the text began there, and what stands before a find
//! is looked at as if the text ended there: what is right beside a find is found as well. Tokens of an
//! earlier pass stay as they are.

use std::cell::OnceCell;
use std::ops::Range;

use crate::text::listed_in_any_case;

use super::context::{assigned_to, named_after};
use super::cue::NameCue;
use super::known::NameFinder;
use super::word_scan::{PersonalFind, WordScan};
use super::words::{has_numbers, is_interesting, read_word, word_start};

/// Words before four numbers that are a version and no address.
const VERSIONS: &str = "version ver release build revision driver firmware swversion";

/// Calls `each` for everything personal in a stretch of a text, in order and without overlaps.
pub(super) fn find_personal(
    whole: &str,
    stretch: Range<usize>,
    names: &NameFinder,
    mut each: impl FnMut(PersonalFind),
) {
    let text = &whole[..stretch.end];
    let bytes = text.as_bytes();
    let mut known = Vec::new();
    names.find(text, stretch.start, &mut known);
    let escapes = OnceCell::new();
    // The first known name that was not passed yet; most texts have none.
    let mut ahead = 0;
    let nothing = stretch.start..stretch.start;
    let (mut before, mut previous) = (nothing.clone(), nothing);
    let (mut at, mut done) = (stretch.start, stretch.start);
    while let Some(start) = word_start(bytes, at) {
        let scanned = read_word(bytes, start);
        at = scanned.end;
        let word = start.max(done)..at;
        let first = ahead;
        while ahead < known.len() && known[ahead].0.start < at {
            ahead += 1;
        }
        let known = &known[first..ahead];
        let told = context(text, &before, &previous, &word);
        if told.is_some() || !known.is_empty() || is_interesting(scanned.seen) {
            let is_version = has_numbers(scanned.seen) && is_version(&text[previous.clone()]);
            let (seen, escapes) = (scanned.seen, &escapes);
            let scan = WordScan { whole, text, word, seen, known, is_version, escapes };
            done = scan.run(told, &mut each).max(done);
        }
        // A colon alone stands between a key and its value in JSON.
        if at - start != 1 || bytes[start] != b':' {
            (before, previous) = (previous, start..at);
        }
    }
}

fn is_version(before: &str) -> bool {
    listed_in_any_case(VERSIONS, before.trim_end_matches(':'))
}

/// What the words before it say about a word.
fn context(
    text: &str,
    before: &Range<usize>,
    previous: &Range<usize>,
    word: &Range<usize>,
) -> Option<NameCue> {
    // Asked for every word, so it is decided by bytes.
    let bytes = text.as_bytes();
    let gap = bytes.get(previous.end..word.start)?;
    let key = &bytes[previous.clone()];
    let colon = key.last() == Some(&b':');
    if gap == b" " && !colon {
        return match key {
            b"user" => named_after(&text[before.clone()]),
            b"for" => bytes[word.end..].starts_with(b" from ").then_some(NameCue::USER),
            _ => None,
        };
    }
    let assigned = colon || gap.len() <= 6 && gap.iter().any(|it| matches!(it, b'=' | b':'));
    let between = |it: &u8| matches!(it, b'=' | b':' | b'"' | b'\'' | b' ');
    let key = &text[previous.clone()];
    (assigned && gap.iter().all(between)).then(|| assigned_to(key.trim_end_matches(':')))?
}
