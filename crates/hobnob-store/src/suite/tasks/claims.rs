//! Cases of claims: which worker gets which task, for how long, and what others may do meanwhile.
//! `list` has the cases.

use super::owned::{OwnedTasks, TasksUnderTest, event, new_task, refused, some, time};
use crate::suite::case_result::{CaseResult, equal, hold};
use crate::tasks::{
    Claim, ListName, NewTask, Priority, StoredTask, StoredTaskStatus, TaskAction, TaskEdit,
    TaskFilter, TaskId, Worker,
};
use std::time::Duration;

pub(super) async fn what_matters_most_is_claimed_first(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let make = |at, words: &'static str, priority, list| {
        let list = ListName::new(list);
        owned.tasks.create(owned.at(at), NewTask { list, priority, ..new_task(words) })
    };
    make(1, "low", Priority::Low, "home").await?;
    make(2, "old", Priority::Normal, "home").await?;
    make(3, "young", Priority::Normal, "home").await?;
    make(4, "high", Priority::High, "home").await?;
    make(5, "urgent", Priority::Urgent, "away").await?;
    let ready: Vec<String> =
        ["urgent", "high", "old", "young", "low"].iter().map(|&word| word.into()).collect();
    equal(&owned.ready(6).await?, &ready, "ready")?;
    let at_most = owned.tasks.ready(owned.at(6), TaskFilter::default(), 2).await?;
    equal(&at_most.len(), &2, "at most so many")?;
    let home = TaskFilter { list: Some(ListName::new("home")), ..TaskFilter::default() };
    let low = TaskFilter { priorities: vec![Priority::Low], ..home.clone() };
    for (filter, expected) in [
        (&home, "high"),
        (&low, "low"),
        (&home, "old"),
        (&TaskFilter::default(), "urgent"),
        (&TaskFilter::default(), "young"),
    ] {
        let claimed = some(owned.claim_of(7, None, filter.clone(), "w").await?)?;
        equal(&claimed.description.as_str(), &expected, "claimed")?;
        let claim = Claim { worker: Worker::new("w"), until: time(107) };
        equal(&claimed.claim, &Some(claim), "the claim")?;
        equal(&claimed.status, &StoredTaskStatus::InProgress, "begun")?;
        equal(&claimed.started, &Some(time(7)), "begun when claimed")?;
        equal(&owned.get(8, &claimed).await?, &claimed, "kept")?;
    }
    hold(owned.claim(9, "w").await?.is_none(), "nothing is left")
}

pub(super) async fn a_named_task_is_claimed_or_the_reason_given(
    store: TasksUnderTest,
) -> CaseResult {
    let owned = OwnedTasks::new(store);
    owned.make(1, "first").await?;
    let task = owned.make(2, "task").await?;
    // A filter applies only if no task is named.
    let away = TaskFilter { list: Some(ListName::new("away")), ..TaskFilter::default() };
    let claimed = some(owned.claim_of(3, Some(&task.id), away, "w").await?)?;
    equal(&claimed.id, &task.id, "this one")?;
    let words = format!("task {} is claimed by `w`", task.id);
    refused(owned.claim_this(4, &task, "v").await, &words)?;
    // Two workers with the same name are still two.
    refused(owned.claim_this(4, &task, "w").await, &words)?;
    equal(&owned.get(5, &task).await?, &claimed, "unchanged")?;
    let none = TaskId::given("task_none");
    let unknown = owned.claim_of(5, Some(&none), TaskFilter::default(), "w").await;
    refused(unknown, "task not found: task_none")
}

pub(super) async fn a_claimed_task_is_its_workers(store: TasksUnderTest) -> CaseResult {
    use StoredTaskStatus::{Completed, Failed, InProgress, Pending};
    let owned = OwnedTasks::new(store);
    let task = owned.make(1, "task").await?;
    let claimed = some(owned.claim(2, "w").await?)?;
    let words = format!("task {} is claimed by `w`", task.id);
    let by = |who: Option<&str>, status| TaskEdit {
        status: Some(status),
        worker: who.map(Worker::new),
        ..TaskEdit::default()
    };
    for who in [None, Some("v")] {
        for status in [Pending, InProgress, Completed, Failed] {
            refused(owned.edit(3, &task, by(who, status)).await, &words)?;
        }
    }
    // Any caller may change the description and the priority.
    let edit = TaskEdit {
        description: Some("words".into()),
        priority: Some(Priority::High),
        worker: Some(Worker::new("v")),
        ..TaskEdit::default()
    };
    let edited = owned.edit(4, &task, edit).await?;
    equal(&edited.claim, &claimed.claim, "still claimed")?;
    for (at, status) in [(5, Completed), (15, Failed), (25, Pending)] {
        let ended = owned.edit(at, &task, by(Some("w"), status)).await?;
        equal(&ended.status, &status, "its worker's word")?;
        equal(&ended.claim, &None, "the claim ends with the work")?;
        owned.set(at + 1, &task, Pending).await?;
        some(owned.claim_this(at + 2, &task, "w").await?)?;
    }
    let events = owned.history(40, &task).await?;
    let given_back = event(25, Some("w"), TaskAction::Released, None);
    hold(events.contains(&given_back), "setting it to pending gives it back")
}

