//! Tests of the table of tasks: limits per owner, expiry, and the ways in which a task ends.

mod persisted;

use super::{Cancelled, Runner, TaskView, Tasks};
use hobnob_mcp_engine::{
    Answer, Answers, BoxFuture, CallError, Change, ChangeHub, ChangeSink, Limits, Outcome,
    Principal, Questions, TaskOwner, TaskStatus,
};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use std::future::pending;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};
use tokio::time::{advance, timeout};

type Running = BoxFuture<'static, Result<Outcome, CallError>>;

/// The time to live follows a monotonic clock: setting the system time does not end a task.
#[tokio::test(start_paused = true)]
async fn the_wall_clock_ends_no_task() {
    let tasks = tasks(Limits::default());
    let short = tasks.start("tool", owner("a"), Some(5000), endless()).await.expect("a task").id;
    if let Some(entry) = tasks.lock().entry(&short) {
        entry.record.created = SystemTime::UNIX_EPOCH;
    }
    tasks.start("tool", owner("a"), None, endless()).await.expect("a task");
    assert!(tasks.view(&short, &owner("a")).is_some());
    advance(Duration::from_secs(5)).await;
    assert!(tasks.view(&short, &owner("a")).is_none());
    assert!(tasks.cancel(&short, &owner("a")).await.expect("an answer").is_none());
    assert!(!tasks.answer(&short, &owner("a"), answer()).await.expect("an answer"));
}

/// An expired task is absent at once; starting the next task removes it from the table.
#[tokio::test(start_paused = true)]
async fn what_is_over_makes_room_when_somebody_comes() {
    let tasks = tasks(Limits::default());
    for name in ["a", "a", "b"] {
        let id = tasks.start("tool", owner(name), Some(5000), instant()).await.expect("a task").id;
        until(&tasks, &id, name, TaskStatus::Completed).await;
    }
    advance(Duration::from_secs(5)).await;
    let listed = tasks.list(&owner("a"), None, 10).await.expect("a list");
    assert_eq!(listed.len(), 0);
    assert_eq!(format!("{tasks:?}"), "Tasks(3)", "asking costs only what is asked about");
    tasks.start("tool", owner("c"), None, endless()).await.expect("a task");
    assert_eq!(format!("{tasks:?}"), "Tasks(1)");
}

/// A waiter learns that a task has expired, although no request looks at the task.
#[tokio::test(start_paused = true)]
async fn a_running_task_takes_its_leave_when_its_time_is_over() {
    let tasks = tasks(Limits::default());
    let id = tasks.start("tool", owner("a"), Some(5000), endless()).await.expect("a task").id;
    let mut view = tasks.view(&id, &owner("a")).expect("a task");
    let changed = timeout(Duration::from_secs(60), view.run_by.changed()).await;
    assert!(changed.expect("in time").is_none());
    assert_eq!(format!("{tasks:?}"), "Tasks(0)");
}

/// An owner at its limit gives up its own ended task, never another owner's.
#[tokio::test(start_paused = true)]
async fn an_owner_is_in_nobodys_way() {
    let tasks = tasks(Limits { tasks: 4, tasks_per_owner: 2, ..Limits::default() });
    let others = tasks.start("tool", owner("b"), None, instant()).await.expect("a task").id;
    until(&tasks, &others, "b", TaskStatus::Completed).await;
    let first = tasks.start("tool", owner("a"), None, endless()).await.expect("a task").id;
    let second = tasks.start("tool", owner("a"), None, endless()).await.expect("a task").id;
    assert!(is_busy(&tasks, "a").await, "there is room, but not for this owner");
    cancel(&tasks, &second, "a").await;
    tasks.start("tool", owner("a"), None, endless()).await.expect("its own ended task makes room");
    assert!(tasks.view(&second, &owner("a")).is_none());
    assert!(tasks.view(&first, &owner("a")).is_some());
    assert!(tasks.view(&others, &owner("b")).is_some());
    // This fills the table, so the next task replaces the oldest ended one of any owner.
    tasks.start("tool", owner("c"), None, endless()).await.expect("a task");
    assert!(is_busy(&tasks, "a").await, "not even then for who is at the bound");
    assert!(tasks.view(&others, &owner("b")).is_some());
    tasks
        .start("tool", owner("c"), None, endless())
        .await
        .expect("the oldest ended task makes room");
    assert!(tasks.view(&others, &owner("b")).is_none());
    assert!(is_busy(&tasks, "d").await);
}

/// Neither other owners' tasks nor ended ones count.
#[tokio::test(start_paused = true)]
async fn running_tasks_are_counted_by_owner() {
    let tasks = tasks(Limits::default());
    let running = |name| tasks.running(&owner(name));
    assert_eq!(running("a"), 0);
    let first = tasks.start("tool", owner("a"), None, endless()).await.expect("a task").id;
    tasks.start("tool", owner("a"), Some(5000), endless()).await.expect("a task");
    tasks.start("tool", owner("b"), None, endless()).await.expect("a task");
    assert_eq!((running("a"), running("b"), running("c")), (2, 1, 0));
    cancel(&tasks, &first, "a").await;
    assert_eq!((running("a"), running("b")), (1, 1));
    advance(Duration::from_secs(5)).await;
    assert_eq!((running("a"), running("b")), (0, 1));
    tasks.forget(&owner("b"));
    assert_eq!(running("b"), 0);
}

