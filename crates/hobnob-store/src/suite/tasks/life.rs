//! Cases of a task's life cycle: edits, statuses, times and the history. `list` has the cases.

use super::owned::{OwnedTasks, TasksUnderTest, event, refused, some, time};
use crate::suite::case_result::{CaseResult, equal, hold};
use crate::tasks::{
    MAX_TASK_EVENTS, Priority, StoredTask, StoredTaskStatus, TaskAction, TaskEdit, Worker,
};
use std::time::Duration;

pub(super) async fn an_edit_changes_what_it_names(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let whole = owned.make(1, "whole").await?;
    let task = owned.make(2, "task").await?;
    let edit = TaskEdit {
        description: Some("other words".into()),
        priority: Some(Priority::Urgent),
        parent: Some(Some(whole.id.clone())),
        result: Some("half of it".into()),
        worker: Some(Worker::new("w")),
        ..TaskEdit::default()
    };
    let expected = StoredTask {
        description: "other words".into(),
        priority: Priority::Urgent,
        parent: Some(whole.id.clone()),
        result: Some("half of it".into()),
        updated: time(3),
        ..task.clone()
    };
    equal(&owned.edit(3, &task, edit.clone()).await?, &expected, "edited")?;
    equal(&owned.edit(4, &task, edit).await?, &expected, "what is so already is no change")?;
    equal(&owned.edit(4, &task, TaskEdit::default()).await?, &expected, "nothing is no change")?;
    equal(
        &owned.set(4, &task, StoredTaskStatus::Pending).await?,
        &expected,
        "pending is no change",
    )?;
    equal(&owned.get(5, &task).await?, &expected, "kept")?;
    let events = vec![
        event(2, None, TaskAction::Created, None),
        event(3, Some("w"), TaskAction::Updated, Some("parent, description, priority, result")),
    ];
    equal(&owned.history(5, &task).await?, &events, "one step for one edit")?;
    let none = TaskEdit { parent: Some(None), ..TaskEdit::default() };
    equal(&owned.edit(6, &task, none).await?.parent, &None, "detached")
}

/// The statuses to move through, with the expected `started` and `finished`.
pub(super) async fn times_go_with_the_status(store: TasksUnderTest) -> CaseResult {
    use StoredTaskStatus::{Completed, Failed, InProgress, Pending};
    type Row = (i64, StoredTaskStatus, Option<i64>, Option<i64>);
    let owned = OwnedTasks::new(store);
    let lives: &[&[Row]] = &[
        &[(5, InProgress, Some(5), None), (7, Completed, Some(5), Some(7))],
        &[(5, InProgress, Some(5), None), (7, Failed, Some(5), Some(7))],
        &[(5, Completed, Some(5), Some(5))],
        &[(5, Failed, Some(5), Some(5))],
        &[(5, InProgress, Some(5), None), (6, Pending, None, None), (8, InProgress, Some(8), None)],
        &[
            (5, Completed, Some(5), Some(5)),
            (6, Pending, None, None),
            (9, Failed, Some(9), Some(9)),
        ],
        &[
            (5, Failed, Some(5), Some(5)),
            (6, Pending, None, None),
            (9, Completed, Some(9), Some(9)),
        ],
        // Setting the same status again changes nothing, not even the times.
        &[(5, InProgress, Some(5), None), (6, InProgress, Some(5), None)],
        &[(5, Completed, Some(5), Some(5)), (6, Completed, Some(5), Some(5))],
    ];
    for life in lives {
        let task = owned.make(1, "task").await?;
        for (at, status, started, finished) in *life {
            let found = owned.set(*at, &task, *status).await?;
            let label = format!("{status:?} of {life:?}");
            equal(&found.status, status, &label)?;
            equal(&found.started, &started.map(time), &label)?;
            equal(&found.finished, &finished.map(time), &label)?;
            equal(&owned.get(*at, &task).await?, &found, &label)?;
        }
    }
    Ok(())
}

