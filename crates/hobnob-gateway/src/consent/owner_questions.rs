//! The questions that wait for the owner of the hub, and the answers that no call has used yet.
//!
//! The guard asks and looks answers up here; the owner's commands list and answer. What must stay
//! true: a yes lets one call run, no principal's questions displace another's, and an answer to a
//! question that a client shows too is used by that very call alone.

use super::open::{CallDigest, LIFETIME as FORM_LIFETIME};
use super::open_form::OpenForm;
use super::owner_question::{
    AfterYes, AskedOwner, MAX_ARGUMENT_BYTES, NotAnswered, OwnerAnswer, OwnerQuestion,
};
use hobnob_mcp_engine::ClientId;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Limits on questions and on bytes of their arguments, in all and per principal.
pub(crate) const MAX_QUESTIONS: usize = 256;
pub(super) const MAX_PER_PRINCIPAL: usize = 16;
const MAX_BYTES: u64 = 64 << 20;
const MAX_BYTES_PER_PRINCIPAL: u64 = MAX_ARGUMENT_BYTES as u64;
/// A working day: the owner may be away. An answer lives no longer than its question.
pub(super) const LIFETIME: Duration = Duration::from_secs(8 * 60 * 60);
/// How long an answer that wrote a rule is kept: the hub reads its rules again long before that.
pub(super) const RULE_DELAY: Duration = Duration::from_secs(60);

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
    answer: Option<(OwnerAnswer, Instant)>,
    /// The form in the caller's client; `None` if the client cannot show one.
    form: Option<OpenForm>,
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
        match entry.answer() {
            None => MetQuestion::Waiting(number),
            Some(answer) if !answer.agrees() => MetQuestion::Refused,
            Some(_) => {
                table.entries.remove(&number);
                MetQuestion::Granted
            }
        }
    }

    /// Uses up a yes to an earlier attempt at this call, by a client that could not be asked.
    pub(crate) fn take_yes(&self, call: CallDigest, now: Instant) -> bool {
        let mut table = self.lock();
        table.forget_old(now);
        let found = table.find(call);
        let yes = found.filter(|(_, entry)| entry.answer().is_some_and(OwnerAnswer::agrees));
        let Some((number, _)) = yes else { return false };
        table.entries.remove(&number).is_some()
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
        table.insert(Entry { call, asked: Arc::new(asked), since: now, answer: None, form: None })
    }

    /// Adds a question that the caller's client shows too. Each form is a question of its own, even
    /// about the same call: its answer is for the call that shows it.
    pub(crate) fn ask_beside(
        &self,
        form: OpenForm,
        call: CallDigest,
        asked: AskedOwner,
        now: Instant,
    ) -> Result<u64, TooManyQuestions> {
        let mut table = self.lock();
        table.forget_old(now);
        let form = Some(form);
        table.insert(Entry { call, asked: Arc::new(asked), since: now, answer: None, form })
    }

    /// Ends the question that this form shows too; returns the owner's answer, if that came first.
    pub(crate) fn close(&self, token: &str) -> Option<OwnerAnswer> {
        let mut table = self.lock();
        let shows = |entry: &Entry| entry.form.as_ref().is_some_and(|form| form.has_token(token));
        let number = table.entries.iter().find(|(_, entry)| shows(entry)).map(|(it, _)| *it)?;
        table.entries.remove(&number)?.answer()
    }

    /// Ends the questions that this client shows too, because the client is gone.
    pub(crate) fn client_gone(&self, client: ClientId) {
        let is_there = |entry: &Entry| entry.form.as_ref().is_some_and(|form| form.is_at(client));
        self.lock().entries.retain(|_, entry| !is_there(entry));
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
        let question = OwnerQuestion { answer: Some(answer), ..entry.shown(number, now) };
        entry.answer = Some((answer, now));
        let withdrawal = entry.form.as_mut().and_then(OpenForm::take_withdrawal);
        drop(table);
        // The call that waits for the form goes on now, and looks its answer up here.
        drop(withdrawal);
        Ok(question)
    }

    /// Keeps an answer for its one call only, because its rule could not be written.
    pub(crate) fn has_no_rule(&self, number: u64) {
        if let Some(entry) = self.lock().entries.get_mut(&number) {
            entry.answer = entry.answer.map(|(answer, since)| (answer.once(), since));
        }
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
        let after_yes = match &self.form {
            None => AfterYes::CallAgain,
            Some(form) if form.is_awaited() => AfterYes::Continues,
            Some(_) => AfterYes::ClientReturns,
        };
        self.asked.shown(number, self.age(now).as_secs(), self.answer(), after_yes)
    }

    fn answer(&self) -> Option<OwnerAnswer> {
        self.answer.map(|(answer, _)| answer)
    }

    fn is_old(&self, now: Instant) -> bool {
        let lifetime = if self.form.is_some() { FORM_LIFETIME } else { LIFETIME };
        let is_rule = |(answer, since): &(OwnerAnswer, Instant)| {
            answer.writes().is_some() && RULE_DELAY <= now.saturating_duration_since(*since)
        };
        lifetime <= self.age(now) || self.answer.as_ref().is_some_and(is_rule)
    }
}

impl Table {
    fn forget_old(&mut self, now: Instant) {
        self.entries.retain(|_, entry| !entry.is_old(now));
    }

    /// The question about a call whose client shows no form.
    fn find(&self, call: CallDigest) -> Option<(u64, &Entry)> {
        let mut entries = self.entries.iter().map(|(number, entry)| (*number, entry));
        entries.find(|(_, entry)| entry.form.is_none() && entry.call == call)
    }

    fn insert(&mut self, entry: Entry) -> Result<u64, TooManyQuestions> {
        self.make_room(&entry.asked)?;
        let number = self.next;
        self.next += 1;
        self.entries.insert(number, entry);
        Ok(number)
    }

    fn waiting(&mut self, number: u64, now: Instant) -> Result<&mut Entry, NotAnswered> {
        self.forget_old(now);
        let was_asked = (self.first..self.next).contains(&number);
        match self.entries.get_mut(&number) {
            Some(Entry { answer: Some((answer, _)), .. }) => Err(NotAnswered::Answered(*answer)),
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
