//! Questions that wait for an answer, and consents whose call goes on.
//!
//! Both are taken out when they are used, so of two that bring the same answer one succeeds. What
//! was forgotten, because it is old, because there are too many or because the process is another
//! one, is simply asked again.

use super::asked_tool::AskedTool;
use super::file::ArgumentsFile;
use hobnob_mcp_engine::{NoRandomness, ShareKey, random_token};
use ring::digest::{Context, SHA256};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Entries kept at once, of all and of one client; the oldest is forgotten first.
const MAX_ENTRIES: usize = 4096;
const MAX_PER_CLIENT: usize = 512;
/// Bytes of arguments in files at once.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Longer than a sealed state or a legacy question lives.
const LIFETIME: Duration = Duration::from_secs(30 * 60);

/// Which call a person was asked about: view, principal, tool, its definition and the arguments,
/// byte for byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallDigest([u8; 32]);

impl CallDigest {
    pub(crate) fn of(
        view: usize,
        principal: &str,
        tool: AskedTool<'_>,
        arguments: Option<&str>,
    ) -> Self {
        let mut context = Context::new(&SHA256);
        let (view, given) = (view.to_string(), arguments.map_or("absent", |_| "given"));
        let server = tool.server().unwrap_or_default();
        let parts = [&*view, principal, tool.public, server, tool.original()];
        let rest = [tool.digest(), given, arguments.unwrap_or_default()];
        for part in parts.into_iter().chain(rest) {
            context.update(&(part.len() as u64).to_le_bytes());
            context.update(part.as_bytes());
        }
        let mut bytes = [0; 32];
        bytes.copy_from_slice(context.finish().as_ref());
        Self(bytes)
    }
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConsentStage {
    /// A person was asked whether it may run.
    Asked,
    /// They agreed, it ran, and the upstream asked something itself.
    Granted,
    /// The same where the owner agreed: no other answer counts instead.
    GrantedByOwner,
}

/// A consent that a call was made with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GivenConsent {
    pub(crate) call: CallDigest,
    /// Who gave it: where a later round brings it, it counts for nothing else.
    pub(crate) stage: ConsentStage,
}

/// The table of both.
#[derive(Debug, Default)]
pub(crate) struct OpenConsents(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    /// By number, so that the first is the oldest.
    entries: BTreeMap<u64, Entry>,
    last: u64,
}

#[derive(Debug)]
struct Entry {
    secret: Box<str>,
    stage: ConsentStage,
    call: CallDigest,
    client: ShareKey,
    since: Instant,
    /// Removed with the entry.
    file: Option<ArgumentsFile>,
}

impl OpenConsents {
    /// Adds an entry; the token that names it comes back once.
    pub(crate) fn open(
        &self,
        stage: ConsentStage,
        call: CallDigest,
        client: ShareKey,
        file: Option<ArgumentsFile>,
        now: Instant,
    ) -> Result<String, NoRandomness> {
        let secret = random_token()?;
        let mut table = self.lock();
        table.make_room(client, file.as_ref().map_or(0, ArgumentsFile::bytes), now);
        table.last += 1;
        let token = format!("{}.{secret}", table.last);
        let entry = Entry { secret, stage, call, client, since: now, file };
        let number = table.last;
        table.entries.insert(number, entry);
        Ok(token)
    }

    /// Takes the entry that the token names, if it is about this very call. It is gone either way.
    pub(crate) fn take(
        &self,
        token: &str,
        stage: ConsentStage,
        call: CallDigest,
        now: Instant,
    ) -> bool {
        let Some((number, secret)) = token.split_once('.') else { return false };
        let Ok(number) = number.parse::<u64>() else { return false };
        let mut table = self.lock();
        if table.entries.get(&number).is_none_or(|entry| *entry.secret != *secret) {
            return false;
        }
        let taken = table.entries.remove(&number);
        drop(table);
        taken.is_some_and(|entry| entry.stage == stage && entry.call == call && !entry.is_old(now))
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.lock().entries.len()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn is_old(&self, now: Instant) -> bool {
        LIFETIME <= now.saturating_duration_since(self.since)
    }

    fn file_bytes(&self) -> u64 {
        self.file.as_ref().map_or(0, ArgumentsFile::bytes)
    }
}

impl Table {
    fn make_room(&mut self, client: ShareKey, file_bytes: u64, now: Instant) {
        self.entries.retain(|_, entry| !entry.is_old(now));
        let mine = |entry: &Entry| entry.client == client;
        if MAX_PER_CLIENT <= self.entries.values().filter(|entry| mine(entry)).count() {
            self.forget_oldest(mine);
        }
        if MAX_ENTRIES <= self.entries.len() {
            self.forget_oldest(|_| true);
        }
        if file_bytes == 0 {
            return;
        }
        let in_files = |table: &Self| table.entries.values().map(Entry::file_bytes).sum::<u64>();
        while 0 < in_files(self) && MAX_FILE_BYTES < in_files(self) + file_bytes {
            self.forget_oldest(|entry| entry.file.is_some());
        }
    }

    fn forget_oldest(&mut self, which: impl Fn(&Entry) -> bool) {
        let oldest = self.entries.iter().find(|(_, entry)| which(entry)).map(|(number, _)| *number);
        if let Some(oldest) = oldest {
            self.entries.remove(&oldest);
        }
    }
}
