//! The words that set rules off, found in one pass, whatever their case.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::personal::email;
use crate::secret::{self, token};
use crate::sighting::Sighting;

/// A rule: looks around the word that was found, a bounded way, for what the word announces.
pub(crate) type Rule = fn(&str, Range<usize>) -> Option<Sighting>;

/// Runs every rule whose word occurs.
pub(crate) fn run(text: &str, note: &mut impl FnMut(Sighting)) {
    for hit in TRIGGERS.words.find_overlapping_iter(text) {
        let sighting = match &TRIGGERS.rules[hit.pattern().as_usize()] {
            Action::Token(token) => token.find(text, hit.range()),
            Action::Rule(rule) => rule(text, hit.range()),
        };
        sighting.into_iter().for_each(&mut *note);
    }
}

enum Action {
    Token(&'static token::Token),
    Rule(Rule),
}

struct Triggers {
    words: AhoCorasick,
    rules: Vec<Action>,
}

static TRIGGERS: LazyLock<Triggers> = LazyLock::new(|| {
    let tokens = token::all().map(|token| (token.mark(), Action::Token(token)));
    let rules = secret::RULES.iter().chain(email::RULES);
    let rules = rules.map(|(word, rule)| (*word, Action::Rule(*rule)));
    let (words, rules): (Vec<_>, Vec<_>) = tokens.chain(rules).unzip();
    let words = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words);
    let Ok(words) = words else {
        unreachable!("a few hundred short words are far below the automaton's limits")
    };
    Triggers { words, rules }
});
