//! From a trigger word to a secret: the name around the word, the connector, the value.
//!
//! The rule for every trigger word that may be part of a secret's name.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;

use super::{connector, judge, name, value};

/// Minimum length of a session id; shorter ones are sequence numbers of a log.
const SESSION_LENGTH: usize = 16;

/// Matches the value of the name around `hit`, if it is a secret and not a placeholder.
pub(crate) fn find(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let name = name::read(text, hit)?;
    let connector = connector::read(text, &name)?;
    let value = value::read(text, connector);
    let certain = |value: &value::Value<'_>| {
        let kind = judge::judge(&name, value)?;
        Some(RuleMatch::new(kind, value.range.clone()))
    };
    let later = || value::read(text, connector::read_on(text, &name, connector)?);
    let likely = || {
        let value = value.as_ref().filter(|_| connector.is_sign(text))?;
        let kind = judge::judge_likely(&name, value)?;
        Some(RuleMatch::likely(kind, value.range.clone()))
    };
    let found = value.as_ref().and_then(certain);
    found.or_else(|| certain(&later()?)).or_else(likely)
}

/// Matches the id of a session, which gives its owner's access while the session lasts.
pub(crate) fn find_session(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let name = name::read(text, hit)?;
    let value = value::read(text, connector::read(text, &name)?)?;
    let long = SESSION_LENGTH <= value.text.len() && judge::is_secret(value.text);
    long.then(|| RuleMatch::likely(FindingKind::NamedSecret, value.range))
}
