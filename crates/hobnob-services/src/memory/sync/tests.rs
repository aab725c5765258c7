//! Two clones of a bare repository, with the real `git` between them.

use super::exchange::{Exchange, Exchanged, SyncError};
use super::git::Git;
use super::remote::{BadRemote, Remote};
use super::repository::SyncFolder;
use crate::NoProgramLog;
use crate::memory::project::configured_remote;
use crate::memory::recall::Recall;
use crate::memory::{MemoryOptions, MemoryParts, MemoryService, SecretsRule};
use hobnob_policy::GrantSet;
use hobnob_secrets::{ScanScope, Scanner};
use hobnob_store::memory::{
    Captured, Memory, MemoryAccess, MemoryEdit, MemoryFilter, MemoryRepository as _, NewMemory,
    OrgRole, PageRequest, Tag, WritableScope,
};
use hobnob_store::suite::note_in;
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const REF: &str = "refs/notes/hobnob";

/// A folder with a bare repository, removed after the test.
struct TestFolder(PathBuf);

impl Drop for TestFolder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

impl TestFolder {
    fn new() -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("hobnob-sync-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        git(&folder, &["init", "--quiet", "--bare", "origin.git"]);
        Self(folder)
    }

    fn side(&self, name: &str) -> ClonedProject {
        git(&self.0, &["clone", "--quiet", "origin.git", name]);
        self.again(name, SecretsRule::Block)
    }

    /// An existing clone, opened with another rule.
    fn again(&self, name: &str, secrets: SecretsRule) -> ClonedProject {
        let folder = self.0.join(name);
        let store = SqliteStore::open(&self.0.join(format!("{name}.db"))).unwrap();
        let service = MemoryService::new(MemoryParts {
            memories: Arc::new(store.clone()),
            prompts: Arc::new(store.clone()),
            marks: Arc::new(store.clone()),
            recall: Recall::new(Arc::new(store.clone()), None),
            scanner: Scanner::new(ScanScope::default()),
            settings: MemoryOptions { secrets, ..MemoryOptions::default() },
            folder: folder.clone(),
            sync_folder: self.0.join(format!("{name}-sync")),
            programs: Arc::new(NoProgramLog),
            vector_lock: Box::new(|| Some(Box::new(()))),
            model: None,
            grants: Arc::new(GrantSet::nothing()),
        });
        let sync_folder = self.0.join(format!("{name}-sync"));
        ClonedProject { folder, sync_folder, store, service }
    }
}