pub(super) async fn a_claim_is_renewed_and_given_back(store: TasksUnderTest) -> CaseResult {
    let owned = OwnedTasks::new(store);
    let task = owned.make(1, "task").await?;
    let id = || task.id.clone();
    let renew = |at, who, seconds| {
        let (worker, lease) = (Worker::new(who), Duration::from_secs(seconds));
        owned.tasks.renew(owned.at(at), id(), worker, lease)
    };
    let release = |at, who| owned.tasks.release(owned.at(at), id(), Worker::new(who));
    let not = |who: &str| format!("task {} is not claimed by `{who}`", task.id);
    refused(renew(2, "w", 10).await, &not("w"))?;
    refused(release(2, "w").await, &not("w"))?;
    some(owned.claim(3, "w").await?)?;
    let until = |task: &StoredTask| task.claim.as_ref().map(|claim| claim.until);
    let longer = renew(10, "w", 200).await?;
    equal(&until(&longer), &Some(time(210)), "longer")?;
    equal(&longer.started, &Some(time(3)), "begun when it was")?;
    equal(&until(&renew(11, "w", 5).await?), &Some(time(210)), "never less long")?;
    refused(renew(12, "v", 5).await, &not("v"))?;
    refused(release(12, "v").await, &not("v"))?;
    let free = release(13, "w").await?;
    equal(&free.status, &StoredTaskStatus::Pending, "given back")?;
    equal(&(free.claim, free.started), &(None, None), "to be begun anew")?;
    refused(renew(14, "w", 5).await, &not("w"))?;
    let next = some(owned.claim(15, "v").await?)?;
    equal(&next.started, &Some(time(15)), "begun anew")?;
    let done = TaskEdit {
        status: Some(StoredTaskStatus::Completed),
        worker: Some(Worker::new("v")),
        ..TaskEdit::default()
    };
    owned.edit(16, &task, done).await?;
    refused(renew(17, "v", 5).await, &not("v"))?;
    refused(
        owned.tasks.renew(owned.at(17), TaskId::given("x"), Worker::new("v"), Duration::ZERO).await,
        "task not found: x",
    )
}

pub(super) async fn a_lease_that_is_over_is_no_claim(store: TasksUnderTest) -> CaseResult {
    use TaskAction::{Claimed, Completed, Created, Released};
    let owned = OwnedTasks::new(store);
    let task = owned.make(1, "task").await?;
    let claimed = some(owned.claim(2, "w").await?)?;
    equal(&owned.get(101, &task).await?, &claimed, "until its last moment")?;
    hold(owned.ready(101).await?.is_empty(), "not ready until then")?;
    let free = StoredTask { updated: time(102), ..task.clone() };
    let in_progress =
        TaskFilter { statuses: vec![StoredTaskStatus::InProgress], ..TaskFilter::default() };
    let mine = TaskFilter { worker: Some(Worker::new("w")), ..TaskFilter::default() };
    let pending = TaskFilter { statuses: vec![StoredTaskStatus::Pending], ..TaskFilter::default() };
    let ended = event(102, Some("w"), TaskAction::Released, Some("lease ended"));
    // First before any write after the lease ended, then after one: callers see no difference.
    for at in [102, 103, 104] {
        equal(&owned.get(at, &task).await?, &free, "free again")?;
        equal(&owned.ready(at).await?, &vec!["task".to_owned()], "ready")?;
        hold(owned.listed(at, in_progress.clone()).await?.is_empty(), "not in progress")?;
        hold(owned.listed(at, mine.clone()).await?.is_empty(), "nobody's")?;
        equal(&owned.listed(at, pending.clone()).await?, &vec!["task".to_owned()], "pending")?;
        equal(&owned.history(at, &task).await?.last(), &Some(&ended), "history")?;
        if at == 103 {
            owned.tasks.delete(owned.at(at), owned.make(at, "other").await?.id).await?;
        }
    }
    let renewed = owned
        .tasks
        .renew(owned.at(105), task.id.clone(), Worker::new("w"), Duration::from_secs(10))
        .await;
    refused(renewed, &format!("task {} is not claimed by `w`", task.id))?;
    let next = some(owned.claim(106, "v").await?)?;
    equal(&next.id, &task.id, "somebody else's turn")?;
    let late = TaskEdit {
        status: Some(StoredTaskStatus::Completed),
        worker: Some(Worker::new("w")),
        ..TaskEdit::default()
    };
    refused(
        owned.edit(107, &task, late.clone()).await,
        &format!("task {} is claimed by `v`", task.id),
    )?;
    // Once the claim has ended, a worker without a claim may complete the task.
    let late = owned.edit(300, &task, late).await?;
    equal(&late.status, &StoredTaskStatus::Completed, "done after all")?;
    let actions: Vec<TaskAction> =
        owned.history(301, &task).await?.iter().map(|event| event.action).collect();
    let all = vec![Created, Claimed, Released, Claimed, Released, Completed];
    equal(&actions, &all, "the whole history")
}
