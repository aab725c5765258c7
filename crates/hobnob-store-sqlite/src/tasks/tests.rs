//! Behaviour of tasks that is visible only in the tables or in SQLite's steps.

use super::rows::find;
use super::transaction::TaskTransaction;
use crate::SqliteStore;
use crate::convert::WorkError;
use crate::tests::step_count::{REVEALING_STEPS, steps};
use hobnob_store::suite::TemporaryFolder;
use hobnob_store::tasks::{
    ListName, MAX_TASK_EVENTS, NewTask, Priority, StoredTaskStatus, TaskAccess, TaskAction,
    TaskEdit, TaskError, TaskId, TaskRepository as _,
};
use hobnob_store::{Owner, Time};
use rusqlite::Connection;

#[tokio::test]
async fn a_history_that_grew_too_long_is_cut_with_the_next_step() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let new = NewTask {
        list: ListName::new("home"),
        description: "long".into(),
        priority: Priority::Normal,
        parent: None,
        blockers: Vec::new(),
    };
    let owner = Owner::default();
    let access = |now| TaskAccess { owner: owner.clone(), now: Time::from_millis(now) };
    let task = store.create(access(1), new.clone()).await.unwrap();
    let other = store.create(access(1), new).await.unwrap();
    // A history as older programs left it, which kept every event.
    let grow = |connection: &Connection| -> Result<(), WorkError> {
        let sql = "WITH RECURSIVE n (at) AS (SELECT 2 UNION ALL SELECT at + 1 FROM n LIMIT 1500) \
                   INSERT INTO task_history (task, at, action) \
                   SELECT t.number, n.at, 'renewed' FROM n, tasks AS t ORDER BY n.at";
        connection.execute(sql, ())?;
        Ok(())
    };
    store.write(grow).await.unwrap();
    let listed = store.history(access(2_000), other.id.clone()).await.unwrap();
    let edit = TaskEdit { status: Some(StoredTaskStatus::InProgress), ..TaskEdit::default() };
    store.update(access(2_000), task.id.clone(), edit).await.unwrap();
    let events = |connection: &Connection| -> Result<Vec<i64>, WorkError> {
        let sql = "SELECT count(*) FROM task_history GROUP BY task ORDER BY task";
        let mut statement = connection.prepare(sql)?;
        let counts = statement.query_map((), |row| row.get(0))?.collect::<Result<_, _>>();
        Ok(counts?)
    };
    assert_eq!(store.read(events).await.unwrap(), [1_000, 1_501]);
    let numbered = store.history(access(2_000), task.id).await.unwrap();
    for (events, last, action) in
        [(numbered, 2_000, TaskAction::Started), (listed, 1_501, TaskAction::Renewed)]
    {
        assert_eq!(events.len(), MAX_TASK_EVENTS);
        assert_eq!((events[0].at.millis(), events[0].action), (1, TaskAction::Created));
        let end = &events[MAX_TASK_EVENTS - 1];
        assert_eq!((end.at.millis(), end.action), (last, action));
    }
}

/// "Not yours" costs as much as "not there", however long the task is.
#[tokio::test]
async fn a_task_of_another_costs_what_one_that_is_not_there_costs() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let access = |owner: &str| TaskAccess { owner: Owner::named(owner), now: Time::default() };
    for length in [1, 100_000] {
        let new = NewTask {
            list: ListName::new("home"),
            description: "x".repeat(length),
            priority: Priority::Normal,
            parent: None,
            blockers: Vec::new(),
        };
        let id = store.create(access("ann"), new).await.unwrap().id;
        let nobodys = TaskId::random().unwrap();
        let bob = access("bob");
        let mut connection = Connection::open(folder.file("store.db")).unwrap();
        let [theirs, absent] = [&id, &nobodys].map(|id| {
            let look = |connection: &Connection| {
                find(&TaskTransaction::to_read(connection, &bob), id).map(drop)
            };
            let (found, steps) = steps(&mut connection, look);
            assert!(matches!(found, Err(WorkError::Port(TaskError::NotFound(_)))), "{found:?}");
            steps
        });
        assert!(0 < absent && theirs.abs_diff(absent) < REVEALING_STEPS, "{theirs} and {absent}");
    }
}
