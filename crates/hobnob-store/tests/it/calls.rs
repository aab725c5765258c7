//! Long tool calls that are kept, and the processes that run them.

use hobnob_store::sqlite::{CallId, KeptCall, SqliteStore};
use hobnob_store::suite::TemporaryFolder;
use hobnob_store::{Instance, InstanceId, Owner, Time};
use std::fs;

#[tokio::test]
async fn a_kept_call_is_there_until_it_is_forgotten() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let call = call("one", "ann", None);
    store.keep_call(call.clone()).await.unwrap();
    assert_eq!(found(&store, "one").await, Some(call.clone()));
    let record = r#"{"status":"größer 🦀"}"#.to_owned();
    let changed = KeptCall { record, updated: time(5), ends: Some(time(9)), ..call };
    store.keep_call(changed.clone()).await.unwrap();
    drop(store);
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    assert_eq!(found(&store, "one").await, Some(changed));
    assert!(store.forget_call(CallId::new("one")).await.unwrap());
    assert!(!store.forget_call(CallId::new("one")).await.unwrap());
    assert_eq!(found(&store, "one").await, None);
}

#[tokio::test]
async fn kept_calls_come_page_by_page_and_only_to_their_owner() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    for (id, owner) in [("b", "ann"), ("a", "ann"), ("d", "bob"), ("c", "ann"), ("e", "ann\0")] {
        store.keep_call(call(id, owner, None)).await.unwrap();
    }
    let cases: [(&str, Option<&str>, usize, &[&str]); 6] = [
        ("ann", None, 2, &["a", "b"]),
        ("ann", Some("b"), 2, &["c"]),
        ("ann", Some("bb"), 2, &["c"]),
        ("ann", Some("c"), 2, &[]),
        ("bob", None, usize::MAX, &["d"]),
        ("eve", None, 9, &[]),
    ];
    for (owner, after, limit, expected) in cases {
        let after = after.map(CallId::new);
        let calls = store.kept_calls(Owner::named(owner), after, limit).await.unwrap();
        let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, expected);
    }
}

#[tokio::test]
async fn calls_are_forgotten_when_their_end_has_come() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    store.keep_call(call("endless", "ann", None)).await.unwrap();
    for number in 1..=1_010 {
        store.keep_call(call(&number.to_string(), "ann", Some(number))).await.unwrap();
    }
    assert_eq!(store.forget_ended_calls(time(1_005)).await.unwrap(), 1_005);
    assert_eq!(store.forget_ended_calls(time(1_005)).await.unwrap(), 0);
    let left = store.kept_calls(Owner::named("ann"), None, 100).await.unwrap();
    assert_eq!(left.len(), 6);
    assert!(found(&store, "endless").await.is_some());
    assert!(found(&store, "1006").await.is_some());
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

fn call(id: &str, owner: &str, ends: Option<i64>) -> KeptCall {
    KeptCall {
        id: CallId::new(id),
        owner: Owner::named(owner),
        updated: time(1),
        ends: ends.map(time),
        record: "{}".into(),
    }
}

fn time(millis: i64) -> Time {
    Time::from_millis(millis)
}

async fn found(store: &SqliteStore, id: &str) -> Option<KeptCall> {
    store.kept_call(CallId::new(id)).await.unwrap()
}
