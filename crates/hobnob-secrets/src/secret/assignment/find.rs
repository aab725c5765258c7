//! From a trigger word to a secret: the name around the word, the connector after it, the value.
//!
//! The rule for every word that may be part of a secret's name.

use std::ops::Range;

use crate::rule_match::RuleMatch;

use super::{connector, judge, name, value};

/// The value of the name around `hit`, if it is a secret and not something that stands for one.
pub(crate) fn find(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let name = name::read(text, hit)?;
    let given = |connector| {
        let value = value::read(text, connector)?;
        let kind = judge::judge(&name, &value)?;
        Some(RuleMatch::new(kind, value.range))
    };
    let connector = connector::read(text, &name)?;
    given(connector).or_else(|| given(connector::read_on(text, &name, connector)?))
}