fn git(folder: &Path, words: &[&str]) -> String {
    let done = Command::new("git").arg("-C").arg(folder).args(words).output().unwrap();
    assert!(done.status.success(), "{words:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// One clone and its store.
struct ClonedProject {
    folder: PathBuf,
    sync_folder: PathBuf,
    store: SqliteStore,
    service: MemoryService,
}

impl ClonedProject {
    fn access(&self) -> MemoryAccess {
        let project = Some(self.service.project().key.clone());
        MemoryAccess {
            owner: Owner::default(),
            org: Some(OrgRole::Admin),
            project,
            now: Time::now(),
        }
    }

    fn remote(&self) -> Result<Remote, BadRemote> {
        Remote::check(&self.folder, &configured_remote(&self.folder).unwrap())
    }

    async fn sync(&self) -> Result<Exchanged, SyncError> {
        let remote = self.remote().unwrap();
        let folder = SyncFolder::of(&self.sync_folder, &self.folder, &remote);
        let repository = folder.repository(&remote).unwrap();
        let exchange = Exchange {
            store: &self.store,
            marks: &self.store,
            rules: self.service.0.rules,
            git: Git::new(repository, &self.folder, "local", Arc::new(NoProgramLog)),
            access: self.access(),
            project: self.service.project().key.clone(),
            sync_ref: REF,
        };
        exchange.run().await
    }

    async fn capture(&self, content: &str) -> Memory {
        self.capture_with(content, &[], None).await
    }

    async fn capture_with(&self, content: &str, tags: &[&str], source: Option<&str>) -> Memory {
        let new = NewMemory {
            owner: Owner::default(),
            scope: WritableScope::project(self.service.project().key.clone()),
            tags: tags.iter().map(|tag| Tag::parse(tag).unwrap()).collect(),
            source: source.map(str::to_owned),
            created: Time::now(),
            ..note_in("decisions", content).unwrap()
        };
        match self.store.capture(new).await.unwrap() {
            Captured::New(memory) | Captured::Same(memory) => memory,
        }
    }

    async fn change(&self, memory: &Memory, content: &str) {
        let edit = MemoryEdit { content: Some(content.into()), ..MemoryEdit::default() };
        self.store.update(self.access(), memory.id.clone(), edit).await.unwrap();
    }

    async fn contents(&self) -> Vec<String> {
        let page = PageRequest { after: None, limit: 1_000 };
        let part = self.store.list(self.access(), MemoryFilter::default(), page).await.unwrap();
        let mut contents: Vec<String> = part.items.into_iter().map(|it| it.content).collect();
        contents.sort();
        contents
    }
}

fn counts(sent: usize, taken: usize, conflicts: usize) -> Exchanged {
    Exchanged { sent, taken, conflicts, ..Exchanged::default() }
}

#[tokio::test]
async fn what_one_captures_the_other_finds() {
    let folder = TestFolder::new();
    let (here, there) = (folder.side("here"), folder.side("there"));
    let first = here.capture("Use PostgreSQL\nwith 🐘 and \"quotes\"").await;
    there.capture("Deploy on Fridays only with two people").await;
    assert_eq!(here.sync().await.unwrap(), counts(1, 0, 0));
    assert_eq!(there.sync().await.unwrap(), counts(1, 1, 0));
    assert_eq!(here.sync().await.unwrap(), counts(0, 1, 0));
    assert_eq!(here.sync().await.unwrap(), counts(0, 0, 0), "nothing is left to exchange");
    assert_eq!(here.contents().await, there.contents().await);
    // A change and a deletion travel; the id stays the same.
    here.change(&first, "Use PostgreSQL 17").await;
    assert_eq!(here.sync().await.unwrap(), counts(1, 0, 0));
    assert_eq!(there.sync().await.unwrap(), counts(0, 1, 0));
    let found = there.store.get(there.access(), first.id.clone()).await.unwrap().unwrap();
    assert_eq!(found.content, "Use PostgreSQL 17");
    there.store.delete(there.access(), first.id.clone()).await.unwrap();
    assert_eq!(there.sync().await.unwrap(), counts(1, 0, 0));
    assert_eq!(here.sync().await.unwrap(), counts(0, 1, 0));
    assert_eq!(here.contents().await, ["Deploy on Fridays only with two people"]);
    // No other ref was touched, and the pushed history is linear.
    assert_eq!(git(&here.folder, &["for-each-ref"]), "");
    let log = git(&folder.0.join("origin.git"), &["log", "--format=%s", REF]);
    assert_eq!(log.lines().count(), 4, "{log}");
}

#[tokio::test]
async fn what_both_captured_gets_the_labels_of_both() {
    let folder = TestFolder::new();
    let (here, there) = (folder.side("here"), folder.side("there"));
    let text = "The cache lives for an hour";
    here.capture_with(text, &["cache"], Some("docs/cache.md")).await;
    there.capture_with(text, &["time"], None).await;
    for _ in 0..3 {
        here.sync().await.unwrap();
        there.sync().await.unwrap();
    }
    for side in [&here, &there] {
        assert_eq!(side.sync().await.unwrap(), counts(0, 0, 0), "nothing is left to exchange");
        let page = PageRequest { after: None, limit: 9 };
        let found = side.store.list(side.access(), MemoryFilter::default(), page).await.unwrap();
        let [memory] = found.items.as_slice() else { panic!("{found:?}") };
        let tags: Vec<&str> = memory.tags.iter().map(Tag::as_str).collect();
        assert_eq!(tags, ["cache", "time"]);
        assert_eq!(memory.source.as_deref(), Some("docs/cache.md"));
    }
}

#[tokio::test]
async fn what_changed_on_both_sides_is_kept_twice() {
    let folder = TestFolder::new();
    let (here, there) = (folder.side("here"), folder.side("there"));
    let memory = here.capture("The cache lives for an hour").await;
    here.sync().await.unwrap();
    there.sync().await.unwrap();
    here.change(&memory, "The cache lives for a minute").await;
    there.change(&memory, "The cache lives for a day").await;
    assert_eq!(here.sync().await.unwrap(), counts(1, 0, 0));
    assert_eq!(there.sync().await.unwrap().conflicts, 1);
    let both = ["The cache lives for a day", "The cache lives for a minute"];
    assert_eq!(there.contents().await, both);
    there.sync().await.unwrap();
    here.sync().await.unwrap();
    assert_eq!(here.contents().await, both, "the other side receives both");
    // One side deletes what the other changes: the changed memory survives.
    here.store.delete(here.access(), memory.id.clone()).await.unwrap();
    there.change(&memory, "The cache lives for a week").await;
    here.sync().await.unwrap();
    assert_eq!(there.sync().await.unwrap().conflicts, 1);
    here.sync().await.unwrap();
    assert!(here.contents().await.contains(&"The cache lives for a week".to_owned()));
}

#[tokio::test]
async fn what_was_merged_here_and_changed_there_lives() {
    let folder = TestFolder::new();
    let (here, there) = (folder.side("here"), folder.side("there"));
    let memory = here.capture("The cache lives for an hour").await;
    let other = here.capture("The cache lives for one hour").await;
    here.sync().await.unwrap();
    there.sync().await.unwrap();
    let merged = NewMemory {
        owner: Owner::default(),
        scope: WritableScope::project(here.service.project().key.clone()),
        created: Time::now(),
        ..note_in("decisions", "The cache lives for an hour, says everybody").unwrap()
    };
    let old = vec![memory.id.clone(), other.id.clone()];
    here.store.supersede(here.access(), old, merged).await.unwrap();
    there.change(&memory, "The cache lives for a day").await;
    there.sync().await.unwrap();
    for _ in 0..2 {
        here.sync().await.unwrap();
        there.sync().await.unwrap();
    }
    let expected = ["The cache lives for a day", "The cache lives for an hour, says everybody"];
    assert_eq!(here.contents().await, expected, "the merged ones do not come back");
    assert_eq!(there.contents().await, expected);
}

#[tokio::test]
async fn secrets_of_others_are_neither_taken_nor_overwritten() {
    let folder = TestFolder::new();
    let (here, there) = (folder.side("here"), folder.side("there"));
    let memory = here.capture("Ask the office").await;
    here.sync().await.unwrap();
    there.sync().await.unwrap();
    let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
    there.change(&memory, &format!("aws_access_key_id = {key}")).await;
    let done = there.sync().await.unwrap();
    assert_eq!(
        (done.sent, done.refused),
        (0, 1),
        "what must not be captured does not leave either"
    );
    // The other side's Hobnob does not scan for secrets.
    let there = folder.again("there", SecretsRule::Off);
    there.sync().await.unwrap();
    here.change(&memory, "Ask the front office").await;
    let done = here.sync().await.unwrap();
    assert_eq!((done.sent, done.taken, done.refused), (0, 0, 1));
    assert_eq!(here.contents().await, ["Ask the front office"]);
}

#[tokio::test]
async fn a_secret_of_the_past_can_be_deleted_everywhere() {
    let folder = TestFolder::new();
    drop(folder.side("here"));
    let careless = folder.again("here", SecretsRule::Off);
    let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
    let memory = careless.capture(&format!("aws_access_key_id = {key}")).await;
    assert_eq!(careless.sync().await.unwrap(), counts(1, 0, 0));
    let here = folder.again("here", SecretsRule::Block);
    here.store.delete(here.access(), memory.id.clone()).await.unwrap();
    assert_eq!(here.sync().await.unwrap().sent, 1);
    let path = super::entry::path(&memory.id);
    let left = git(&folder.0.join("origin.git"), &["show", &format!("{REF}:{path}")]);
    assert!(!left.contains(&key), "{left}");
}

#[tokio::test]
async fn what_is_said_about_a_memory_on_both_sides_is_joined() {
    let folder = TestFolder::new();
    let (here, there) = (folder.side("here"), folder.side("there"));
    let memory = here.capture("The cache lives for an hour").await;
    here.sync().await.unwrap();
    there.sync().await.unwrap();
    let tags = |word: &str| Some(vec![Tag::parse(word).unwrap()]);
    let own = MemoryEdit {
        tags: tags("cache"),
        source: Some(Some("notes.md".into())),
        ..MemoryEdit::default()
    };
    here.store.update(here.access(), memory.id.clone(), own).await.unwrap();
    let other = MemoryEdit { tags: tags("speed"), ..MemoryEdit::default() };
    there.store.update(there.access(), memory.id.clone(), other).await.unwrap();
    for _ in 0..3 {
        there.sync().await.unwrap();
        here.sync().await.unwrap();
    }
    for side in [&here, &there] {
        let found = side.store.get(side.access(), memory.id.clone()).await.unwrap().unwrap();
        let tags: Vec<&str> = found.tags.iter().map(Tag::as_str).collect();
        assert_eq!((tags, found.source.as_deref()), (vec!["cache", "speed"], Some("notes.md")));
        assert_eq!(side.contents().await.len(), 1);
        assert_eq!(side.sync().await.unwrap(), counts(0, 0, 0));
    }
}

#[tokio::test]
async fn both_at_once_lose_nothing() {
    let folder = TestFolder::new();
    let sides = [folder.side("one"), folder.side("two"), folder.side("three")];
    for (number, side) in sides.iter().enumerate() {
        for turn in 0..5 {
            side.capture(&format!("memory {turn} of clone {number}")).await;
        }
    }
    let (one, two, three) = tokio::join!(sides[0].sync(), sides[1].sync(), sides[2].sync());
    for done in [one, two, three] {
        // A clone that is overtaken too often reports it and has lost nothing.
        assert!(matches!(done, Ok(_) | Err(SyncError::Overtaken)), "{done:?}");
    }
    for _ in 0..2 {
        for side in &sides {
            side.sync().await.unwrap();
        }
    }
    for side in &sides {
        assert_eq!(side.contents().await.len(), 15);
    }
}

#[tokio::test]
async fn without_the_remote_nothing_changes() {
    let folder = TestFolder::new();
    let here = folder.side("here");
    here.capture("Use PostgreSQL").await;
    std::fs::rename(folder.0.join("origin.git"), folder.0.join("gone.git")).unwrap();
    assert!(matches!(here.remote(), Err(BadRemote::Absent(_))));
    assert_eq!(here.contents().await, ["Use PostgreSQL"]);
    std::fs::rename(folder.0.join("gone.git"), folder.0.join("origin.git")).unwrap();
    assert_eq!(here.sync().await.unwrap(), counts(1, 0, 0));
    git(&here.folder, &["remote", "remove", "origin"]);
    assert_eq!(configured_remote(&here.folder), None);
}

#[tokio::test]
async fn files_that_make_no_sense_are_left_alone() {
    let folder = TestFolder::new();
    let here = folder.side("here");
    let memory = here.capture("Use PostgreSQL").await;
    here.sync().await.unwrap();
    // Another program writes to the same ref.
    let origin = folder.0.join("origin.git");
    let head = git(&origin, &["rev-parse", REF]);
    let script = format!(
        "commit {REF}\ncommitter Other <o@example.com> 1700000000 +0000\ndata 1\nx\nfrom {}\n\
         M 100644 inline memories/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.json\ndata 9\n{{\"oops\":1\n\
         M 100644 inline README\ndata 5\nhello\n",
        head.trim()
    );
    let mut import = Command::new("git");
    import.arg("-C").arg(&origin).args(["fast-import", "--quiet"]);
    let mut child = import.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    here.change(&memory, "Use PostgreSQL 17").await;
    let done = here.sync().await.unwrap();
    assert_eq!((done.sent, done.unreadable), (1, 1));
    let files = git(&origin, &["ls-tree", "-r", "--name-only", REF]);
    assert_eq!(files.lines().count(), 3, "nothing of theirs is gone: {files}");
}

/// A secret in a tag is refused in its original case, wherever the entry comes from.
#[tokio::test]
async fn tags_of_others_are_looked_at_as_they_are_written() {
    let folder = TestFolder::new();
    let here = folder.side("here");
    let key = ["AKIA", "J5Q7R2D9KX4WMN3P"].concat();
    let entry = format!(
        "{{\"namespace\":\"decisions\",\"tags\":[\"{key}\"],\"status\":\"active\",\
         \"created_at\":\"2026-01-01T00:00:00Z\",\"content\":\"Ask the office\"}}"
    );
    let script = format!(
        "commit {REF}\ncommitter Other <o@example.com> 1700000000 +0000\ndata 1\nx\n\
         M 100644 inline memories/aa/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.json\ndata {}\n{entry}\n",
        entry.len()
    );
    let mut import = Command::new("git");
    import.arg("-C").arg(folder.0.join("origin.git")).args(["fast-import", "--quiet"]);
    let mut child = import.stdin(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let done = here.sync().await.unwrap();
    assert_eq!((done.taken, done.refused), (0, 1));
    assert_eq!(here.contents().await, Vec::<String>::new());
}

/// A local remote may hold programs; neither fetching nor sending runs them.
#[cfg(unix)]
#[tokio::test]
async fn hooks_of_a_remote_folder_are_not_run() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TestFolder::new();
    let here = folder.side("here");
    let canary = folder.0.join("canary");
    let hooks = ["pre-receive", "update", "post-receive", "post-update", "reference-transaction"];
    for hook in hooks.iter().chain(&["proc-receive", "push-to-checkout", "pre-auto-gc"]) {
        let file = folder.0.join("origin.git/hooks").join(hook);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("#!/bin/sh\ntouch '{}'\n", canary.display())).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    here.capture("Use PostgreSQL").await;
    assert_eq!(here.sync().await.unwrap(), counts(1, 0, 0));
    assert!(!canary.exists(), "a hook was run");
    // A configuration that could run programs disqualifies the remote.
    for (key, value) in [
        ("core.alternateRefsCommand", "touch canary"),
        ("core.fsmonitor", "touch canary"),
        ("include.path", "/tmp/other"),
        ("uploadpack.packObjectsHook", "touch canary"),
        ("gc.recentObjectsHook", "touch canary"),
        ("remote.x.promisor", "true"),
        ("extensions.worktreeConfig", "true"),
        ("core.worktree", "/"),
        ("filter.x.clean", "touch canary"),
    ] {
        git(&folder.0.join("origin.git"), &["config", key, value]);
        let message = here.remote().unwrap_err().to_string().to_lowercase();
        let last = key.rsplit('.').next().unwrap().to_lowercase();
        assert!(message.contains(&last), "{key}: {message}");
        git(&folder.0.join("origin.git"), &["config", "--unset", key]);
    }
    here.remote().expect("in order again");
    std::fs::create_dir(folder.0.join("origin.git/.git")).unwrap();
    assert!(matches!(here.remote(), Err(BadRemote::Unsafe { .. })));
}