pub(super) async fn what_is_over_must_be_reopened_first(store: TasksUnderTest) -> CaseResult {
    use StoredTaskStatus::{Completed, Failed, InProgress};
    let owned = OwnedTasks::new(store);
    for end in [Completed, Failed] {
        let task = owned.make(1, "task").await?;
        let ended = owned.set(2, &task, end).await?;
        let words = format!("task {} is {}: set it to pending first", task.id, end.as_str());
        for status in [InProgress, Completed, Failed].into_iter().filter(|status| *status != end) {
            refused(owned.set(3, &task, status).await, &words)?;
        }
        refused(owned.claim_this(3, &task, "w").await, &words)?;
        equal(&owned.get(4, &task).await?, &ended, "unchanged")?;
        hold(owned.claim(4, "w").await?.is_none(), "what is over is not claimed")?;
        // A worker may still add a result to a finished task.
        let late = TaskEdit { result: Some("late".into()), ..TaskEdit::default() };
        equal(&owned.edit(5, &task, late).await?.result.as_deref(), &Some("late"), "the result")?;
    }
    let begun = owned.make(6, "begun").await?;
    owned.set(7, &begun, InProgress).await?;
    let words = format!("task {} is in_progress: set it to pending first", begun.id);
    refused(owned.claim_this(8, &begun, "w").await, &words)
}

pub(super) async fn history_tells_every_step(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let other = owned.make(1, "other").await?;
    let task = owned.make(2, "task").await?;
    let id = || task.id.clone();
    owned.block(3, &task, &other).await?;
    owned.block(4, &task, &other).await?;
    owned.tasks.remove_blocker(owned.at(5), id(), other.id.clone()).await?;
    owned.claim_this(6, &task, "w").await?;
    let (w, lease) = (Worker::new("w"), Duration::from_secs(500));
    owned.tasks.renew(owned.at(7), id(), w.clone(), lease).await?;
    owned.tasks.release(owned.at(8), id(), w.clone()).await?;
    owned.set(9, &task, StoredTaskStatus::InProgress).await?;
    owned.set(10, &task, StoredTaskStatus::Failed).await?;
    owned.set(11, &task, StoredTaskStatus::Pending).await?;
    let done = TaskEdit {
        status: Some(StoredTaskStatus::Completed),
        result: Some("done".into()),
        worker: Some(w),
        ..TaskEdit::default()
    };
    owned.edit(12, &task, done).await?;
    let events = vec![
        event(2, None, TaskAction::Created, None),
        event(3, None, TaskAction::BlockerAdded, Some(other.id.as_str())),
        event(5, None, TaskAction::BlockerRemoved, Some(other.id.as_str())),
        event(6, Some("w"), TaskAction::Claimed, Some("for 100 s")),
        event(7, Some("w"), TaskAction::Renewed, Some("for 500 s")),
        event(8, Some("w"), TaskAction::Released, None),
        event(9, None, TaskAction::Started, None),
        event(10, None, TaskAction::Failed, None),
        event(11, None, TaskAction::Reopened, None),
        event(12, Some("w"), TaskAction::Completed, Some("result")),
    ];
    equal(&owned.history(13, &task).await?, &events, "history")?;
    equal(&owned.history(13, &other).await?.len(), &1, "the other's")?;
    equal(&owned.get(13, &task).await?.updated, &time(12), "updated is the last step")
}

pub(super) async fn a_long_history_keeps_its_beginning_and_its_end(
    store: TasksUnderTest,
) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let task = owned.make(0, "task").await?;
    let mut renewals = tokio::task::JoinSet::new();
    some(owned.claim_this(1, &task, "w").await?)?;
    for _ in 0..MAX_TASK_EVENTS {
        let (owned, id) = (owned.clone(), task.id.clone());
        renewals.spawn(async move {
            let (worker, lease) = (Worker::new("w"), Duration::from_secs(200));
            owned.tasks.renew(owned.at(2), id, worker, lease).await
        });
    }
    while let Some(renewed) = renewals.join_next().await {
        renewed??;
    }
    // No write has recorded the last event yet: that the lease has ended.
    let events = owned.history(300, &task).await?;
    equal(&events.len(), &MAX_TASK_EVENTS, "steps")?;
    let renewed = event(2, Some("w"), TaskAction::Renewed, Some("for 200 s"));
    let first = [event(0, None, TaskAction::Created, None), renewed];
    equal(&events[..2], &first[..], "of the first ones only the very first is listed")?;
    let last = event(202, Some("w"), TaskAction::Released, Some("lease ended"));
    equal(&events.last(), &Some(&last), "the last step")
}
