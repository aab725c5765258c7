//! Tasks in SQLite: the suite, many claimers on one file, and the changes in every feed.

use hobnob_store::changes::{
    ChangeFeed, ChangeSource as _, ChangedRecord, FeedEvent, RecordChange,
};
use hobnob_store::suite::{self, TemporaryFolder, new_task};
use hobnob_store::tasks::{
    ListName, NewTask, Priority, StoredTask, StoredTaskStatus, TaskAccess, TaskEdit, TaskFilter,
    TaskId, TaskRepository, Worker,
};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const LEASE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn sqlite_does_what_the_port_says() {
    let folder = TemporaryFolder::new().unwrap();
    let count = AtomicUsize::new(0);
    suite::tasks(async || {
        let name = format!("{}.db", count.fetch_add(1, Ordering::Relaxed));
        let store: Arc<dyn TaskRepository> =
            Arc::new(SqliteStore::open(&folder.file(&name)).unwrap());
        store
    })
    .await
    .unwrap();
}

/// Each store has its own connection and writer, like a separate process.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_claimers_never_get_the_same() {
    const TASKS: usize = 400;
    let folder = TemporaryFolder::new().unwrap();
    let stores: Vec<SqliteStore> =
        (0..4).map(|_| SqliteStore::open(&folder.file("store.db")).unwrap()).collect();
    let mut making = JoinSet::new();
    for number in 0..TASKS {
        let store = stores[number % stores.len()].clone();
        let new = NewTask { priority: Priority::ALL[number % 4], ..new_task("work") };
        making.spawn(async move { store.create(access(0), new).await.unwrap().id });
    }
    let made: BTreeSet<TaskId> = making.join_all().await.into_iter().collect();
    assert_eq!(made.len(), TASKS);

    let claimed = claim_all(&stores, 1).await;
    assert_eq!(claimed.len(), TASKS, "each is claimed once");
    assert_eq!(claimed.iter().cloned().collect::<BTreeSet<_>>(), made);
    assert_eq!(claim_all(&stores, 2).await, [], "all are taken");

    // Half of the workers finish; the others vanish.
    let (done, left): (Vec<_>, Vec<_>) =
        claimed.into_iter().enumerate().partition(|(number, _)| number % 2 == 0);
    let mut finishing = JoinSet::new();
    for (number, id) in done {
        let store = stores[number % stores.len()].clone();
        let edit = TaskEdit {
            status: Some(StoredTaskStatus::Completed),
            worker: Some(Worker::new("agent")),
            ..TaskEdit::default()
        };
        finishing.spawn(async move { drop(store.update(access(3), id, edit).await.unwrap()) });
    }
    finishing.join_all().await;
    let left: BTreeSet<TaskId> = left.into_iter().map(|(_, id)| id).collect();
    let claimed = claim_all(&stores, 1 + 60).await;
    assert_eq!(claimed.len(), left.len(), "each that was left is claimed once more");
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), left);
}

/// Sixteen workers of the same name claim until no task is left; returns the claimed ids.
async fn claim_all(stores: &[SqliteStore], seconds: i64) -> Vec<TaskId> {
    let mut claimers = JoinSet::new();
    for number in 0..16 {
        let store = stores[number % stores.len()].clone();
        claimers.spawn(async move {
            let mut got = Vec::new();
            let all = TaskFilter::default;
            let who = || Worker::new("agent");
            while let Some(task) =
                store.claim(access(seconds), None, all(), who(), LEASE).await.unwrap()
            {
                got.push(task.id);
            }
            got
        });
    }
    claimers.join_all().await.concat()
}

