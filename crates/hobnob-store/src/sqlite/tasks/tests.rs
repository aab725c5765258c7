//! What only shows in the tables.

use crate::error::StoreError;
use crate::owner::Owner;
use crate::sqlite::SqliteStore;
use crate::suite::Folder;
use crate::tasks::{
    Action, ListName, MOST_STEPS, NewTask, Priority, TaskEdit, TaskReach, TaskStatus, Tasks as _,
};
use crate::time::Time;
use rusqlite::Connection;

#[tokio::test]
async fn a_history_that_grew_too_long_is_cut_with_the_next_step() {
    let folder = Folder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    let new = NewTask {
        list: ListName::new("home"),
        description: "long".into(),
        priority: Priority::Normal,
        parent: None,
        blockers: Vec::new(),
    };
    let owner = Owner::default();
    let reach = |now| TaskReach { owner: owner.clone(), now: Time::from_millis(now) };
    let task = store.create(reach(1), new.clone()).await.unwrap();
    let other = store.create(reach(1), new).await.unwrap();
    // As files of older programs have it, which kept every step.
    let grow = |connection: &Connection| -> Result<(), StoreError> {
        let sql = "WITH RECURSIVE n (at) AS (SELECT 2 UNION ALL SELECT at + 1 FROM n LIMIT 1500) \
                   INSERT INTO task_history (task, at, action) \
                   SELECT t.number, n.at, 'renewed' FROM n, tasks AS t ORDER BY n.at";
        connection.execute(sql, ())?;
        Ok(())
    };
    store.write(grow).await.unwrap();
    let told = store.history(reach(2_000), other.id.clone()).await.unwrap();
    let edit = TaskEdit { status: Some(TaskStatus::InProgress), ..TaskEdit::default() };
    store.update(reach(2_000), task.id.clone(), edit).await.unwrap();
    let steps = |connection: &Connection| -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT count(*) FROM task_history GROUP BY task ORDER BY task";
        let mut statement = connection.prepare(sql)?;
        let counts = statement.query_map((), |row| row.get(0))?.collect::<Result<_, _>>();
        Ok(counts?)
    };
    assert_eq!(store.read(steps).await.unwrap(), [1_000, 1_501]);
    let kept = store.history(reach(2_000), task.id).await.unwrap();
    for (steps, last, action) in [(kept, 2_000, Action::Started), (told, 1_501, Action::Renewed)] {
        assert_eq!(steps.len(), MOST_STEPS);
        assert_eq!((steps[0].at.millis(), steps[0].action), (1, Action::Created));
        let end = &steps[MOST_STEPS - 1];
        assert_eq!((end.at.millis(), end.action), (last, action));
    }
}
