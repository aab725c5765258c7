//! One pass over a text: each word, its context, and the personal data in it.
//!
//! The text after a find is processed as if the text began there, and the text before a find as if
//! it ended there, so that adjacent finds are found as well. Tokens and marks of an earlier pass
//! stay unchanged.

use std::cell::OnceCell;
use std::ops::Range;

use crate::redaction::REDACTION_PREFIX;
use crate::text::listed_in_any_case;

use super::around::{Around, Gap, KEPT_WORDS};
use super::cue::NameCue;
use super::form::named_by_form;
use super::keys::named_by_key;
use super::known::NameFinder;
use super::sentence::named_by_words;
use super::word_scan::{PersonalFind, WordScan};
use super::words::{has_numbers, is_interesting, read_word, word_start};

/// Words before four numbers that make them a version instead of an address.
const VERSIONS: &str = "version ver release build revision driver firmware swversion";
/// Maximum length of a redaction mark.
const MAX_MARK: usize = 64;

/// Calls `each` for all personal data in a range of a text, in order and without overlaps.
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
    // The index of the next known name; most texts have none.
    let mut ahead = 0;
    let mut words: [Range<usize>; KEPT_WORDS] =
        std::array::from_fn(|_| stretch.start..stretch.start);
    let (mut at, mut done) = (stretch.start, stretch.start);
    while let Some(start) = word_start(bytes, at) {
        if let Some(end) = mark_end(text, start) {
            at = end;
            shift(&mut words, start..end);
            continue;
        }
        let scanned = read_word(bytes, start);
        at = scanned.end;
        let first = ahead;
        while ahead < known.len() && known[ahead].0.start < at {
            ahead += 1;
        }
        let word = start.max(done)..at;
        if word.start < word.end {
            let around = Around { text, words: &words, word: word.clone() };
            let gap = around.gap();
            let cue = if word.start == start { cue(&around, gap) } else { None };
            if cue.is_some() || first < ahead || is_interesting(scanned.seen) {
                let scan = WordScan {
                    whole,
                    text,
                    word,
                    seen: scanned.seen,
                    known: &known[first..ahead],
                    is_version: has_numbers(scanned.seen) && is_version(&around, gap),
                    escapes: &escapes,
                };
                done = scan.run(cue, &mut each).max(done);
            }
        }
        // A lone colon separates key and value in JSON, and a lone backslash escapes a quote.
        if !bytes[start..at].iter().all(|it| matches!(it, b':' | b'\\')) {
            shift(&mut words, start..at);
        }
    }
}

fn shift(words: &mut [Range<usize>; KEPT_WORDS], word: Range<usize>) {
    words.rotate_right(1);
    words[0] = word;
}

/// What the context of a word says about it.
fn cue(around: &Around<'_>, gap: Gap) -> Option<NameCue> {
    // This runs for every word; most are rejected here.
    let first = around.text.as_bytes()[around.word.start];
    if !first.is_ascii_alphanumeric() && first != b'_' && first < 128 {
        return None;
    }
    let by_form = named_by_form(around, gap);
    by_form.or_else(|| named_by_key(around, gap)).or_else(|| named_by_words(around, gap))
}

fn is_version(around: &Around<'_>, gap: Gap) -> bool {
    let key = around.key(0);
    gap != Gap::Other && listed_in_any_case(VERSIONS, key)
}

/// The end of a redaction mark, if one begins before this word.
fn mark_end(text: &str, word: usize) -> Option<usize> {
    let mark = text.get(word.checked_sub(1)?..)?;
    if !mark.starts_with(REDACTION_PREFIX) {
        return None;
    }
    let end = mark.as_bytes().iter().take(MAX_MARK).position(|it| *it == b']')?;
    Some(word + end)
}
