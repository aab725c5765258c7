//! The questions that wait for the owner of the hub, and the answers that no call has used yet.
//!
//! The guard asks and looks answers up here; the owner's commands list and answer. What must stay true: a
//! yes lets one call run, and no principal's questions push out those of another.

use super::open::CallDigest;
use super::owner_question::{
    AskedOwner, MAX_ARGUMENT_BYTES, NotAnswered, OwnerAnswer, OwnerQuestion,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Questions kept at once, and bytes of their arguments, of all principals and of one.
pub(super) const MAX_QUESTIONS: usize = 256;
pub(super) const MAX_PER_PRINCIPAL: usize = 16;
const MAX_BYTES: u64 = 64 << 20;
const MAX_BYTES_PER_PRINCIPAL: u64 = MAX_ARGUMENT_BYTES as u64;
/// A working day: the owner may not be at a terminal. An answer lives no longer than its question.
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
    /// The owner refused, which holds as long as the question is kept.
    Refused,
}

/// There is no room for another question, and the principal has none that could make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooManyQuestions;

/// The table that all views of a hub share.
#[derive(Debug)]
pub(crate) struct OwnerQuestions(Mutex<Table>);

#[derive(Debug)]
struct Table {
    /// By number, so that the first is the oldest.
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
    /// An empty table, whose first question has this number.
    pub(crate) fn new(first: u64) -> Self {
        Self(Mutex::new(Table { entries: BTreeMap::new(), first, next: first }))
    }

    /// What the owner said about this call. A yes is used up by it.
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

    /// Asks about a call, and returns the number of the question: of the one there is, if the same call was
    /// made twice at the same time.
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

    /// What a question is about that can be answered now.
    pub(crate) fn waiting(
        &self,
        number: u64,
        now: Instant,
    ) -> Result<Arc<AskedOwner>, NotAnswered> {
        self.lock().waiting(number, now).map(|entry| Arc::clone(&entry.asked))
    }

    /// Puts the answer in effect. Of two answers, the first counts.
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

    /// A panic elsewhere leaves a table that at worst lacks one question.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Forgets the principal's own oldest questions until there is room for another one. Nothing is
    /// forgotten if that does not help.
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
