//! Quotas: what counts, for which owner, and what makes room again.

use crate::SqliteStore;
use crate::migrate::{STEPS, migrate};
use hobnob_store::memory::{Captured, MemoryAccess, MemoryError, MemoryRepository, NewMemory};
use hobnob_store::suite::{TemporaryFolder, note_in};
use hobnob_store::tasks::{ListName, NewTask, Priority, TaskAccess, TaskError, TaskRepository};
use hobnob_store::trees::{
    Claimant, NewNode, NewTree, NodeContent, NodeRef, TreeAccess, TreeError, TreeRef,
    TreeRepository as _,
};
use hobnob_store::{
    Owner, QuotaCount, QuotaCounts as _, StoreError, StoreQuotas, StoredKind, Time,
};
use rusqlite::Connection;
use std::num::NonZeroU32;
use std::time::Duration;

const QUOTAS: StoreQuotas = StoreQuotas { memories: Some(2), tasks: Some(2), tree_nodes: Some(3) };

fn open() -> (TemporaryFolder, SqliteStore) {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap().with_quotas(QUOTAS);
    (folder, store)
}

fn memory(owner: &str, content: &str) -> NewMemory {
    NewMemory {
        owner: Owner::named(owner),
        created: Time::now(),
        ..note_in("notes", content).unwrap()
    }
}

