//! The ports of long calls, keys, changes, agent sessions, authorizations and usage in SQLite, and
//! the processes that run such calls.

use hobnob_store::agents::AgentSessionRepository;
use hobnob_store::authorizations::AuthorizationRepository;
use hobnob_store::calls::{CallId, CallRepository, PersistedCall};
use hobnob_store::keys::KeyRepository;
use hobnob_store::suite::{self, TemporaryFolder};
use hobnob_store::usage::UsageRepository;
use hobnob_store::{Instance, InstanceId, Owner, Store, Time};
use hobnob_store_sqlite::SqliteStore;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn sqlite_does_what_the_smaller_ports_say() {
    let folder = TemporaryFolder::new().unwrap();
    let count = AtomicUsize::new(0);
    let fresh = || {
        let name = format!("{}.db", count.fetch_add(1, Ordering::Relaxed));
        Arc::new(SqliteStore::open(&folder.file(&name)).unwrap())
    };
    suite::calls(async || fresh() as Arc<dyn CallRepository>).await.unwrap();
    suite::keys(async || fresh() as Arc<dyn KeyRepository>).await.unwrap();
    suite::changes(async || fresh() as Arc<dyn Store>).await.unwrap();
    suite::agents(async || fresh() as Arc<dyn AgentSessionRepository>).await.unwrap();
    suite::authorizations(async || fresh() as Arc<dyn AuthorizationRepository>).await.unwrap();
    suite::usage(async || fresh() as Arc<dyn UsageRepository>).await.unwrap();
}

#[tokio::test]
async fn calls_and_keys_outlive_their_process() {
    let folder = TemporaryFolder::new().unwrap();
    let call = PersistedCall {
        id: CallId::new("one"),
        owner: Owner::named("ann"),
        updated: Time::from_millis(5),
        expires: Some(Time::from_millis(9)),
        record: "{}".into(),
    };
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    store.save(call.clone()).await.unwrap();
    assert_eq!(store.get_or_create("key", vec![1]).await.unwrap(), [1]);
    drop(store);
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    assert_eq!(store.load(CallId::new("one")).await.unwrap(), Some(call));
    assert_eq!(store.get_or_create("key", vec![2]).await.unwrap(), [1]);
}

#[test]
fn an_instance_is_alive_until_it_ends() {
    let folder = TemporaryFolder::new().unwrap();
    let first = Instance::start(folder.path()).unwrap();
    let second = Instance::start(folder.path()).unwrap();
    let (one, two) = (first.id().clone(), second.id().clone());
    assert_ne!(one, two);
    let alive = |id| Instance::is_alive(folder.path(), id).unwrap();
    assert!(alive(&one) && alive(&two));
    drop(first);
    assert!(!alive(&one) && alive(&two));
    assert_eq!(InstanceId::parse(two.as_str()), Some(two));
}

#[test]
fn what_dead_instances_leave_is_removed_at_the_next_start() {
    let folder = TemporaryFolder::new().unwrap();
    let alive = Instance::start(folder.path()).unwrap();
    let left = format!("instance-{}.lock", "0".repeat(32));
    let others = ["instance-x.lock", "instance-.lock", "store.db"];
    for name in others.iter().copied().chain([left.as_str()]) {
        fs::write(folder.file(name), "").unwrap();
    }
    let dead = InstanceId::parse(&"0".repeat(32)).unwrap();
    assert!(!Instance::is_alive(folder.path(), &dead).unwrap());
    let _next = Instance::start(folder.path()).unwrap();
    assert!(!folder.file(&left).exists());
    assert!(others.iter().all(|name| folder.file(name).exists()));
    assert!(Instance::is_alive(folder.path(), alive.id()).unwrap());
}

#[test]
fn what_is_no_name_of_an_instance_names_no_file() {
    let upper = "A".repeat(32);
    for raw in ["", "x", "../../../../../../etc/passwd", upper.as_str()] {
        assert_eq!(InstanceId::parse(raw), None);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handles_on_one_file_do_what_the_suite_says() {
    let folder = TemporaryFolder::new().unwrap();
    let count = AtomicUsize::new(0);
    suite::replicas(async || {
        let file = folder.file(&format!("{}.db", count.fetch_add(1, Ordering::Relaxed)));
        let open = || -> Arc<dyn Store> { Arc::new(SqliteStore::open(&file).unwrap()) };
        Arc::new([open(), open()])
    })
    .await
    .unwrap();
}
