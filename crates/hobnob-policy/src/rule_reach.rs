//! Which rules name a tool at all, for any caller and any arguments.
//!
//! Commands and `hobnob doctor` use it to find rules that match nothing: a mistyped `deny` denies
//! nothing. It makes no verdict.

use crate::decide::{names, renamed};
use crate::rule::RuleSet;
use crate::selector::ToolMatch;
use crate::subject::Subject;
use std::collections::BTreeSet;

/// The rules that name this tool by one of its names, as indices into [`RuleSet::as_slice`]. A name
/// that can be split in several ways counts in each of them.
#[must_use]
pub fn rules_naming(rules: &RuleSet, subject: &Subject<'_>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for subject in [Some(*subject), renamed(subject)].into_iter().flatten() {
        let names = names(&subject);
        let named = rules.ranked().filter(|(entry, rule, meaning)| {
            rule.selector().meets(meaning, &names, entry.reach) != ToolMatch::No
        });
        found.extend(named.map(|(entry, ..)| entry.index));
    }
    found
}

/// The rules that may name a tool of this server, for a server whose tools are not known.
#[must_use]
pub fn rules_reaching(rules: &RuleSet, server: &str) -> BTreeSet<usize> {
    let reaching = rules.as_slice().iter().enumerate();
    let reaching = reaching.filter(|(_, rule)| rule.selector().may_reach(server));
    reaching.map(|(index, _)| index).collect()
}
