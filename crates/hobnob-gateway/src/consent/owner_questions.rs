//! The questions that wait for the owner of the hub, and the answers that no call has used yet.
//!
//! The guard asks and looks answers up here; the owner's commands list and answer. What must stay
//! true: a yes lets one call run, and no principal's questions displace another's.

use super::open::CallDigest;
use super::owner_question::{
    AskedOwner, MAX_ARGUMENT_BYTES, NotAnswered, OwnerAnswer, OwnerQuestion,
};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits on questions and on bytes of their arguments, in all and per principal.
pub(super) const MAX_QUESTIONS: usize = 256;
pub(super) const MAX_PER_PRINCIPAL: usize = 16;
const MAX_BYTES: u64 = 64 << 20;
const MAX_BYTES_PER_PRINCIPAL: u64 = MAX_ARGUMENT_BYTES as u64;
/// A working day: the owner may be away. An answer lives no longer than its question.
pub(super) const LIFETIME: Duration = Duration::from_secs(8 * 60 * 60);

/// What the table knows about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MetQuestion {
    /// The owner has not been asked.
    New,
    /// The owner has not answered this question yet.
    Waiting(u64),
    /// The owner agreed. This was the one call that may run.
    Granted,
    /// The owner refused, and the refusal holds for as long as the question is kept.
    Refused,
}

/// There is no room, and the principal has no older question that could make way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyQuestions;

/// The table of questions that all views of a hub share.
#[derive(Debug)]
pub(crate) struct OwnerQuestions(Mutex<Table>);

#[derive(Debug)]
struct Table {
    /// Keyed by number, so that the first entry is the oldest.
    entries: BTreeMap<u64, Entry>,
    first: u64,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    call: CallDigest,
    asked: Arc<AskedOwner>,
    since: Instant,
    answer: Option<OwnerAnswer>,
}

impl OwnerQuestions {
    /// An empty table whose first question gets the number `first`.
    pub(crate) fn new(first: u64) -> Self {
        Self(Mutex::new(Table { entries: BTreeMap::new(), first, next: first }))
    }

    /// Looks up what the owner said about this call. A yes is removed, so it lets only this call run.
    pub(crate) fn meet(&self, call: CallDigest, now: Instant) -> MetQuestion {
        let mut table = self.lock();
        table.forget_old(now);
        let Some((number, entry)) = table.find(call) else { return MetQuestion::New };
        match entry.answer {
            None => MetQuestion::Waiting(number),
            Some(OwnerAnswer::No) => MetQuestion::Refused,
            Some(OwnerAnswer::Yes) => {
                table.entries.remove(&number);
                MetQuestion::Granted
            }
        }
    }

    /// Asks about a call and returns the question's number. If the same call has an open question
    /// already, that one's number is returned.
    pub(crate) fn ask(
        &self,
        call: CallDigest,
        asked: AskedOwner,
        now: Instant,
    ) -> Result<u64, TooManyQuestions> {
        let mut table = self.lock();
        table.forget_old(now);
        if let Some((number, _)) = table.find(call) {
            return Ok(number);
        }
        table.make_room(&asked)?;
        let number = table.next;
        table.next += 1;
        let entry = Entry { call, asked: Arc::new(asked), since: now, answer: None };
        table.entries.insert(number, entry);
        Ok(number)
    }

    /// All questions, the oldest first.
    pub(crate) fn list(&self, now: Instant) -> Vec<OwnerQuestion> {
        let mut table = self.lock();
        table.forget_old(now);
        table.entries.iter().map(|(number, entry)| entry.shown(*number, now)).collect()
    }

    /// The call that a question is about, if the question can be answered now.
    pub(crate) fn waiting(
        &self,
        number: u64,
        now: Instant,
    ) -> Result<Arc<AskedOwner>, NotAnswered> {
        self.lock().waiting(number, now).map(|entry| Arc::clone(&entry.asked))
    }

    /// Stores the answer. The first of two answers counts.
    pub(crate) fn answer(
        &self,
        number: u64,
        answer: OwnerAnswer,
        now: Instant,
    ) -> Result<OwnerQuestion, NotAnswered> {
        let mut table = self.lock();
        let entry = table.waiting(number, now)?;
        entry.answer = Some(answer);
        Ok(entry.shown(number, now))
    }

    /// The lock is not poisoned: a panic elsewhere leaves a table that lacks one question at worst.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock()
    }
}

impl Entry {
    fn age(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.since)
    }

    fn shown(&self, number: u64, now: Instant) -> OwnerQuestion {
        self.asked.shown(number, self.age(now).as_secs(), self.answer)
    }
}

impl Table {
    fn forget_old(&mut self, now: Instant) {
        self.entries.retain(|_, entry| entry.age(now) < LIFETIME);
    }

    fn find(&self, call: CallDigest) -> Option<(u64, &Entry)> {
        let mut entries = self.entries.iter().map(|(number, entry)| (*number, entry));
        entries.find(|(_, entry)| entry.call == call)
    }

    fn waiting(&mut self, number: u64, now: Instant) -> Result<&mut Entry, NotAnswered> {
        self.forget_old(now);
        let was_asked = (self.first..self.next).contains(&number);
        match self.entries.get_mut(&number) {
            Some(Entry { answer: Some(answer), .. }) => Err(NotAnswered::Answered(*answer)),
            Some(entry) => Ok(entry),
            None if was_asked => Err(NotAnswered::Gone),
            None => Err(NotAnswered::Unknown),
        }
    }

    /// Drops the principal's own oldest questions until another one fits; drops none if that would
    /// not help.
    fn make_room(&mut self, asked: &AskedOwner) -> Result<(), TooManyQuestions> {
        let (principal, bytes) = (asked.principal(), asked.bytes());
        let (mut mine, others): (Vec<_>, Vec<_>) = self
            .entries
            .iter()
            .map(|(number, entry)| (*number, &entry.asked))
            .partition(|(_, asked)| asked.principal() == principal);
        let sum = |questions: &[(u64, &Arc<AskedOwner>)]| -> u64 {
            questions.iter().map(|(_, asked)| asked.bytes()).sum()
        };
        let fits = |mine: &[_]| {
            mine.len() < MAX_PER_PRINCIPAL
                && sum(mine) + bytes <= MAX_BYTES_PER_PRINCIPAL
                && mine.len() + others.len() < MAX_QUESTIONS
                && sum(mine) + sum(&others) + bytes <= MAX_BYTES
        };
        let mut forgotten = Vec::new();
        while !fits(&mine) {
            if mine.is_empty() {
                return Err(TooManyQuestions);
            }
            forgotten.push(mine.remove(0).0);
        }
        for number in forgotten {
            self.entries.remove(&number);
        }
        Ok(())
    }
}
