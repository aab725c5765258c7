//! Questions that wait for an answer, and consents that later rounds of a call rely on.
//!
//! Using an entry removes it, so if two calls bring the same answer, one succeeds. An entry that
//! was forgotten because it expired, made room for others or belonged to an earlier process does no
//! harm: the person is asked again.

use super::asked_tool::AskedTool;
use super::file::ArgumentsFile;
use hobnob_mcp_engine::{NoRandomness, ShareKey, random_token};
use parking_lot::{Mutex, MutexGuard};
use ring::digest::{Context, SHA256};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Limits on entries, in all and per client; the oldest entry is dropped first.
const MAX_ENTRIES: usize = 4096;
const MAX_PER_CLIENT: usize = 512;
/// The most bytes that argument files may have together.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Longer than a sealed state or a legacy question is valid.
pub(super) const LIFETIME: Duration = Duration::from_secs(30 * 60);

/// SHA-256 of the call a person was asked about: view, principal, tool, its definition, and the
/// arguments byte for byte.
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
        let rest = [given, arguments.unwrap_or_default()];
        for part in parts.into_iter().chain(rest) {
            context.update(&(part.len() as u64).to_le_bytes());
            context.update(part.as_bytes());
        }
        context.update(&tool.definition().0);
        let mut bytes = [0; 32];
        bytes.copy_from_slice(context.finish().as_ref());
        Self(bytes)
    }
}

/// How far a call has come, as far as consent goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConsentStage {
    /// A person was asked whether it may run.
    Asked,
    /// The person agreed, the tool ran, and its upstream asked a question of its own.
    Granted,
    /// The same where the owner agreed: no other person's answer can replace it.
    GrantedByOwner,
}

/// The consent under which a call was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GivenConsent {
    pub(crate) call: CallDigest,
    /// Who gave it. A later round that brings the token back must expect the same stage.
    pub(crate) stage: ConsentStage,
}

/// The table of open questions and of consents that were given.
#[derive(Debug, Default)]
pub(crate) struct OpenConsents(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    /// Keyed by number, so that the first entry is the oldest.
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
    /// Adds an entry and returns the only copy of the token that names it.
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

    /// Removes the entry that the token names; returns whether it is about this very call.
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
        self.0.lock()
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
