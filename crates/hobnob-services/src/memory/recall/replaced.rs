//! Decides whether a newer text replaces an older one: the same statement with another value.
//!
//! `capture` marks the older memory by it, and recall puts the newer one first. A wrong answer hides
//! a true fact, so two texts must agree in all but one place, or the newer one must name the older
//! value ("no longer", "instead of"). Pure: it knows neither store nor clock.

use super::change_words::{CONTRASTS, LABELS, PAST, SINGLE_VALUED, UPDATES};
use super::statement::{Statement, Word, WordClass};

/// The share of the older text's words that the newer one must have, without numbers.
const MIN_NAMED_SHARE: f64 = 0.75;
/// The share of the older text's words that both must have.
const MIN_SHARED: f64 = 0.4;
/// Longer texts say more than one thing: the newer one would replace only a part.
const MAX_WORDS: usize = 60;

/// How sure it is that a newer text replaces an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::memory) enum Replacement {
    /// Both make the same statement with another value, but both may be true.
    Possible,
    /// The newer one says what is true now.
    Certain,
}

/// Whether `newer` replaces `older`; `None` if they state different things or the same thing.
pub(in crate::memory) fn replacement(older: &str, newer: &str) -> Option<Replacement> {
    let (older, newer) = (Statement::of(older), Statement::of(newer));
    compare(&older, &newer)
}

/// The same for texts that were read before.
pub(super) fn compare(older: &Statement, newer: &Statement) -> Option<Replacement> {
    if older.words.len() < 2 || MAX_WORDS < older.words.len() || MAX_WORDS < newer.words.len() {
        return None;
    }
    let shared = older.words.iter().filter(|word| newer.has(word)).count();
    let plain = |word: &&Word| word.class == WordClass::Plain;
    let shared_plain = older.words.iter().filter(plain).filter(|word| newer.has(word)).count();
    if shared_plain < 2 || (shared as f64) < MIN_SHARED * older.words.len() as f64 {
        return None;
    }
    let adds = newer.words.iter().any(|word| !older.has(word));
    let all_plain = older.words.iter().filter(plain).count();
    let named = MIN_NAMED_SHARE * all_plain as f64 <= shared_plain as f64;
    if newer.says(CONTRASTS) && !older.says(CONTRASTS) && named && adds && older.head_is_in(newer) {
        return Some(Replacement::Certain);
    }
    one_change(older, newer)
}

/// Whether a question asks for the past, so that an older memory may be the answer.
pub(super) fn asks_for_the_past(question: &str) -> bool {
    Statement::of(question).says(PAST)
}

/// The texts agree in all but one place, in which both have a value.
fn one_change(older: &Statement, newer: &Statement) -> Option<Replacement> {
    let change = older.only_change(newer)?;
    let (old, new) = (older.slice(&change.older), newer.slice(&change.newer));
    let has_cue = newer.says(UPDATES) && !older.says(UPDATES);
    let both = |class| old.iter().chain(new).all(|word| word.class == class);
    if both(WordClass::Value) {
        // A number at the beginning is a label: `ticket 4411`, `sprint 21`.
        let label = change.older.start < 2
            && change.older.end < older.words.len()
            && !old.first().is_some_and(|word| SINGLE_VALUED.contains(&word.before.as_str()));
        let label = label || old.first().is_some_and(|word| LABELS.contains(&word.before.as_str()));
        return if label && !has_cue { None } else { Some(Replacement::Certain) };
    }
    // `Android 9` and `iOS 15` are different things, each with a value of its own.
    let mixed = |words: &[Word]| {
        words.iter().any(|word| word.class == WordClass::Value)
            && words.iter().any(|word| word.class == WordClass::Plain)
    };
    if mixed(old) && mixed(new) && !has_cue {
        return None;
    }
    // What comes first is what the statement is about; in another order it says something else.
    if change.older.start == 0 || (change.is_reordered && !has_cue) {
        return None;
    }
    let single_valued =
        old.first().is_some_and(|word| SINGLE_VALUED.contains(&word.before.as_str()));
    Some(if has_cue || single_valued { Replacement::Certain } else { Replacement::Possible })
}

#[cfg(test)]
mod tests {
    use super::{Replacement, replacement};
    use serde_json::Value;

    /// In both halves, no look-alike is taken for a replacement, and three quarters of the
    /// replacements are found.
    #[test]
    fn replacements_are_told_from_pairs_that_only_look_alike() {
        let pairs = include_str!("../../../../../eval/replaced/pairs.jsonl");
        for half in ["tuning", "held out"] {
            let (mut found, mut all, mut wrong) = (0, 0, Vec::new());
            for line in pairs.lines() {
                let pair: Value = serde_json::from_str(line).unwrap();
                let text = |name: &str| pair[name].as_str().unwrap();
                if text("half") != half {
                    continue;
                }
                let is_certain =
                    replacement(text("older"), text("newer")) == Some(Replacement::Certain);
                match text("kind") {
                    "replaced" => {
                        all += 1;
                        found += usize::from(is_certain);
                    }
                    _ if is_certain => wrong.push(text("newer").to_owned()),
                    _ => {}
                }
            }
            assert_eq!(wrong, Vec::<String>::new(), "{half}");
            assert!(3 * all <= 4 * found, "{half}: {found} of {all}");
        }
    }

    #[test]
    fn the_same_and_other_statements_replace_nothing() {
        for (older, newer) in [
            ("The limit is 25 MB per file.", "The limit is 25 MB per file."),
            ("The limit is 25 MB per file.", "The limit is 25 MB per file, said Ada."),
            ("We ship to Norway.", "We ship to Sweden."),
            ("The master counts ship number 3.", "The master counts ship number 4."),
            ("", "The limit is 25 MB."),
            ("The limit is 25 MB per file.", ""),
        ] {
            assert_ne!(replacement(older, newer), Some(Replacement::Certain), "{older} {newer}");
        }
    }
}
