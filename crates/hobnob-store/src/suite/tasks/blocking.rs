//! Cases of blockers: tasks that wait for others, and cycles. `list` has the cases.

use super::owned::{OwnedTasks, TasksUnderTest, descriptions, ids, refused, some};
use crate::suite::case_result::{CaseResult, equal, hold};
use crate::tasks::{StoredTask, StoredTaskStatus, TaskEdit, TaskError, TaskFilter, TaskId, Worker};

pub(super) async fn what_is_blocked_cannot_begin_or_be_completed(
    store: TasksUnderTest,
) -> CaseResult {
    use StoredTaskStatus::{Completed, Failed, InProgress, Pending};
    let owned = OwnedTasks::new(store);
    let (first, second) = (owned.make(1, "first").await?, owned.make(2, "second").await?);
    let task = owned.make_after(3, "task", &[&first, &second]).await?;
    let words = |by: &[&StoredTask]| {
        let by: Vec<&str> = by.iter().map(|task| task.id.as_str()).collect();
        format!("task {} is blocked by {}", task.id, by.join(", "))
    };
    for status in [InProgress, Completed] {
        refused(owned.set(4, &task, status).await, &words(&[&first, &second]))?;
    }
    refused(owned.claim_this(4, &task, "w").await, &words(&[&first, &second]))?;
    equal(&owned.get(4, &task).await?, &task, "unchanged")?;
    equal(&owned.ready(4).await?, &vec!["first".to_owned(), "second".into()], "ready")?;
    owned.set(5, &second, Completed).await?;
    refused(owned.set(6, &task, InProgress).await, &words(&[&first]))?;
    let found = owned.get(6, &task).await?;
    equal(&found.blockers, &ids(&[&first, &second]), "all blockers")?;
    equal(&found.open_blockers, &ids(&[&first]), "open blockers")?;
    // A failed task is not completed: neither as a blocker nor as the blocked task.
    owned.set(7, &first, Failed).await?;
    refused(owned.set(8, &task, Completed).await, &words(&[&first]))?;
    owned.set(8, &task, Failed).await?;
    owned.set(9, &task, Pending).await?;
    hold(owned.ready(9).await?.is_empty(), "nothing is ready")?;
    hold(owned.claim(9, "w").await?.is_none(), "nothing is claimed")?;
    owned.set(10, &first, Pending).await?;
    owned.set(11, &first, Completed).await?;
    equal(&owned.ready(11).await?, &vec!["task".to_owned()], "free at last")?;
    // The task is started first, and then gets an open blocker.
    equal(&some(owned.claim(12, "w").await?)?.id, &task.id, "claimed")?;
    owned.set(13, &first, Pending).await?;
    equal(&owned.get(13, &task).await?.status, &InProgress, "goes on")?;
    let done =
        TaskEdit { status: Some(Completed), worker: Some(Worker::new("w")), ..TaskEdit::default() };
    refused(owned.edit(14, &task, done.clone()).await, &words(&[&first]))?;
    owned.set(15, &first, Completed).await?;
    equal(&owned.edit(16, &task, done).await?.status, &Completed, "done")
}

pub(super) async fn blockers_stay_in_order(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let [a, b, c] =
        [owned.make(1, "a").await?, owned.make(2, "b").await?, owned.make(3, "c").await?];
    let task = owned.make_after(4, "task", &[&c]).await?;
    owned.block(5, &task, &a).await?;
    let found = owned.block(6, &task, &b).await?;
    equal(&found.blockers, &ids(&[&c, &a, &b]), "in the order they were named")?;
    equal(&owned.block(7, &task, &c).await?, &found, "twice is once")?;
    let remove =
        |at, blocker: TaskId| owned.tasks.remove_blocker(owned.at(at), task.id.clone(), blocker);
    let left = remove(8, c.id.clone()).await?;
    equal(&left.blockers, &ids(&[&a, &b]), "removed")?;
    equal(&remove(9, c.id.clone()).await?, &left, "what was not there is no change")?;
    let found = owned.block(10, &task, &c).await?;
    equal(&found.blockers, &ids(&[&a, &b, &c]), "added again at the end")?;
    let listed = owned.tasks.blockers(owned.at(11), task.id.clone()).await?;
    equal(&descriptions(&listed), &vec!["a".to_owned(), "b".into(), "c".into()], "listed")?;
    let none = || TaskId::given("task_none");
    refused(remove(12, none()).await, "task not found: task_none")?;
    let add = |id, blocker| owned.tasks.add_blocker(owned.at(12), id, blocker);
    refused(add(task.id.clone(), none()).await, "task not found: task_none")?;
    refused(add(none(), task.id.clone()).await, "task not found: task_none")
}