/// A series of operations, and the tasks that each one affects.
#[tokio::test]
async fn every_feed_receives_what_changed() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let other = SqliteStore::open(&folder.file("store.db")).unwrap();
    let mut feed = other.feed().await.unwrap();
    let whole = store.create(access(1), new_task("whole")).await.unwrap();
    assert_eq!(changed_tasks(&mut *feed).await, names(&[&whole]));
    let part =
        NewTask { list: ListName::new("away"), parent: Some(whole.id.clone()), ..new_task("part") };
    let part = store.create(access(2), part).await.unwrap();
    assert_eq!(changed_tasks(&mut *feed).await, names(&[&part, &whole]));
    let waits = NewTask { blockers: vec![part.id.clone()], ..new_task("waits") };
    let waits = store.create(access(3), waits).await.unwrap();
    assert_eq!(changed_tasks(&mut *feed).await, names(&[&waits]));

    let claim = store.claim(access(4), Some(part.id.clone()), all(), Worker::new("w"), LEASE);
    claim.await.unwrap();
    assert_eq!(changed_tasks(&mut *feed).await, names(&[&part, &whole]), "a claim");
    // Refused operations and those without effect are not in the feed: the next change follows.
    store
        .claim(access(5), Some(part.id.clone()), all(), Worker::new("v"), LEASE)
        .await
        .unwrap_err();
    store.update(access(5), part.id.clone(), TaskEdit::default()).await.unwrap();
    store.add_blocker(access(5), waits.id.clone(), part.id.clone()).await.unwrap();
    set(&store, 100, &whole, StoredTaskStatus::InProgress).await;
    assert_eq!(
        changed_tasks(&mut *feed).await,
        names(&[&part, &whole, &whole]),
        "first the lease ended"
    );
    set(&store, 101, &part, StoredTaskStatus::Completed).await;
    assert_eq!(
        changed_tasks(&mut *feed).await,
        names(&[&part, &whole, &waits]),
        "what waits is free"
    );
    set(&store, 102, &part, StoredTaskStatus::Pending).await;
    assert_eq!(
        changed_tasks(&mut *feed).await,
        names(&[&part, &whole, &waits]),
        "and blocked again"
    );
    set(&store, 103, &part, StoredTaskStatus::Failed).await;
    assert_eq!(changed_tasks(&mut *feed).await, names(&[&part, &whole]), "still blocked");
    let alone = TaskEdit { parent: Some(None), ..TaskEdit::default() };
    store.update(access(104), part.id.clone(), alone).await.unwrap();
    assert_eq!(changed_tasks(&mut *feed).await, names(&[&part, &whole]), "no part any more");
    store.remove_blocker(access(105), waits.id.clone(), part.id.clone()).await.unwrap();
    assert_eq!(changed_tasks(&mut *feed).await, names(&[&waits]));
    store.delete(access(106), part.id.clone()).await.unwrap();
    assert_eq!(changed_tasks(&mut *feed).await, names(&[&part]));
}

async fn set(store: &SqliteStore, seconds: i64, task: &StoredTask, status: StoredTaskStatus) {
    let edit = TaskEdit { status: Some(status), ..TaskEdit::default() };
    store.update(access(seconds), task.id.clone(), edit).await.unwrap();
}

/// The changes of one commit; each operation here is one.
async fn changed_tasks(feed: &mut dyn ChangeFeed) -> Vec<(String, String)> {
    let FeedEvent::Changes(changes) = feed.next().await.unwrap() else {
        panic!("too much changed")
    };
    let name = |changed: RecordChange| match changed.what {
        ChangedRecord::Task { list, id } if changed.owner == Owner::named("ada") => (list, id),
        other => panic!("{other:?} of {:?}", changed.owner),
    };
    changes.into_iter().map(name).collect()
}

fn names(tasks: &[&StoredTask]) -> Vec<(String, String)> {
    tasks.iter().map(|task| (task.list.as_str().to_owned(), task.id.to_string())).collect()
}

fn access(seconds: i64) -> TaskAccess {
    TaskAccess { owner: Owner::named("ada"), now: Time::from_millis(seconds * 1_000) }
}

fn all() -> TaskFilter {
    TaskFilter::default()
}
