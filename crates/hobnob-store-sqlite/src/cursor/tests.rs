//! What a caller can learn from a cursor, and for which owner and list it works.

use crate::SqliteStore;
use crate::convert::WorkError;
use hobnob_store::cursors::{CursorKey, ListOwner, cursor_at};
use hobnob_store::memory::PageRequest;
use hobnob_store::suite::TemporaryFolder;
use hobnob_store::tasks::{
    ListName, NewTask, Priority, TaskAccess, TaskError, TaskFilter, TaskRepository as _,
};
use hobnob_store::{Owner, Time};
use std::collections::BTreeSet;

fn of(owner: &str, list: &'static str) -> ListOwner {
    ListOwner { owner: Owner::named(owner), list }
}

#[test]
fn a_cursor_counts_for_its_owner_and_its_list_and_as_it_is() {
    let key = CursorKey::new(&[7; 32]).unwrap();
    let ann = of("ann", "tasks");
    let sealed = key.seal(&ann, &cursor_at(77)).unwrap();
    assert_eq!(key.open(&ann, &sealed), Some(cursor_at(77)));
    assert_eq!(sealed, key.seal(&ann, &cursor_at(77)).unwrap(), "the same page, the same cursor");
    for other in [of("bob", "tasks"), of("ann", "trees"), of("", "tasks"), of("tasks", "ann")] {
        assert_eq!(key.open(&other, &sealed), None, "{other:?}");
    }
    assert_eq!(CursorKey::new(&[8; 32]).unwrap().open(&ann, &sealed), None, "of another store");
    for at in 0..sealed.len() {
        for digit in '0'..='9' {
            let mut changed = sealed.clone();
            changed.replace_range(at..=at, &digit.to_string());
            let opened = key.open(&ann, &changed);
            assert_eq!(opened.is_some(), changed == sealed, "{changed}");
        }
        assert_eq!(key.open(&ann, &sealed[..at]), None);
    }
}

#[test]
fn cursors_do_not_tell_how_much_there_is() {
    let key = CursorKey::new(&[7; 32]).unwrap();
    let numbers = [1, 2, 3, 15, 16, 255, 256, 1 << 20, (1 << 20) + 1, 1 << 40];
    let sealed = numbers.map(|number| key.seal(&of("ann", "tasks"), &cursor_at(number)).unwrap());
    let lengths: BTreeSet<_> = sealed.iter().map(String::len).collect();
    assert_eq!(lengths.len(), 1, "{sealed:?}");
    // Consecutive cursors have nothing in common.
    for pair in sealed.windows(2) {
        let common = pair[0].bytes().zip(pair[1].bytes()).take_while(|(a, b)| a == b).count();
        assert!(common < 8, "{pair:?}");
    }
}

/// A list of one owner, stored after `others` tasks of another owner.
async fn cursor_behind(others: usize) -> (TemporaryFolder, SqliteStore, TaskAccess, String) {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let access = |owner: &str| TaskAccess { owner: Owner::named(owner), now: Time::default() };
    let new = || NewTask {
        list: ListName::new("home"),
        description: "x".into(),
        priority: Priority::Normal,
        parent: None,
        blockers: Vec::new(),
    };
    for _ in 0..others {
        store.create(access("bob"), new()).await.unwrap();
    }
    for _ in 0..3 {
        store.create(access("ann"), new()).await.unwrap();
    }
    let page = PageRequest { after: None, limit: 1 };
    let listed = store.list(access("ann"), TaskFilter::default(), page).await.unwrap();
    (folder, store, access("bob"), listed.next.unwrap())
}

#[tokio::test]
async fn what_others_store_is_not_seen_in_a_cursor() {
    let (.., first) = cursor_behind(0).await;
    let (_folder, store, bob, second) = cursor_behind(300).await;
    assert_eq!(first.len(), second.len());
    for cursor in [&first, &second] {
        assert!(!cursor.contains("after"), "{cursor}");
    }
    assert!(!second.contains(&cursor_at(301)["after-".len()..]), "{second}");
    let page = PageRequest { after: Some(second), limit: 1 };
    let refused = store.list(bob, TaskFilter::default(), page).await;
    assert!(matches!(refused, Err(TaskError::BadCursor)), "{refused:?}");
}

/// The first page with a next one creates the key, which fails on a full disk.
#[tokio::test]
async fn lists_have_pages_while_nothing_can_be_written() {
    let (folder, store, ..) = cursor_behind(0).await;
    let file = folder.file("store.db");
    let forget_key = |connection: &rusqlite::Connection| -> Result<(), WorkError> {
        connection.execute("DELETE FROM keys", ())?;
        Ok(())
    };
    store.write(forget_key).await.unwrap();
    drop(store);
    let store = SqliteStore::open(&file).unwrap();
    let refuse_writes = |connection: &rusqlite::Connection| -> Result<(), WorkError> {
        Ok(connection.pragma_update(None, "query_only", true)?)
    };
    store.write(refuse_writes).await.unwrap();
    let access = || TaskAccess { owner: Owner::named("ann"), now: Time::default() };
    let mut after = None;
    for has_next in [true, true, false] {
        let page = PageRequest { after, limit: 1 };
        let listed = store.list(access(), TaskFilter::default(), page).await.unwrap();
        assert_eq!((listed.items.len(), listed.next.is_some()), (1, has_next));
        after = listed.next;
    }
}
