//! What a file of an older format has in it is still there in the newest.

use super::{APPLICATION, FileFormat, NEWEST, STEPS, migrate};
use rusqlite::Connection;

/// The numbers of changes go on where they were, or feeds of other processes would miss some.
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
