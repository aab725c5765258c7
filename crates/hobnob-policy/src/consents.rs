//! The answers of a person that hold until the process ends.
//!
//! A tool whose definition changed has another key, so its old answers no longer count.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many answers are kept; the oldest is forgotten first, and then asked again.
const MAX_CONSENTS: usize = 4096;
/// Bytes a principal or a tool's name may have to be remembered.
const LONGEST: usize = 1024;

/// For how long an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsentScope {
    /// For this one call; nothing is stored.
    Once,
    /// Until the process ends or the answers are forgotten.
    Process,
}

/// A digest of all that a tool's definition says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinitionDigest(pub [u8; 32]);

/// What an answer was about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ConsentKey {
    /// The principal whose person answered.
    pub principal: Box<str>,
    /// The tool as the caller knows it; a profile may have renamed it.
    pub tool: Box<str>,
    /// What the tool said it was.
    pub definition: DefinitionDigest,
}

/// The answers that still hold; at most a few thousand.
#[derive(Debug, Default)]
pub struct RememberedConsents(Mutex<ConsentTable>);

#[derive(Debug, Default)]
struct ConsentTable {
    keys: HashSet<ConsentKey>,
    order: VecDeque<ConsentKey>,
}

impl RememberedConsents {
    /// Remembers a yes for as long as its scope says.
    pub fn remember(&self, key: ConsentKey, scope: ConsentScope) {
        let fits = key.principal.len() <= LONGEST && key.tool.len() <= LONGEST;
        if scope == ConsentScope::Once || !fits {
            return;
        }
        let mut kept = self.kept();
        if !kept.keys.insert(key.clone()) {
            return;
        }
        kept.order.push_back(key);
        if MAX_CONSENTS < kept.order.len()
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.keys.remove(&oldest);
        }
    }

    /// Whether such a yes is remembered.
    #[must_use]
    pub fn holds(&self, key: &ConsentKey) -> bool {
        self.kept().keys.contains(key)
    }

    /// Forgets every answer of one principal, or of all.
    pub fn forget(&self, principal: Option<&str>) {
        let mut kept = self.kept();
        let stays = |key: &ConsentKey| principal.is_some_and(|gone| *key.principal != *gone);
        kept.keys.retain(stays);
        kept.order.retain(stays);
    }

    /// How many answers are remembered.
    #[must_use]
    pub fn count(&self) -> usize {
        self.kept().keys.len()
    }

    /// A panic elsewhere leaves a set that is at worst too small or too old by one key.
    fn kept(&self) -> MutexGuard<'_, ConsentTable> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
