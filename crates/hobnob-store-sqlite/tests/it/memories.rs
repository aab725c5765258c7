//! Memories and prompts on SQLite: the suite, durability, and the changes that other processes
//! receive.

use hobnob_store::changes::{
    ChangeFeed, ChangeSource as _, ChangedRecord, FeedEvent, RecordChange,
};
use hobnob_store::memory::{
    Captured, Memory, MemoryAccess, MemoryEdit, MemoryFilter, MemoryRepository, MemoryScope,
    Namespace, NewMemory, OrgRole, PromptRepository, ScopeKind, StoredPrompt, Tag, WritableScope,
};
use hobnob_store::suite::{self, TemporaryFolder, note_in};
use hobnob_store::{Owner, ProjectKey, Time};
use hobnob_store_sqlite::SqliteStore;
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

#[tokio::test]
async fn memories_pass_the_suite() {
    let (folder, count) = (TemporaryFolder::new().unwrap(), Cell::new(0));
    suite::memories(async || Arc::new(fresh(&folder, &count)) as Arc<dyn MemoryRepository>)
        .await
        .unwrap();
}

#[tokio::test]
async fn prompts_pass_the_suite() {
    let (folder, count) = (TemporaryFolder::new().unwrap(), Cell::new(0));
    suite::prompts(async || Arc::new(fresh(&folder, &count)) as Arc<dyn PromptRepository>)
        .await
        .unwrap();
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_reopening() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let mut captures = JoinSet::new();
    for number in 0..64 {
        let store = store.clone();
        captures.spawn(async move { store.capture(note(&number.to_string())).await });
    }
    let mut acknowledged: Vec<Memory> = Vec::new();
    for captured in captures.join_all().await {
        let Captured::New(memory) = captured.unwrap() else { panic!("each is new") };
        acknowledged.push(memory);
    }
    drop(store);
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    assert_eq!(acknowledged.len(), 64);
    for memory in acknowledged {
        assert_eq!(store.get(access(), memory.id.clone()).await.unwrap(), Some(memory));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_its_owner_can_read_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = TemporaryFolder::new().unwrap();
    let file = folder.file("a/b/store.db");
    let store = SqliteStore::open(&file).unwrap();
    store.capture(note("private")).await.unwrap();
    let mode =
        |path: &str| std::fs::metadata(folder.file(path)).unwrap().permissions().mode() & 0o777;
    for (path, expected) in [
        ("a", 0o700),
        ("a/b", 0o700),
        ("a/b/store.db", 0o600),
        ("a/b/store.db-wal", 0o600),
        ("a/b/store.db-shm", 0o600),
    ] {
        assert_eq!(mode(path), expected, "{path}");
    }
}

#[tokio::test]
async fn every_process_receives_every_change_in_order() {
    let folder = TemporaryFolder::new().unwrap();
    let ours = SqliteStore::open(&folder.file("store.db")).unwrap();
    // A second handle on the file shares no state with this one, like another process.
    let theirs = SqliteStore::open(&folder.file("store.db")).unwrap();
    let mut feeds = [ours.feed().await.unwrap(), theirs.feed().await.unwrap()];
    let id = new(&ours, note("first")).await.id;
    let namespace = Some(Namespace::parse("patterns").unwrap());
    let edit = MemoryEdit { namespace, ..MemoryEdit::default() };
    theirs.update(access(), id.clone(), edit.clone()).await.unwrap();
    ours.delete(access(), id.clone()).await.unwrap();
    theirs.restore(access(), id.clone()).await.unwrap();
    let second =
        theirs.supersede(access(), vec![id.clone()], in_project("second")).await.unwrap().id;
    ours.purge(access(), second.clone()).await.unwrap();
    ours.save(prompt()).await.unwrap();
    theirs.remove(Owner::named("ann"), "greeting".into()).await.unwrap();
    ours.restore(access(), id.clone()).await.unwrap();
    // None of these operations changes anything.
    theirs.restore(access(), id.clone()).await.unwrap();
    ours.update(access(), id.clone(), edit).await.unwrap();
    ours.delete(access(), second.clone()).await.unwrap_err();
    ours.remove(Owner::named("ann"), "greeting".into()).await.unwrap();
    ours.clean_up(None, now(), now()).await.unwrap();
    let third = new(&theirs, note("third")).await.id;
    let of = |scope, project: &str, namespace: &str, id: &str| {
        let (project, namespace, id) = (project.into(), namespace.into(), id.into());
        ChangedRecord::Memory { scope, project, namespace, id }
    };
    let user = |namespace, id| of(ScopeKind::User, "", namespace, id);
    let project = |id| of(ScopeKind::Project, "alpha", "decisions", id);
    let greeting = || ChangedRecord::Prompt { name: "greeting".into() };
    let expected = [
        user("decisions", id.as_str()),
        user("decisions", id.as_str()),
        user("patterns", id.as_str()),
        user("patterns", id.as_str()),
        user("patterns", id.as_str()),
        user("patterns", id.as_str()),
        project(second.as_str()),
        project(second.as_str()),
        greeting(),
        greeting(),
        user("patterns", id.as_str()),
        user("decisions", third.as_str()),
    ];
    for feed in &mut feeds {
        let changes = receive(&mut **feed, expected.len()).await;
        assert!(changes.iter().all(|changed| changed.owner.as_str() == "ann"));
        let changes: Vec<ChangedRecord> = changes.into_iter().map(|changed| changed.what).collect();
        assert_eq!(changes, expected);
    }
}

#[tokio::test]
async fn a_feed_receives_what_comes_while_it_waits() {
    let folder = TemporaryFolder::new().unwrap();
    let ours = SqliteStore::open(&folder.file("store.db")).unwrap();
    let theirs = SqliteStore::open(&folder.file("store.db")).unwrap();
    let mut feed = ours.feed().await.unwrap();
    for (number, store) in [&ours, &theirs, &ours, &theirs].into_iter().enumerate() {
        let write = new(store, note(&number.to_string()));
        let (changes, memory) = tokio::join!(receive(&mut *feed, 1), write);
        let ChangedRecord::Memory { id, .. } = &changes[0].what else {
            panic!("a memory: {changes:?}")
        };
        assert_eq!(id, memory.id.as_str());
    }
}

#[tokio::test]
async fn of_too_many_changes_one_of_each_owner_and_scope_is_reported() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let mut feed = store.feed().await.unwrap();
    let many = (0..999).map(|number| note(&number.to_string())).collect();
    store.capture_all(many).await.unwrap();
    assert_eq!(receive(&mut *feed, 999).await.len(), 999);
    let org = || WritableScope::new(MemoryScope::Org, Some(OrgRole::Writer)).unwrap();
    let more = (1_000..2_002).map(|number| match number % 3 {
        0 => note(&number.to_string()),
        1 => NewMemory { owner: Owner::named("bob"), ..note(&number.to_string()) },
        _ => NewMemory { scope: org(), ..note(&number.to_string()) },
    });
    store.capture_all(more.collect()).await.unwrap();
    let FeedEvent::Many(changes) = next(&mut *feed).await else { panic!("not so many") };
    let kind = |change: &RecordChange| match &change.what {
        ChangedRecord::Memory { scope, .. } => (change.owner.as_str().to_owned(), *scope),
        other => panic!("{other:?}"),
    };
    let mut kinds: Vec<_> = changes.iter().map(kind).collect();
    kinds.sort();
    let (ann, bob) = ("ann".to_owned(), "bob".to_owned());
    let expected = [(ann.clone(), ScopeKind::User), (ann, ScopeKind::Org), (bob, ScopeKind::User)];
    assert_eq!(kinds, expected);
    let last = new(&store, note("after that")).await;
    let changes = receive(&mut *feed, 1).await;
    assert!(matches!(&changes[0].what, ChangedRecord::Memory { id, .. } if id == last.id.as_str()));
}

