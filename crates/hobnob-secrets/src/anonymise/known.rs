//! Known personal names on this machine: its accounts and its host names.

use std::ops::Range;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::token::PersonalKind;

/// Shorter names would match in every second sentence.
const MIN_LENGTH: usize = 3;
/// Maximum number of names; a machine rarely has more accounts of people.
const MAX_NAMES: usize = 1000;

/// The names of people's accounts and of the machine.
#[derive(Debug, Clone, Default)]
pub struct KnownNames {
    names: Vec<(PersonalKind, String)>,
}

impl KnownNames {
    /// These accounts and hosts. A name shorter than three letters is found only where the context
    /// says that it is a user or a host.
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
        Self { names: users.chain(hosts).filter(legal).take(MAX_NAMES).collect() }
    }

    /// All names with their kinds, for comparing tokens.
    pub fn iter(&self) -> impl Iterator<Item = (PersonalKind, &str)> {
        self.names.iter().map(|(kind, name)| (*kind, name.as_str()))
    }

    pub(super) fn finder(&self) -> NameFinder {
        let names: Vec<_> =
            self.names.iter().filter(|(_, name)| MIN_LENGTH <= name.len()).collect();
        let words = names.iter().map(|(_, name)| name);
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(words);
        NameFinder {
            // If the automaton cannot be built, no name is found; `new` limits their number.
            automaton: automaton.ok().filter(|_| !names.is_empty()),
            kinds: names.iter().map(|(kind, _)| *kind).collect(),
        }
    }
}

/// Finds known names that are not part of a longer word.
pub(super) struct NameFinder {
    automaton: Option<AhoCorasick>,
    kinds: Vec<PersonalKind>,
}

impl NameFinder {
    /// Every known name in a text after this byte, in order.
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
