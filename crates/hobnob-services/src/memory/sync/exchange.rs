//! One exchange with a remote: fetch, merge, apply, commit, push; repeated if another push was
//! faster.
//!
//! The tool `sync` runs it, one at a time per process. A conflict never loses either version.

use super::entry::{Checked, Entry, id_of, path};
use super::git::{Git, GitError};
use super::merge::{MergeSide, Verdict, decide};
use super::repository::{FETCHED_REF, REMOTE};
use crate::memory::checks::ContentRules;
use hobnob_store::memory::{
    Captured, Memory, MemoryAccess, MemoryEdit, MemoryError, MemoryFilter, MemoryId,
    MemoryRepository, MemoryStatus, NewMemory, PageRequest, ScopeKind, SyncMark,
    SyncMarkRepository, Tag, WritableScope,
};
use hobnob_store::{ProjectKey, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// Most attempts if other pushes keep being faster.
const MAX_ATTEMPTS: usize = 5;
/// Most memories of a project that are exchanged.
const MAX_MEMORIES: usize = 100_000;

/// Why an exchange failed, entirely or in part.
#[derive(Debug, thiserror::Error)]
pub(super) enum SyncError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error("others keep pushing to the remote: try again")]
    Overtaken,
    #[error("more than {MAX_MEMORIES} memories: not exchanged")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

/// The counts of an exchange.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Exchanged {
    pub(super) sent: usize,
    pub(super) taken: usize,
    pub(super) conflicts: usize,
    /// Files on the remote that could not be parsed.
    pub(super) unreadable: usize,
    /// Memories on either side that hold secrets or are too long.
    pub(super) refused: usize,
}

/// One exchange: a project of one owner with one ref of one remote.
pub(super) struct Exchange<'a> {
    pub(super) store: &'a dyn MemoryRepository,
    pub(super) marks: &'a dyn SyncMarkRepository,
    pub(super) rules: ContentRules,
    pub(super) git: Git,
    pub(super) access: MemoryAccess,
    pub(super) project: ProjectKey,
    pub(super) sync_ref: &'a str,
}

type Entries = BTreeMap<MemoryId, Entry>;

/// The memories on the remote.
#[derive(Default)]
struct RemoteState {
    entries: Entries,
    /// Entries that cannot be parsed. They are left alone on both sides.
    unreadable: BTreeSet<MemoryId>,
    /// Entries that may not be stored locally. They can be replaced on the remote, but not taken.
    unwanted: BTreeSet<MemoryId>,
}

/// Whether the local store has taken the remote's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Accepted {
    Yes,
    No,
}

