//! Patterns of tokens with a fixed prefix: fixed texts and runs of characters.
//!
//! `tokens` lists the patterns, `trigger` searches for their prefixes and calls `find`.

use std::ops::Range;

use crate::composition::Composition;
use crate::kind::FindingKind;
use crate::placeholder::is_filler;
use crate::rule_match::RuleMatch;
use crate::text::{Class, begins_word, byte, ends_word, run_end, run_start, slice, stands, word};

/// The pattern of a token; its first part is the fixed prefix to search for.
pub(crate) struct TokenPattern {
    kind: FindingKind,
    before: Option<CharacterRun>,
    parts: &'static [TokenPart],
}

/// One part of a token.
pub(crate) enum TokenPart {
    /// Fixed characters that belong to the secret.
    Mark(&'static str),
    /// Fixed characters before the secret, which announce it.
    Announced(&'static str),
    /// A run of characters of one class.
    Run(CharacterRun),
}

/// Between `min` and `max` characters of a class, as many as there are.
pub(crate) struct CharacterRun {
    pub(crate) class: Class,
    pub(crate) min: usize,
    pub(crate) max: usize,
}

/// A random value has at least this many distinct characters.
const MIN_DISTINCT: usize = 7;

impl TokenPattern {
    pub(crate) const fn new(kind: FindingKind, parts: &'static [TokenPart]) -> Self {
        Self { kind, before: None, parts }
    }

    /// A token with a run of characters before its fixed mark.
    pub(crate) const fn after(
        before: CharacterRun,
        kind: FindingKind,
        parts: &'static [TokenPart],
    ) -> Self {
        Self { kind, before: Some(before), parts }
    }

    /// The fixed prefix to search for.
    pub(crate) fn prefix(&self) -> &'static str {
        match self.parts.first() {
            Some(TokenPart::Mark(mark) | TokenPart::Announced(mark)) => mark,
            Some(TokenPart::Run(_)) | None => "",
        }
    }

    /// Matches the token whose mark is at `hit`, if it is complete and not a placeholder.
    pub(crate) fn find(&self, text: &str, hit: Range<usize>) -> Option<RuleMatch> {
        let start = match &self.before {
            Some(run) => run.start(text, hit.start)?,
            None => hit.start,
        };
        if byte(text, start).is_some_and(word) && !begins_word(text, start) {
            return None;
        }
        let mut secret = start;
        let mut at = hit.start;
        for part in self.parts {
            match part {
                TokenPart::Mark(mark) => at = skip(text, at, mark)?,
                TokenPart::Announced(mark) => {
                    at = skip(text, at, mark)?;
                    secret = at;
                }
                TokenPart::Run(run) => at = run.end(text, at)?,
            }
        }
        let body = slice(text, if start < hit.start { start } else { hit.end }..at);
        let random = MIN_DISTINCT <= Composition::of(body).distinct && !is_filler(body);
        (ends_word(text, at) && random).then(|| RuleMatch::new(self.kind, secret..at))
    }
}

impl CharacterRun {
    fn end(&self, text: &str, from: usize) -> Option<usize> {
        let end = run_end(text, from, self.class, self.max);
        (self.min <= end - from).then_some(end)
    }

    fn start(&self, text: &str, to: usize) -> Option<usize> {
        let start = run_start(text, to, self.class, self.max + 1);
        (self.min..=self.max).contains(&(to - start)).then_some(start)
    }
}

fn skip(text: &str, at: usize, mark: &str) -> Option<usize> {
    stands(text, at, mark).then(|| at + mark.len())
}