pub(super) async fn cycles_of_waiting_are_named(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let [a, b, c, d] = [
        owned.make(1, "a").await?,
        owned.make(2, "b").await?,
        owned.make(3, "c").await?,
        owned.make(4, "d").await?,
    ];
    owned.block(5, &a, &b).await?;
    owned.block(5, &b, &c).await?;
    owned.block(5, &c, &d).await?;
    // A detour makes a longer cycle, which the message must not name.
    let mut detour = owned.make_after(5, "detour", &[&d]).await?;
    for _ in 0..3 {
        detour = owned.make_after(5, "detour", &[&detour]).await?;
    }
    owned.block(5, &a, &detour).await?;
    let around = |tasks: &[&StoredTask]| {
        let names: Vec<&str> =
            tasks.iter().chain(tasks.first()).map(|task| task.id.as_str()).collect();
        format!("that would be a cycle: {}", names.join(" → "))
    };
    refused(owned.block(6, &a, &a).await, &around(&[&a]))?;
    refused(owned.block(6, &b, &a).await, &around(&[&b, &a]))?;
    refused(owned.block(6, &d, &a).await, &around(&[&d, &a, &b, &c]))?;
    refused(owned.block(6, &d, &c).await, &around(&[&d, &c]))?;
    // A completed task still closes a cycle, because it can be reopened.
    owned.set(7, &d, StoredTaskStatus::Completed).await?;
    let named = owned.block(8, &d, &b).await;
    hold(matches!(&named, Err(TaskError::Cycle(ids)) if ids.len() == 3), "cycles are data")?;
    // Two paths to the same task are no cycle.
    owned.block(9, &a, &d).await?;
    equal(&owned.get(9, &d).await?.blockers, &Vec::new(), "nothing was added")
}

pub(super) async fn cycles_of_parts_are_named(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let [a, b, c] =
        [owned.make(1, "a").await?, owned.make(2, "b").await?, owned.make(3, "c").await?];
    let under = |parent: &StoredTask| TaskEdit {
        parent: Some(Some(parent.id.clone())),
        ..TaskEdit::default()
    };
    owned.edit(4, &b, under(&a)).await?;
    owned.edit(4, &c, under(&b)).await?;
    let words = |tasks: &[&StoredTask]| {
        let names: Vec<&str> =
            tasks.iter().chain(tasks.first()).map(|task| task.id.as_str()).collect();
        format!("that would be a cycle: {}", names.join(" → "))
    };
    refused(owned.edit(5, &a, under(&a)).await, &words(&[&a]))?;
    refused(owned.edit(5, &a, under(&c)).await, &words(&[&a, &c, &b]))?;
    let unknown =
        TaskEdit { parent: Some(Some(TaskId::given("task_none"))), ..TaskEdit::default() };
    refused(owned.edit(5, &a, unknown).await, "task not found: task_none")?;
    equal(&owned.get(6, &a).await?, &a, "unchanged")?;
    let parts = TaskFilter { parent: Some(a.id.clone()), ..TaskFilter::default() };
    equal(&owned.listed(6, parts).await?, &vec!["b".to_owned()], "only direct parts")?;
    // A task may be blocked by its part, and a part by its whole: neither blocks automatically.
    owned.block(7, &a, &b).await?;
    owned.block(7, &c, &b).await?;
    equal(&owned.ready(8).await?, &vec!["b".to_owned()], "ready")
}