impl Exchange<'_> {
    /// Fetches, merges and pushes; repeats if another push came first.
    pub(super) async fn run(&self) -> Result<Exchanged, SyncError> {
        let mut total = Exchanged::default();
        for _ in 0..MAX_ATTEMPTS {
            (total.unreadable, total.refused) = (0, 0);
            let head = self.fetch().await?;
            let there = match &head {
                Some(head) => self.read_tree(head, &mut total).await?,
                None => RemoteState::default(),
            };
            let (send, marks) = self.settle(&there, &mut total).await?;
            let pushed = self.push(head.as_deref(), &send).await?;
            if pushed {
                total.sent += send.len();
                let owner = self.access.owner.clone();
                self.marks.mark(owner, self.project.clone(), marks).await?;
                return Ok(total);
            }
        }
        Err(SyncError::Overtaken)
    }

    /// The newest remote commit; `None` if the ref does not exist yet.
    async fn fetch(&self) -> Result<Option<String>, SyncError> {
        // Asked first, to tell a missing ref from a missing remote.
        let listed = self.git.ask(&["ls-remote", "--exit-code", "--", REMOTE]).await;
        let listed = match listed {
            Ok(listed) => listed,
            // A remote without any ref makes git exit with 2 and no message.
            Err(GitError::Failed { message, .. }) if message.is_empty() => String::new(),
            Err(error) => return Err(error.into()),
        };
        let found = listed.lines().find_map(|line| {
            let (commit, name) = line.split_once('\t')?;
            (name == self.sync_ref).then(|| commit.to_owned())
        });
        if let Some(commit) = &found {
            let words =
                ["fetch", "--no-tags", "--no-write-fetch-head", "--", REMOTE, self.sync_ref];
            self.git.ask(&words).await?;
            // A kept commit need not be fetched again. Another process may set the same ref at the
            // same time, to the same value.
            if let Err(error) = self.git.ask(&["update-ref", FETCHED_REF, commit]).await {
                tracing::debug!(%error, "the fetched memories are not kept");
            }
        }
        Ok(found)
    }

    /// All memories of a commit.
    async fn read_tree(&self, head: &str, total: &mut Exchanged) -> Result<RemoteState, SyncError> {
        let tree = self.git.ask(&["ls-tree", "-r", "-z", head, "memories/"]).await?;
        let mut wanted = Vec::new();
        for line in tree.split('\0').filter(|line| !line.is_empty()) {
            let (kind, path) = line.split_once('\t').ok_or(GitError::Strange("ls-tree"))?;
            let object = kind.split(' ').nth(2).ok_or(GitError::Strange("ls-tree"))?;
            wanted.extend(id_of(path).map(|id| (id, object.to_owned())));
        }
        if MAX_MEMORIES < wanted.len() {
            return Err(SyncError::TooMany);
        }
        let asked: String = wanted.iter().map(|(_, object)| format!("{object}\n")).collect();
        let output = self.git.run(&["cat-file", "--batch"], asked.into_bytes()).await?;
        let mut rest = output.as_slice();
        let mut there = RemoteState::default();
        for (id, _) in wanted {
            let (blob, after) = next_blob(rest).ok_or(GitError::Strange("cat-file"))?;
            rest = after;
            match Entry::read(blob).filter(|entry| entry.checked().is_some()) {
                Some(entry) => {
                    if !self.may_keep(&entry) {
                        there.unwanted.insert(id.clone());
                    }
                    there.entries.insert(id, entry);
                }
                None => drop(there.unreadable.insert(id)),
            }
        }
        (total.unreadable, total.refused) = (there.unreadable.len(), there.unwanted.len());
        Ok(there)
    }

    /// Whether an entry satisfies the local rules for stored content.
    fn may_keep(&self, entry: &Entry) -> bool {
        let fits = |text: &str| {
            text.len() <= self.rules.max_bytes && self.rules.secrets_in(text).is_empty()
        };
        entry.texts().all(fits)
    }

    /// Applies the remote's changes locally; returns the entries to send and the new sync marks.
    async fn settle(
        &self,
        there: &RemoteState,
        total: &mut Exchanged,
    ) -> Result<(Entries, Vec<SyncMark>), SyncError> {
        let RemoteState { entries: there, unreadable, unwanted } = there;
        let here = self.memories().await?;
        let marks = self.marks.marks(self.access.owner.clone(), self.project.clone()).await?;
        let marks: BTreeMap<MemoryId, Vec<u8>> = marks.into_iter().collect();
        let mut send = Entries::new();
        let mut agreed = Vec::new();
        let ids: BTreeSet<&MemoryId> = here.keys().chain(there.keys()).collect();
        for id in ids.into_iter().filter(|id| !unreadable.contains(*id)) {
            let (own, other) = (here.get(id), there.get(id));
            let entry = own.map(Entry::of);
            let digests = (entry.as_ref().map(Entry::digest), other.map(Entry::digest));
            let sides = (side(&entry, &digests.0), side(&other.cloned(), &digests.1));
            let last = marks.get(id).map(Vec::as_slice);
            let verdict = decide(last, sides.0, sides.1);
            if unwanted.contains(id) && verdict != Verdict::Send {
                continue;
            }
            // A memory that was captured under weaker rules is not sent.
            let leaves = || entry.as_ref().is_some_and(|it| self.may_keep(it));
            if verdict == Verdict::Send && !leaves() {
                total.refused += 1;
                continue;
            }
            let taken = match (verdict, own, other) {
                (Verdict::Take, own, Some(other)) => {
                    let taken = self.take(id, own, other).await?;
                    total.taken += usize::from(taken == Accepted::Yes);
                    taken
                }
                (Verdict::KeepBoth, Some(own), Some(other)) => {
                    total.conflicts += 1;
                    self.keep_both(own, other).await?
                }
                (Verdict::Revive, Some(own), Some(other)) if own.status != MemoryStatus::Active => {
                    total.conflicts += 1;
                    self.take(id, Some(own), other).await?
                }
                (Verdict::Send | Verdict::Revive, Some(_), _) => {
                    total.conflicts += usize::from(verdict == Verdict::Revive);
                    send.extend(entry.map(|it| (id.clone(), it)));
                    Accepted::Yes
                }
                _ => Accepted::Yes,
            };
            // Without a mark, an entry that could not be taken is decided anew next time.
            if taken == Accepted::No {
                continue;
            }
            let agree = if send.contains_key(id) { digests.0 } else { digests.1.or(digests.0) };
            agreed.extend(agree.map(|digest| (id.clone(), digest)));
        }
        Ok((send, agreed))
    }

    /// The project's memories in any status.
    async fn memories(&self) -> Result<BTreeMap<MemoryId, Memory>, SyncError> {
        let filter = MemoryFilter {
            scopes: vec![ScopeKind::Project],
            statuses: MemoryStatus::ALL.into(),
            ..MemoryFilter::default()
        };
        let mut found = BTreeMap::new();
        let mut after = None;
        loop {
            let page = PageRequest { after, limit: 1_000 };
            let part = self.store.list(self.access.clone(), filter.clone(), page).await;
            let part = part?;
            found.extend(part.items.into_iter().map(|memory| (memory.id.clone(), memory)));
            if MAX_MEMORIES < found.len() {
                return Err(SyncError::TooMany);
            }
            after = part.next;
            if after.is_none() {
                return Ok(found);
            }
        }
    }

    /// Makes the local memory equal to the remote entry, unless another memory has the same content
    /// or the memory is being changed at the same time.
    async fn take(
        &self,
        id: &MemoryId,
        own: Option<&Memory>,
        other: &Entry,
    ) -> Result<Accepted, SyncError> {
        let Some(other) = other.checked() else { return Ok(Accepted::No) };
        let (memories, access) = (self.store, || self.access.clone());
        let done = match own {
            None => return self.bring_in(id, other).await,
            Some(_) if other.status != MemoryStatus::Active => {
                memories.delete(access(), id.clone()).await
            }
            Some(own) => {
                let edit = MemoryEdit {
                    content: Some(other.content),
                    namespace: Some(other.namespace),
                    tags: Some(other.tags),
                    source: Some(other.source),
                    expires: Some(other.expires),
                    expected_version: Some(own.version),
                };
                match memories.update(access(), id.clone(), edit).await {
                    Ok(_) if own.status != MemoryStatus::Active => {
                        memories.restore(access(), id.clone()).await
                    }
                    done => done,
                }
            }
        };
        match done {
            Ok(_) => Ok(Accepted::Yes),
            Err(MemoryError::Same(_) | MemoryError::Changed { .. }) => Ok(Accepted::No),
            Err(error) => Err(error.into()),
        }
    }

    /// Stores a new memory, or adds its labels to the one with the same content. If another owner
    /// has its id in this store, it is not stored under a new id: it would be sent back as a second
    /// memory.
    async fn bring_in(&self, id: &MemoryId, other: Checked) -> Result<Accepted, SyncError> {
        let memories = self.store;
        let outcome = memories.capture_or_merge(self.new_memory(Some(id.clone()), other)).await?;
        match outcome.captured {
            Captured::New(memory) if memory.id != *id => {
                memories.purge(self.access.clone(), memory.id).await?;
                Ok(Accepted::No)
            }
            Captured::New(_) | Captured::Same(_) => Ok(Accepted::Yes),
        }
    }

    /// Resolves a conflict: the remote version replaces the local one, which becomes a new memory.
    /// In between, the local version is in the history.
    async fn keep_both(&self, own: &Memory, other: &Entry) -> Result<Accepted, SyncError> {
        // If both contents are equal, merging the labels is enough.
        if let Some(joined) = Entry::of(own).joined(other) {
            return self.take(&own.id, Some(own), &joined).await;
        }
        if self.take(&own.id, Some(own), other).await? == Accepted::No {
            return Ok(Accepted::No);
        }
        let Some(mut copy) = Entry::of(own).checked() else { return Ok(Accepted::Yes) };
        copy.tags.extend(Tag::parse("sync-conflict").ok());
        copy.tags.dedup();
        copy.source.get_or_insert_with(|| format!("conflict with {}", own.id));
        self.store.capture(self.new_memory(None, copy)).await?;
        Ok(Accepted::Yes)
    }

    /// The new local memory for a remote entry.
    fn new_memory(&self, id: Option<MemoryId>, it: Checked) -> NewMemory {
        NewMemory {
            owner: self.access.owner.clone(),
            scope: WritableScope::project(self.project.clone()),
            namespace: it.namespace,
            content: it.content,
            tags: it.tags,
            source: it.source,
            created: it.created,
            expires: it.expires,
            id,
            arrived_micros: None,
        }
    }

    /// Pushes a commit on top of `head`; false if another push was faster.
    async fn push(&self, head: Option<&str>, send: &Entries) -> Result<bool, SyncError> {
        if send.is_empty() {
            return Ok(true);
        }
        // A ref of its own holds the commit until it is pushed, so that no other ref moves.
        let unique = hobnob_store::memory::MemoryId::random();
        let unique = unique.map_err(|error| StoreError::Failed(error.to_string()))?;
        let staging = format!("refs/hobnob/staging-{unique}");
        let stream = import_stream(&staging, head, send);
        self.git.run(&["fast-import", "--quiet", "--force"], stream).await?;
        let target = format!("{staging}:{}", self.sync_ref);
        let pushed = self.git.ask(&["push", "--no-verify", "--", REMOTE, &target]).await;
        self.git.ask(&["update-ref", "-d", &staging]).await?;
        match pushed {
            Ok(_) => Ok(true),
            Err(GitError::Failed { message, .. }) if is_overtaken(&message) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether a push failed because another one was faster, and not because the remote refused it.
fn is_overtaken(message: &str) -> bool {
    let words = ["[rejected]", "cannot lock ref", "failed to update ref", "failed to lock"];
    words.iter().any(|word| message.contains(word))
}

fn side<'a>(entry: &Option<Entry>, digest: &'a Option<Vec<u8>>) -> MergeSide<'a> {
    match (entry, digest) {
        (Some(entry), Some(digest)) if entry.is_deleted() => MergeSide::Deleted(digest),
        (Some(_), Some(digest)) => MergeSide::Alive(digest),
        _ => MergeSide::Missing,
    }
}

