//! The trigger words of all rules, found in one pass over the text, ignoring case.
//!
//! The scanner calls it. Each rule then reads only a bounded part of the text around its word, so
//! the running time stays linear.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::personal::email;
use crate::rule_match::{Rule, RuleMatch};
use crate::secret::{self, token_pattern, tokens};

/// Runs every rule whose trigger word occurs, and reports its matches.
pub(crate) fn run(text: &str, report: &mut impl FnMut(RuleMatch)) {
    for hit in TRIGGERS.words.find_overlapping_iter(text) {
        let rule_match = match &TRIGGERS.rules[hit.pattern().as_usize()] {
            Action::Token(token) => token.find(text, hit.range()),
            Action::Rule(rule) => rule(text, hit.range()),
        };
        rule_match.into_iter().for_each(&mut *report);
    }
}

enum Action {
    Token(&'static token_pattern::TokenPattern),
    Rule(Rule),
}

struct Triggers {
    words: AhoCorasick,
    rules: Vec<Action>,
}

static TRIGGERS: LazyLock<Triggers> = LazyLock::new(|| {
    let tokens = tokens::all().map(|token| (token.prefix(), Action::Token(token)));
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
