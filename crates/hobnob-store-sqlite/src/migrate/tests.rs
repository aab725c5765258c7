//! After a migration, the contents of an older format are complete and work like new ones.

use super::{APPLICATION, FileFormat, NEWEST, STEPS, migrate};
use crate::SqliteStore;
use hobnob_store::Time;
use hobnob_store::memory::{Captured, MemoryRepository as _, MemorySearch as _, NewMemory};
use hobnob_store::suite::{TemporaryFolder, note_in};
use rusqlite::Connection;
use std::path::Path;

/// Changes keep their numbers, or feeds of other processes would miss some.
#[test]
fn changes_of_the_first_format_stay_in_order() {
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(STEPS[0]).unwrap();
    connection.pragma_update(None, "application_id", APPLICATION).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    let add = |connection: &Connection, id: &str| {
        let sql = "INSERT INTO changes (topic, owner, id) VALUES ('task', 'ada', ?1)";
        connection.execute(sql, [id]).unwrap();
        connection.last_insert_rowid()
    };
    for id in ["a", "b", "c"] {
        add(&connection, id);
    }
    connection.execute("DELETE FROM changes WHERE id = 'a'", ()).unwrap();
    migrate(&mut connection, STEPS).unwrap();
    assert_eq!(FileFormat::of(&connection).unwrap().version, NEWEST);
    let mut statement = connection.prepare("SELECT number, id FROM changes ORDER BY 1").unwrap();
    let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let rows: Vec<(i64, String)> = rows.map(Result::unwrap).collect();
    assert_eq!(rows, [(2, "b".to_owned()), (3, "c".to_owned())]);
    drop(statement);
    assert_eq!(add(&connection, "d"), 4);
}

/// Memories of the fourth format have no sketches yet.
#[tokio::test]
async fn memories_of_the_fourth_format_get_their_sketches() {
    const COUNT: i64 = 250;
    let folder = TemporaryFolder::new().unwrap();
    let file = folder.file("old.db");
    of_the_fourth_format(&file, COUNT);
    let again = |number: i64| NewMemory {
        created: Time::now(),
        ..note_in("notes", &format!("{} Really.", text(number))).unwrap()
    };
    let store = SqliteStore::open(&file).unwrap();
    let alike = async |number: i64| {
        let outcome = store.capture_or_merge(again(number)).await.unwrap();
        assert!(matches!(outcome.captured, Captured::New(_)));
        outcome.alike.len()
    };
    // A capture sketches a few of the newest memories, and the background work all others.
    assert_eq!([alike(COUNT).await, alike(1).await], [1, 0]);
    store.catch_up().await.unwrap();
    assert_eq!([alike(2).await, alike(COUNT / 2).await], [1, 1]);
    store.catch_up().await.unwrap();
    assert_eq!(store.embedded("model".into()).await.unwrap(), (0, 254));
}

fn text(number: i64) -> String {
    let word = |place: i64| format!("w{}", number * 31 + place * 7);
    (0..20).map(word).collect::<Vec<_>>().join(" ")
}

fn of_the_fourth_format(file: &Path, count: i64) {
    let mut connection = Connection::open(file).unwrap();
    migrate(&mut connection, &STEPS[..4]).unwrap();
    for number in 1..=count {
        let sql = "INSERT INTO memories (id, owner, scope, project, namespace, status, version, \
                   created, updated, digest, content) VALUES \
                   (printf('%032x', ?1), 'ann', 'user', '', 'notes', 'active', 1, 0, 0, x'00', ?2)";
        connection.execute(sql, (number, text(number))).unwrap();
        let sql = "INSERT INTO memory_text (rowid, body, labels) VALUES (?1, ?2, '')";
        connection.execute(sql, (number, text(number))).unwrap();
    }
}
