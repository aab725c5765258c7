//! Cases of a task's life: edits, statuses, times, and what history says.

use super::desk::{Desk, Store, refused, some, step, time};
use crate::suite::verdict::{Verdict, equal, hold};
use crate::tasks::{Action, MOST_STEPS, Priority, Task, TaskEdit, TaskStatus, Worker};
use std::time::Duration;

pub(super) async fn an_edit_changes_what_it_names(store: Store) -> Verdict {
    let desk = Desk::new(store);
    let whole = desk.make(1, "whole").await?;
    let task = desk.make(2, "task").await?;
    let edit = TaskEdit {
        description: Some("other words".into()),
        priority: Some(Priority::Urgent),
        parent: Some(Some(whole.id.clone())),
        result: Some("half of it".into()),
        worker: Some(Worker::new("w")),
        ..TaskEdit::default()
    };
    let expected = Task {
        description: "other words".into(),
        priority: Priority::Urgent,
        parent: Some(whole.id.clone()),
        result: Some("half of it".into()),
        updated: time(3),
        ..task.clone()
    };
    equal(&desk.edit(3, &task, edit.clone()).await?, &expected, "edited")?;
    equal(&desk.edit(4, &task, edit).await?, &expected, "what is so already is no change")?;
    equal(&desk.edit(4, &task, TaskEdit::default()).await?, &expected, "nothing is no change")?;
    equal(&desk.set(4, &task, TaskStatus::Pending).await?, &expected, "pending is no change")?;
    equal(&desk.get(5, &task).await?, &expected, "kept")?;
    let steps = vec![
        step(2, None, Action::Created, None),
        step(3, Some("w"), Action::Updated, Some("parent, description, priority, result")),
    ];
    equal(&desk.history(5, &task).await?, &steps, "one step for one edit")?;
    let none = TaskEdit { parent: Some(None), ..TaskEdit::default() };
    equal(&desk.edit(6, &task, none).await?.parent, &None, "detached")
}

/// From where, to where, and what `started` and `finished` are then.
pub(super) async fn times_go_with_the_status(store: Store) -> Verdict {
    use TaskStatus::{Completed, Failed, InProgress, Pending};
    type Row = (i64, TaskStatus, Option<i64>, Option<i64>);
    let desk = Desk::new(store);
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
        // The same again changes nothing, not even the times.
        &[(5, InProgress, Some(5), None), (6, InProgress, Some(5), None)],
        &[(5, Completed, Some(5), Some(5)), (6, Completed, Some(5), Some(5))],
    ];
    for life in lives {
        let task = desk.make(1, "task").await?;
        for (at, status, started, finished) in *life {
            let found = desk.set(*at, &task, *status).await?;
            let label = format!("{status:?} of {life:?}");
            equal(&found.status, status, &label)?;
            equal(&found.started, &started.map(time), &label)?;
            equal(&found.finished, &finished.map(time), &label)?;
            equal(&desk.get(*at, &task).await?, &found, &label)?;
        }
    }
    Ok(())
}

pub(super) async fn what_is_over_must_be_reopened_first(store: Store) -> Verdict {
    use TaskStatus::{Completed, Failed, InProgress};
    let desk = Desk::new(store);
    for end in [Completed, Failed] {
        let task = desk.make(1, "task").await?;
        let ended = desk.set(2, &task, end).await?;
        let words = format!("task {} is {}: set it to pending first", task.id, end.as_str());
        for status in [InProgress, Completed, Failed].into_iter().filter(|status| *status != end) {
            refused(desk.set(3, &task, status).await, &words)?;
        }
        refused(desk.claim_this(3, &task, "w").await, &words)?;
        equal(&desk.get(4, &task).await?, &ended, "unchanged")?;
        hold(desk.claim(4, "w").await?.is_none(), "what is over is not claimed")?;
        // Its result may still be told.
        let late = TaskEdit { result: Some("late".into()), ..TaskEdit::default() };
        equal(&desk.edit(5, &task, late).await?.result.as_deref(), &Some("late"), "the result")?;
    }
    let begun = desk.make(6, "begun").await?;
    desk.set(7, &begun, InProgress).await?;
    let words = format!("task {} is in_progress: set it to pending first", begun.id);
    refused(desk.claim_this(8, &begun, "w").await, &words)
}

pub(super) async fn history_tells_every_step(store: Store) -> Verdict {
    let desk = Desk::new(store);
    let other = desk.make(1, "other").await?;
    let task = desk.make(2, "task").await?;
    let id = || task.id.clone();
    desk.block(3, &task, &other).await?;
    desk.block(4, &task, &other).await?;
    desk.tasks.remove_blocker(desk.at(5), id(), other.id.clone()).await?;
    desk.claim_this(6, &task, "w").await?;
    let (w, lease) = (Worker::new("w"), Duration::from_secs(500));
    desk.tasks.renew(desk.at(7), id(), w.clone(), lease).await?;
    desk.tasks.release(desk.at(8), id(), w.clone()).await?;
    desk.set(9, &task, TaskStatus::InProgress).await?;
    desk.set(10, &task, TaskStatus::Failed).await?;
    desk.set(11, &task, TaskStatus::Pending).await?;
    let done = TaskEdit {
        status: Some(TaskStatus::Completed),
        result: Some("done".into()),
        worker: Some(w),
        ..TaskEdit::default()
    };
    desk.edit(12, &task, done).await?;
    let steps = vec![
        step(2, None, Action::Created, None),
        step(3, None, Action::BlockerAdded, Some(other.id.as_str())),
        step(5, None, Action::BlockerRemoved, Some(other.id.as_str())),
        step(6, Some("w"), Action::Claimed, Some("for 100 s")),
        step(7, Some("w"), Action::Renewed, Some("for 500 s")),
        step(8, Some("w"), Action::Released, None),
        step(9, None, Action::Started, None),
        step(10, None, Action::Failed, None),
        step(11, None, Action::Reopened, None),
        step(12, Some("w"), Action::Completed, Some("result")),
    ];
    equal(&desk.history(13, &task).await?, &steps, "history")?;
    equal(&desk.history(13, &other).await?.len(), &1, "the other's")?;
    equal(&desk.get(13, &task).await?.updated, &time(12), "updated is the last step")
}

pub(super) async fn a_long_history_is_told_by_its_beginning_and_its_end(store: Store) -> Verdict {
    let desk = Desk::new(store);
    let task = desk.make(0, "task").await?;
    let mut renewals = tokio::task::JoinSet::new();
    some(desk.claim_this(1, &task, "w").await?)?;
    for _ in 0..MOST_STEPS {
        let (desk, id) = (desk.clone(), task.id.clone());
        renewals.spawn(async move {
            let (worker, lease) = (Worker::new("w"), Duration::from_secs(200));
            desk.tasks.renew(desk.at(2), id, worker, lease).await
        });
    }
    while let Some(renewed) = renewals.join_next().await {
        renewed??;
    }
    // Nobody has written the last step yet: that the lease has ended.
    let steps = desk.history(300, &task).await?;
    equal(&steps.len(), &MOST_STEPS, "steps")?;
    let renewed = step(2, Some("w"), Action::Renewed, Some("for 200 s"));
    let first = [step(0, None, Action::Created, None), renewed];
    equal(&steps[..2], &first[..], "of the first ones only the very first is told")?;
    let last = step(202, Some("w"), Action::Released, Some("lease ended"));
    equal(&steps.last(), &Some(&last), "the last step")
}
