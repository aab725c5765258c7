//! Tokens that announce themselves: fixed marks and runs of characters between them.

use std::ops::Range;

use crate::kind::Kind;
use crate::placeholder::is_stand_in;
use crate::sighting::Sighting;
use crate::text::{Class, begins_word, byte, ends_word, run_end, run_start, slice, stands, word};
use crate::wording::Makeup;

use super::tokens;

/// A form of token; the first of its parts is fixed, and is what the text is searched for.
pub(crate) struct Token {
    kind: Kind,
    before: Option<Run>,
    parts: &'static [Part],
}

/// One part of a token.
pub(crate) enum Part {
    /// Fixed characters that belong to the secret.
    Mark(&'static str),
    /// Fixed characters that only announce it.
    Announced(&'static str),
    /// So many characters of a class.
    Run(Run),
}

/// So many characters of a class: as many as there are, and neither fewer nor more than this.
pub(crate) struct Run {
    pub(crate) class: Class,
    pub(crate) least: usize,
    pub(crate) most: usize,
}

/// Values with fewer different characters were not drawn at random.
const DISTINCT: usize = 7;

/// Every form of token there is.
pub(crate) fn all() -> impl Iterator<Item = &'static Token> {
    tokens::TABLES.into_iter().flatten()
}

impl Token {
    pub(crate) const fn new(kind: Kind, parts: &'static [Part]) -> Self {
        Self { kind, before: None, parts }
    }

    /// A token that begins with a run before its mark.
    pub(crate) const fn after(before: Run, kind: Kind, parts: &'static [Part]) -> Self {
        Self { kind, before: Some(before), parts }
    }

    /// What the text is searched for.
    pub(crate) fn mark(&self) -> &'static str {
        match self.parts.first() {
            Some(Part::Mark(mark) | Part::Announced(mark)) => mark,
            Some(Part::Run(_)) | None => "",
        }
    }

    /// The token whose mark is at `hit`, if all of it is there and its value is no stand-in.
    pub(crate) fn find(&self, text: &str, hit: Range<usize>) -> Option<Sighting> {
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
                Part::Mark(mark) => at = skip(text, at, mark)?,
                Part::Announced(mark) => {
                    at = skip(text, at, mark)?;
                    secret = at;
                }
                Part::Run(run) => at = run.end(text, at)?,
            }
        }
        let body = slice(text, if start < hit.start { start } else { hit.end }..at);
        let random = DISTINCT <= Makeup::of(body).distinct && !is_stand_in(body);
        (ends_word(text, at) && random).then(|| Sighting::new(self.kind, secret..at))
    }
}

impl Run {
    fn end(&self, text: &str, from: usize) -> Option<usize> {
        let end = run_end(text, from, self.class, self.most);
        (self.least <= end - from).then_some(end)
    }

    fn start(&self, text: &str, to: usize) -> Option<usize> {
        let start = run_start(text, to, self.class, self.most + 1);
        (self.least..=self.most).contains(&(to - start)).then_some(start)
    }
}

fn skip(text: &str, at: usize, mark: &str) -> Option<usize> {
    stands(text, at, mark).then(|| at + mark.len())
}