/// A change names the task's owner, so that other sinks need not look the task up.
#[tokio::test(start_paused = true)]
async fn a_change_names_the_owner() {
    let received = Arc::new(RecordingSink::default());
    let hub = ChangeHub::default();
    let sink: Arc<dyn ChangeSink> = received.clone();
    let weak: Weak<dyn ChangeSink> = Arc::downgrade(&sink);
    let _subscription = hub.subscribe(Principal::anonymous(), weak);
    let tasks = tasks_publishing_to(hub, Limits::default());
    let ended = tasks.start("tool", owner("a"), None, instant()).await.expect("a task").id;
    until(&tasks, &ended, "a", TaskStatus::Completed).await;
    let cancelled = tasks.start("tool", owner("b"), None, endless()).await.expect("a task").id;
    cancel(&tasks, &cancelled, "b").await;
    let expected = [(ended, "a"), (cancelled, "b")];
    let expected = expected.map(|(id, name)| Change::Task { id, owner: owner(name) });
    assert_eq!(*received.0.lock(), expected);
}

/// A runner may panic before it returns a future.
#[tokio::test(start_paused = true)]
async fn a_runner_that_panics_at_once_fails_its_task() {
    let tasks = tasks(Limits::default());
    let runner: Runner = Arc::new(|_| panic!("a bug in a runner"));
    let id = tasks.start("tool", owner("a"), None, runner).await.expect("a task").id;
    until(&tasks, &id, "a", TaskStatus::Failed).await;
}

/// No code would stop a task that begins after shutdown.
#[tokio::test(start_paused = true)]
async fn nothing_begins_once_everything_is_stopped() {
    let tasks = tasks(Limits::default());
    tasks.start("tool", owner("a"), None, endless()).await.expect("a task");
    timeout(Duration::from_secs(1), tasks.shut_down()).await.expect("an end");
    let late = tasks.start("tool", owner("a"), None, endless()).await;
    assert!(late.is_err_and(|error| error.to_string().contains("stopping")));
}

/// After the last allowed round of questions, the task fails.
#[tokio::test(start_paused = true)]
async fn a_task_may_not_ask_for_ever() {
    let tasks = tasks(Limits { ask_rounds: 2, ..Limits::default() });
    let id = tasks.start("tool", owner("a"), None, curious()).await.expect("a task").id;
    for _ in 0..2 {
        let is_asking = |view: &TaskView| view.open.as_ref().is_some_and(|open| !open.0.is_empty());
        until_it(&tasks, &id, "a", is_asking).await;
        assert!(tasks.answer(&id, &owner("a"), answer()).await.expect("an answer"));
    }
    until(&tasks, &id, "a", TaskStatus::Failed).await;
}

#[derive(Default)]
struct RecordingSink(Mutex<Vec<Change>>);

impl ChangeSink for RecordingSink {
    fn changed(&self, change: &Change) {
        self.0.lock().push(change.clone());
    }
}

fn tasks(limits: Limits) -> Tasks {
    tasks_publishing_to(ChangeHub::default(), limits)
}

fn tasks_publishing_to(hub: ChangeHub, limits: Limits) -> Tasks {
    Tasks::new(hub, &limits)
}

fn owner(name: &str) -> TaskOwner {
    TaskOwner(Some(name.into()))
}

fn endless() -> Runner {
    Arc::new(|_| -> Running { Box::pin(pending()) })
}

fn instant() -> Runner {
    Arc::new(|_| -> Running { Box::pin(async { Ok(Outcome::Complete(Answer::new(&())?)) }) })
}

/// A runner that asks again after every answer.
fn curious() -> Runner {
    Arc::new(|_: Answers| -> Running {
        let requests = r#"{"sure":{"method":"roots/list"}}"#;
        let requests = serde_json::from_str(requests).expect("questions");
        Box::pin(async { Ok(Outcome::NeedsInput(Questions { requests, ..Questions::default() })) })
    })
}

fn answer() -> std::collections::BTreeMap<Box<str>, Box<RawValue>> {
    [("sure".into(), RawValue::NULL.to_owned())].into()
}

/// Whether starting a task fails because the owner has too many.
async fn is_busy(tasks: &Tasks, name: &str) -> bool {
    let busy = |error: &CallError| error.to_string().contains("too many tasks");
    tasks.start("tool", owner(name), None, endless()).await.is_err_and(|error| busy(&error))
}

async fn cancel(tasks: &Tasks, id: &str, name: &str) {
    let cancelled = tasks.cancel(id, &owner(name)).await.expect("an answer");
    assert!(matches!(cancelled, Some(Cancelled::Now(_))));
}

async fn until(tasks: &Tasks, id: &str, name: &str, status: TaskStatus) {
    until_it(tasks, id, name, |view| view.record.status == status).await;
}

/// Waits until a task satisfies the condition. The clock is paused, so this takes no time.
async fn until_it(tasks: &Tasks, id: &str, name: &str, is_so: impl Fn(&TaskView) -> bool) {
    let get_there = async {
        loop {
            let mut view = tasks.view(id, &owner(name)).expect("a task that is there");
            if is_so(&view) {
                return;
            }
            view.run_by.changed().await.expect("a task that is there");
        }
    };
    timeout(Duration::from_secs(1), get_there).await.expect("a task that gets there");
}
