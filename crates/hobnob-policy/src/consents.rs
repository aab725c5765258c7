//! The consents that people gave and that hold until the process ends.
//!
//! A tool whose definition changed has another key, so its old consents no longer count.

use parking_lot::{Mutex, MutexGuard};
use std::collections::{HashMap, VecDeque};

/// How many consents are kept; beyond that the oldest is forgotten, and its question asked again.
const MAX_CONSENTS: usize = 4096;
/// Longest name of a principal or a tool that is remembered, in bytes.
const MAX_NAME_BYTES: usize = 1024;

/// How long a consent holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsentScope {
    /// For this one call; nothing is stored.
    Once,
    /// Until the rules are read again: the person had a rule written, which decides from then on.
    NextRules,
    /// Until the process ends or the owner withdraws it.
    Process,
}

/// A digest of everything that a tool's definition says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinitionDigest(pub [u8; 32]);

/// What a consent was about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConsentKey {
    /// The principal whose person answered.
    pub principal: Box<str>,
    /// The tool's name as the caller sees it; a profile may have renamed it.
    pub tool: Box<str>,
    /// The tool's definition when the question was asked.
    pub definition: DefinitionDigest,
}

/// The consents that still hold; at most a few thousand.
#[derive(Debug, Default)]
pub struct RememberedConsents(Mutex<ConsentTable>);

#[derive(Debug, Default)]
struct ConsentTable {
    keys: HashMap<ConsentKey, ConsentScope>,
    order: VecDeque<ConsentKey>,
    changes: u64,
}

impl RememberedConsents {
    /// Remembers a consent for as long as its scope says.
    pub fn remember(&self, key: ConsentKey, scope: ConsentScope) {
        let fits = key.principal.len() <= MAX_NAME_BYTES && key.tool.len() <= MAX_NAME_BYTES;
        if scope == ConsentScope::Once || !fits {
            return;
        }
        let mut kept = self.kept();
        match kept.keys.insert(key.clone(), scope) {
            Some(earlier) if earlier == scope => return,
            Some(_) => {}
            None => kept.order.push_back(key),
        }
        if MAX_CONSENTS < kept.order.len()
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.keys.remove(&oldest);
        }
        kept.changes += 1;
    }

    /// Whether such a consent is remembered.
    #[must_use]
    pub fn holds(&self, key: &ConsentKey) -> bool {
        self.kept().keys.contains_key(key)
    }

    /// The consents that hold until the process ends, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<ConsentKey> {
        let kept = self.kept();
        let lasts = |key: &&ConsentKey| kept.keys.get(*key) == Some(&ConsentScope::Process);
        kept.order.iter().filter(lasts).cloned().collect()
    }

    /// The rules were read again, so they decide where a consent stood in for a new one.
    pub fn rules_read(&self) {
        let mut kept = self.kept();
        let ConsentTable { keys, order, .. } = &mut *kept;
        keys.retain(|_, scope| *scope != ConsentScope::NextRules);
        order.retain(|key| keys.contains_key(key));
    }

    /// Withdraws one consent: its question is asked again. `false` if it does not hold any more.
    pub fn withdraw(&self, key: &ConsentKey) -> bool {
        let mut kept = self.kept();
        let held = kept.keys.remove(key).is_some();
        if held {
            kept.order.retain(|other| other != key);
            kept.changes += 1;
        }
        held
    }

    /// How often the list has changed.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.kept().changes
    }

    /// How many consents are remembered.
    #[must_use]
    pub fn count(&self) -> usize {
        self.kept().keys.len()
    }

    /// A poisoned lock is harmless: at worst the set lacks a key or keeps an old one.
    fn kept(&self) -> MutexGuard<'_, ConsentTable> {
        self.0.lock()
    }
}