fn full(error: &StoreError) -> (StoredKind, u64, u64) {
    match error {
        StoreError::Full { kind, stored, limit } => (*kind, *stored, *limit),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn memories_count_until_they_are_purged() {
    let (folder, store) = open();
    let Captured::New(first) = store.capture(memory("ann", "one")).await.unwrap() else {
        panic!("nothing is there")
    };
    store.capture_or_merge(memory("ann", "something else entirely")).await.unwrap();
    let refused = store.capture(memory("ann", "three")).await.unwrap_err();
    assert_eq!(full(&refused), (StoredKind::Memories, 2, 2));
    let said = refused.to_string();
    assert!(said.contains("you have 2 memories, and may have 2: purge some"), "{said}");
    assert!(store.capture_or_merge(memory("ann", "three")).await.is_err());
    assert!(store.capture_all(vec![memory("ann", "three")]).await.is_err());
    let access =
        MemoryAccess { owner: Owner::named("ann"), project: None, org: None, now: Time::now() };
    let superseded =
        store.supersede(access.clone(), vec![first.id.clone()], memory("ann", "three")).await;
    assert!(matches!(superseded, Err(MemoryError::Store(StoreError::Full { .. }))));
    // Each owner has a separate quota, and another process counts the same records.
    store.capture_all(vec![memory("bob", "1 of bob"), memory("bob", "2 of bob")]).await.unwrap();
    let many = vec![memory("cid", "1"), memory("cid", "2"), memory("cid", "3")];
    assert_eq!(full(&store.capture_all(many).await.unwrap_err()).1, 0, "all of them or none");
    let other = SqliteStore::open(&folder.file("store.db")).unwrap().with_quotas(QUOTAS);
    assert!(other.capture(memory("ann", "three")).await.is_err());
    MemoryRepository::delete(&store, access.clone(), first.id.clone()).await.unwrap();
    assert!(other.capture(memory("ann", "three")).await.is_err(), "it could be restored");
    store.purge(access, first.id).await.unwrap();
    other.capture(memory("ann", "three")).await.unwrap();
    assert!(store.capture(memory("ann", "four")).await.is_err());
}

#[tokio::test]
async fn tasks_count_until_they_are_deleted() {
    let (_folder, store) = open();
    let access = TaskAccess { owner: Owner::named("ann"), now: Time::now() };
    let new = || NewTask {
        list: ListName::new("work"),
        description: "do it".into(),
        priority: Priority::default(),
        parent: None,
        blockers: Vec::new(),
    };
    let first = store.create(access.clone(), new()).await.unwrap();
    store.create(access.clone(), new()).await.unwrap();
    let Err(TaskError::Store(refused)) = store.create(access.clone(), new()).await else {
        panic!("one too many")
    };
    assert_eq!(full(&refused), (StoredKind::Tasks, 2, 2));
    TaskRepository::delete(&store, access.clone(), first.id).await.unwrap();
    store.create(access, new()).await.unwrap();
}

#[tokio::test]
async fn nodes_count_until_their_tree_is_gone() {
    let (_folder, store) = open();
    let access = TreeAccess { owner: Owner::named("ann"), now: Time::now() };
    let text = || NodeContent::Text { role: "user".into(), text: "hello".into() };
    let node = || NewNode { content: text(), metadata: None };
    let claimant = Claimant::new("me");
    let new = || NewTree { name: None, metadata: None, root: text(), claimant: claimant.clone() };
    let tree = TreeRef::Id(store.create_tree(access.clone(), new()).await.unwrap().id);
    let add = async |nodes| {
        store.append_nodes(access.clone(), tree.clone(), NodeRef::Root, nodes).await.map(drop)
    };
    add(vec![node()]).await.unwrap();
    let Err(TreeError::Store(refused)) = add(vec![node(), node()]).await else {
        panic!("one too many")
    };
    assert_eq!(full(&refused), (StoredKind::TreeNodes, 2, 3));
    add(vec![node()]).await.unwrap();
    assert!(store.create_tree(access.clone(), new()).await.is_err());
    store
        .release_tree(access.clone(), tree.clone(), claimant.clone(), NonZeroU32::MIN)
        .await
        .unwrap();
    // A year later the tree is gone.
    let later = access.now.plus(Duration::from_secs(366 * 86_400));
    assert_eq!(store.remove_gone(later, 10).await.unwrap(), 1);
    store.create_tree(access, new()).await.unwrap();
}

#[tokio::test]
async fn who_has_no_name_has_no_limit_unless_it_is_written() {
    let local = Owner::default();
    for kind in [StoredKind::Memories, StoredKind::Tasks, StoredKind::TreeNodes] {
        assert_eq!(StoreQuotas::default().limit(&local, kind), None);
        assert_eq!(StoreQuotas::default().limit(&Owner::named("ann"), kind), Some(1_000_000));
        assert!(QUOTAS.limit(&local, kind).is_some());
    }
}

/// Records stored before there were counters count too.
#[tokio::test]
async fn records_of_the_seventh_format_are_counted() {
    let folder = TemporaryFolder::new().unwrap();
    let file = folder.file("old.db");
    let mut connection = Connection::open(&file).unwrap();
    migrate(&mut connection, &STEPS[..7]).unwrap();
    for number in 0..2 {
        let sql = "INSERT INTO memories (id, owner, scope, project, namespace, status, version, \
                   created, updated, digest, content) VALUES \
                   (printf('%032x', ?1), 'ann', 'user', '', 'notes', 'active', 1, 0, 0, x'00', ?1)";
        connection.execute(sql, [number]).unwrap();
    }
    drop(connection);
    let store = SqliteStore::open(&file).unwrap().with_quotas(QUOTAS);
    assert!(store.capture(memory("ann", "three")).await.is_err());
    store.capture(memory("bob", "three")).await.unwrap();
}

/// The owner of this machine counts where a quota is configured, and named owners always do.
#[tokio::test]
async fn the_owner_nearest_to_a_quota_is_named() {
    let (_folder, store) = open();
    assert_eq!(store.nearest_quotas().await.unwrap(), []);
    for (owner, content) in [("ann", "one"), ("bob", "one of bob"), ("bob", "two of bob")] {
        store.capture(memory(owner, content)).await.unwrap();
    }
    store.capture(memory("", "one of the owner")).await.unwrap();
    let bob = |stored, limit| QuotaCount {
        kind: StoredKind::Memories,
        owner: Owner::named("bob"),
        stored,
        limit,
    };
    assert_eq!(store.nearest_quotas().await.unwrap(), [bob(2, 2)]);
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    for (owner, content) in [("", "one"), ("", "something else"), ("bob", "one of bob")] {
        store.capture(memory(owner, content)).await.unwrap();
    }
    let nearest = store.nearest_quotas().await.unwrap();
    assert_eq!(nearest, [bob(1, 1_000_000)], "the owner of this machine has no quota here");
}