/// One commit as a stream for `git fast-import`.
fn import_stream(branch: &str, head: Option<&str>, send: &Entries) -> Vec<u8> {
    let mut stream = Vec::new();
    let words = format!("{} memories", send.len());
    let now = hobnob_store::Time::now().millis() / 1_000;
    let mut line = |text: &str| {
        stream.extend_from_slice(text.as_bytes());
        stream.push(b'\n');
    };
    line(&format!("commit {branch}"));
    line(&format!("committer Hobnob <> {now} +0000"));
    line(&format!("data {}", words.len()));
    line(&words);
    if let Some(head) = head {
        line(&format!("from {head}"));
    }
    for (id, entry) in send {
        let bytes = entry.bytes();
        stream.extend_from_slice(format!("M 100644 inline {}\n", path(id)).as_bytes());
        stream.extend_from_slice(format!("data {}\n", bytes.len()).as_bytes());
        stream.extend_from_slice(&bytes);
        stream.push(b'\n');
    }
    stream
}

/// The next object in the output of `git cat-file --batch`.
fn next_blob(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&output[..end]).ok()?;
    let size: usize = header.rsplit(' ').next()?.parse().ok()?;
    let blob = output.get(end + 1..end + 1 + size)?;
    Some((blob, output.get(end + 2 + size..)?))
}
