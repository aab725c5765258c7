//! The anonymiser: replaces personal data by tokens and secrets by marks, and finds the value of a
//! token again for the owner of the key.

use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use crate::redaction::push_redaction;

use super::email::plain_mail;
use super::hidden::{HiddenKind, find_hidden};
use super::known::{KnownNames, NameFinder};
use super::token::{AnonymiserKey, PersonalKind, PersonalToken};

/// Capacity of the token cache per kind: computing a token takes as long as reading 100 words.
const MAX_CACHED_TOKENS: usize = 8192;
/// Maximum length of a value in the token cache.
const MAX_CACHED_LENGTH: usize = 256;

/// The token cache: the tokens of known values, by kind.
type MadeTokens = [HashMap<Box<str>, PersonalToken>; PersonalKind::ALL.len()];

/// A range of a text that callers do not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenSpan {
    /// Its byte range in the text, on character boundaries.
    pub range: Range<usize>,
    /// Its label for callers, such as `USER` or `password`.
    pub label: &'static str,
}

/// Replaces personal data by tokens: with one key, the same value always gets the same token.
/// Secrets become marks such as `[redacted: password]`.
pub struct Anonymiser {
    key: AnonymiserKey,
    known: KnownNames,
    finder: NameFinder,
    made: Mutex<MadeTokens>,
}

impl Anonymiser {
    /// An anonymiser with this key, which also finds these names anywhere in a text.
    #[must_use]
    pub fn new(key: AnonymiserKey, known: KnownNames) -> Self {
        let finder = known.finder();
        Self { key, known, finder, made: Mutex::default() }
    }

    /// The text with tokens in place of personal data, and marks in place of secrets.
    #[must_use]
    pub fn mask<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let mut out = String::new();
        let mut copied = 0;
        let mut made = None;
        find_hidden(text, &self.finder, |range, kind| {
            let made = made.get_or_insert_with(|| self.made.lock());
            if out.is_empty() {
                out.reserve(text.len() + 64);
            }
            out.push_str(&text[copied..range.start]);
            copied = range.end;
            match kind {
                HiddenKind::Personal(kind) => {
                    self.token(made, kind, &text[range]).push_to(&mut out);
                }
                HiddenKind::Secret(kind) => push_redaction(&mut out, kind),
            }
        });
        if copied == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[copied..]);
        Cow::Owned(out)
    }

    /// What [`mask`](Self::mask) replaces, sorted and without overlaps.
    #[must_use]
    pub fn hidden(&self, text: &str) -> Vec<HiddenSpan> {
        let mut spans = Vec::new();
        find_hidden(text, &self.finder, |range, kind| {
            spans.push(HiddenSpan { range, label: kind.label() });
        });
        spans
    }

    /// The account or host of this machine that a token stands for.
    #[must_use]
    pub fn reveal_known(&self, token: &PersonalToken) -> Option<&str> {
        let same = |(kind, name): &(PersonalKind, &str)| self.key.token(*kind, name) == *token;
        let kind = |(kind, _): &(PersonalKind, &str)| *kind == token.kind();
        self.known.iter().filter(kind).find(same).map(|(_, name)| name)
    }

    /// The value of a token, searched in a text that has not been masked.
    #[must_use]
    pub fn reveal_in(&self, text: &str, token: &PersonalToken) -> Option<String> {
        let mut found = None;
        let mut made = self.made.lock();
        find_hidden(text, &self.finder, |range, kind| {
            let value = &text[range];
            let same = found.is_none() && kind == HiddenKind::Personal(token.kind());
            if same && self.token(&mut made, token.kind(), value) == *token {
                found = Some(value.to_owned());
            }
        });
        found
    }

    fn token(&self, made: &mut MadeTokens, kind: PersonalKind, value: &str) -> PersonalToken {
        let value = if kind == PersonalKind::Email { &*plain_mail(value) } else { value };
        let made = &mut made[kind as usize];
        if let Some(token) = made.get(value) {
            return *token;
        }
        let token = self.key.token(kind, value);
        if value.len() <= MAX_CACHED_LENGTH {
            if MAX_CACHED_TOKENS <= made.len() {
                made.clear();
            }
            made.insert(value.into(), token);
        }
        token
    }
}

impl fmt::Debug for Anonymiser {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Anonymiser").finish_non_exhaustive()
    }
}
