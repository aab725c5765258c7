//! Names that are known to be personal on this machine: its accounts and what it is called.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::token::PersonalKind;

/// Shorter names would be found in every second sentence.
const SHORTEST: usize = 3;
/// Names that are looked for; a machine has rarely more accounts of people.
const MOST: usize = 1000;

/// The names of people's accounts and of the machine.
#[derive(Debug, Clone, Default)]
pub struct KnownNames {
    names: Vec<(PersonalKind, String)>,
}

impl KnownNames {
    /// These accounts and hosts. What is shorter than three letters is found only where a text says
    /// that it is a user or a host.
    #[must_use]
    pub fn new(
        users: impl IntoIterator<Item = String>,
        hosts: impl IntoIterator<Item = String>,
    ) -> Self {
        let users = users.into_iter().map(|name| (PersonalKind::User, name));
        let hosts = hosts.into_iter().map(|name| (PersonalKind::Host, name));
        let legal = |(_, name): &(PersonalKind, String)| {
            let no_word = ["root", "localhost", "user", "host", "email", "path"];
            !name.is_empty() && !no_word.contains(&name.to_lowercase().as_str())
        };
        Self { names: users.chain(hosts).filter(legal).take(MOST).collect() }
    }

    /// All of them, for whoever compares tokens.
    pub fn iter(&self) -> impl Iterator<Item = (PersonalKind, &str)> {
        self.names.iter().map(|(kind, name)| (*kind, name.as_str()))
    }

    pub(super) fn finder(&self) -> NameFinder {
        let names: Vec<_> = self.names.iter().filter(|(_, name)| SHORTEST <= name.len()).collect();
        let words = names.iter().map(|(_, name)| name);
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(words);
        NameFinder {
            // Too many names for the automaton are none at all; `new` keeps them few.
            automaton: automaton.ok().filter(|_| !names.is_empty()),
            kinds: names.iter().map(|(kind, _)| *kind).collect(),
        }
    }
}

/// Finds known names that stand alone.
pub(super) struct NameFinder {
    automaton: Option<AhoCorasick>,
    kinds: Vec<PersonalKind>,
}

impl NameFinder {
    /// Every known name of a text from this byte on, in order.
    pub(super) fn find(
        &self,
        text: &str,
        from: usize,
        into: &mut Vec<(Range<usize>, PersonalKind)>,
    ) {
        let Some(automaton) = &self.automaton else { return };
        let joins = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_' || 128 <= *it;
        let bytes = text.as_bytes();
        for found in automaton.find_iter(Input::new(text).range(from..)) {
            let (start, end) = (found.start(), found.end());
            let before = start.checked_sub(1).and_then(|at| bytes.get(at));
            if before.is_some_and(joins) || bytes.get(end).is_some_and(joins) {
                continue;
            }
            into.push((start..end, self.kinds[found.pattern().as_usize()]));
        }
    }
}