#[tokio::test]
async fn a_filter_may_name_thousands() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    new(&store, note("one")).await;
    let names: Vec<Namespace> =
        (0..5_000).map(|number| Namespace::parse(&format!("n{number}")).unwrap()).collect();
    let filter = MemoryFilter { namespaces: names, ..MemoryFilter::default() };
    assert_eq!(store.count(access(), filter).await.unwrap(), 0);
}

#[test]
fn a_tag_that_is_read_again_is_the_same() {
    for letter in '\0'..=char::MAX {
        for word in [letter.to_string(), format!("ß{letter}σ")] {
            if let Ok(tag) = Tag::parse(&word) {
                assert_eq!(Tag::parse(tag.as_str()), Ok(tag), "{word:?}");
            }
        }
    }
}

fn fresh(folder: &TemporaryFolder, count: &Cell<u32>) -> SqliteStore {
    count.set(count.get() + 1);
    SqliteStore::open(&folder.file(&format!("{}.db", count.get()))).unwrap()
}

fn now() -> Time {
    Time::from_millis(4_000_000_000_000)
}

fn access() -> MemoryAccess {
    let project = Some(ProjectKey::new("alpha"));
    MemoryAccess { owner: Owner::named("ann"), org: Some(OrgRole::Writer), project, now: now() }
}

fn note(content: &str) -> NewMemory {
    NewMemory { created: now(), ..note_in("decisions", content).unwrap() }
}

fn in_project(content: &str) -> NewMemory {
    NewMemory { scope: WritableScope::project(ProjectKey::new("alpha")), ..note(content) }
}

fn prompt() -> StoredPrompt {
    StoredPrompt {
        owner: Owner::named("ann"),
        name: "greeting".into(),
        description: None,
        template: "Hello {{name}}".into(),
        updated: now(),
    }
}

async fn new(store: &SqliteStore, new: NewMemory) -> Memory {
    match store.capture(new).await.unwrap() {
        Captured::New(memory) => memory,
        Captured::Same(memory) => panic!("{memory:?} is not the same"),
    }
}

/// The next `count` changes of a feed.
async fn receive(feed: &mut dyn ChangeFeed, count: usize) -> Vec<RecordChange> {
    let mut changes = Vec::new();
    while changes.len() < count {
        match next(feed).await {
            FeedEvent::Changes(more) => changes.extend(more),
            FeedEvent::Many(_) | FeedEvent::Everything => panic!("so few are reported one by one"),
        }
    }
    changes
}

/// Fails instead of blocking for ever if the feed never reports a change.
async fn next(feed: &mut dyn ChangeFeed) -> FeedEvent {
    tokio::time::timeout(Duration::from_secs(60), feed.next()).await.unwrap().unwrap()
}
