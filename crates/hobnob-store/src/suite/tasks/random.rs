//! Random operations on a backend and on the model of `model.rs`, whose answers must be equal.
//!
//! What must stay true: the seeds are fixed, so a failure repeats.

use super::model::{ModelError, TaskModel};
use super::owned::{TasksUnderTest, time};
use crate::memory::PageRequest;
use crate::owner::Owner;
use crate::suite::case_result::{CaseResult, Failed, equal};
use crate::tasks::{
    ListName, NewTask, Priority, StoredTask, StoredTaskStatus, TaskAccess, TaskEdit, TaskError,
    TaskFilter, TaskId, Worker,
};
use fastrand::Rng;
use std::sync::Arc;
use std::time::Duration;

/// A small limit on living tasks, so that operations often touch the same ones.
const MAX_TASKS: usize = 12;
/// How many runs, and how many operations in each.
const RUNS: (u64, usize) = (8, 120);
/// The same for `SLOW_TESTS=1`.
const SLOW_RUNS: (u64, usize) = (40, 300);

pub(super) async fn no_life_differs_from_the_model(store: TasksUnderTest) -> CaseResult {
    let slow = std::env::var_os("SLOW_TESTS").is_some_and(|set| set == "1");
    let (runs, operations) = if slow { SLOW_RUNS } else { RUNS };
    for seed in 0..runs {
        let mut run = RandomRun::new(Arc::clone(&store), seed);
        for number in 0..operations {
            let operation = run.next_operation();
            let label = format!("seed {seed}, deed {number}: {operation:?}");
            run.perform(operation).await.map_err(|failed| failed.of(&label))?;
            run.compare().await.map_err(|failed| failed.of(&label))?;
        }
    }
    Ok(())
}

#[derive(Debug, Clone)]
enum Operation {
    Create(NewTask),
    Update(TaskId, TaskEdit),
    Delete(TaskId),
    Block(TaskId, TaskId),
    Unblock(TaskId, TaskId),
    ClaimFirst(TaskFilter, Worker, Duration),
    Claim(TaskId, Worker, Duration),
    Renew(TaskId, Worker, Duration),
    Release(TaskId, Worker),
}

struct RandomRun {
    tasks: TasksUnderTest,
    owner: Owner,
    model: TaskModel,
    random: Rng,
    /// The ids that were created, and one that never was.
    ids: Vec<TaskId>,
    now: i64,
}

impl RandomRun {
    /// The same seed gives the same run.
    fn new(tasks: TasksUnderTest, seed: u64) -> Self {
        Self {
            tasks,
            owner: Owner::named(&seed.to_string()),
            model: TaskModel::default(),
            random: Rng::with_seed(seed),
            ids: vec![TaskId::given("task_none")],
            now: 0,
        }
    }

    fn next_operation(&mut self) -> Operation {
        self.now += self.random.i64(0..60);
        self.model.turn_to(time(self.now));
        match self.random.u8(0..20) {
            0..4 if self.model.all().len() < MAX_TASKS => Operation::Create(self.new_task()),
            0..9 => Operation::Update(self.id(), self.edit()),
            9 => Operation::Delete(self.id()),
            10..14 => Operation::Block(self.id(), self.id()),
            14 => Operation::Unblock(self.id(), self.id()),
            15..17 => Operation::ClaimFirst(self.filter(), self.worker(), self.lease()),
            17 => Operation::Claim(self.id(), self.worker(), self.lease()),
            18 => Operation::Renew(self.id(), self.worker(), self.lease()),
            _ => Operation::Release(self.id(), self.worker()),
        }
    }

    async fn perform(&mut self, operation: Operation) -> CaseResult {
        let (found, expected) =
            (self.on_backend(operation.clone()).await, self.on_model(operation)?);
        match (found, expected) {
            (Ok(found), Ok(expected)) => equal(&found, &expected, "the answer"),
            (Err(TaskError::Cycle(ids)), Err(ModelError::Cycle)) if self.model.is_cycle(&ids) => {
                Ok(())
            }
            (Err(error), Err(ModelError::Words(words))) => {
                equal(&error.to_string(), &words, "the refusal")
            }
            (found, expected) => {
                Err(Failed::because(format!("found {found:?}, expected {expected:?}")))
            }
        }
    }

    async fn on_backend(&mut self, operation: Operation) -> Result<Option<StoredTask>, TaskError> {
        let (tasks, access) = (&self.tasks, self.access());
        match operation {
            Operation::Create(new) => {
                let made = tasks.create(access, new).await;
                self.ids.extend(made.as_ref().map(|task| task.id.clone()));
                made.map(Some)
            }
            Operation::Update(id, edit) => tasks.update(access, id, edit).await.map(Some),
            Operation::Delete(id) => tasks.delete(access, id).await.map(Some),
            Operation::Block(id, other) => tasks.add_blocker(access, id, other).await.map(Some),
            Operation::Unblock(id, other) => {
                tasks.remove_blocker(access, id, other).await.map(Some)
            }
            Operation::ClaimFirst(filter, who, lease) => {
                tasks.claim(access, None, filter, who, lease).await
            }
            Operation::Claim(id, who, lease) => {
                tasks.claim(access, Some(id), TaskFilter::default(), who, lease).await
            }
            Operation::Renew(id, who, lease) => tasks.renew(access, id, who, lease).await.map(Some),
            Operation::Release(id, who) => tasks.release(access, id, who).await.map(Some),
        }
    }

    fn on_model(
        &mut self,
        operation: Operation,
    ) -> Result<Result<Option<StoredTask>, ModelError>, Failed> {
        let (model, now) = (&mut self.model, time(self.now));
        Ok(match operation {
            Operation::Create(new) => {
                let id = self.ids.last().ok_or_else(|| Failed::because("no ids"))?;
                model.create(new, id.clone(), now).map(Some)
            }
            Operation::Update(id, edit) => model.update(&id, edit, now).map(Some),
            Operation::Delete(id) => model.delete(&id).map(Some),
            Operation::Block(id, other) => model.add_blocker(&id, &other, now).map(Some),
            Operation::Unblock(id, other) => model.remove_blocker(&id, &other, now).map(Some),
            Operation::ClaimFirst(filter, who, lease) => match model.ready(&filter).first() {
                Some(task) => model.claim(&task.id, who, lease, now).map(Some),
                None => Ok(None),
            },
            Operation::Claim(id, who, lease) => model.claim(&id, who, lease, now).map(Some),
            Operation::Renew(id, who, lease) => model.renew(&id, who, lease, now).map(Some),
            Operation::Release(id, who) => model.release(&id, who, now).map(Some),
        })
    }

    /// Compares everything that can be read, some time after the operation, when no write may have
    /// recorded yet that a lease has ended.
    async fn compare(&mut self) -> CaseResult {
        self.now += self.random.i64(0..60);
        self.model.turn_to(time(self.now));
        let mut listed = Vec::new();
        let mut page = PageRequest { after: None, limit: self.random.usize(1..=MAX_TASKS) };
        loop {
            let part = self.tasks.list(self.access(), TaskFilter::default(), page.clone()).await?;
            listed.extend(part.items);
            page.after = part.next;
            if page.after.is_none() {
                break;
            }
        }
        equal(&listed, &self.model.all(), "everything")?;
        let filter = self.filter();
        let ready = self.tasks.ready(self.access(), filter.clone(), MAX_TASKS).await?;
        equal(&ready, &self.model.ready(&filter), "what is ready")?;
        for task in &listed {
            let events = self.tasks.history(self.access(), task.id.clone()).await?;
            let expected = self.model.history(&task.id);
            equal(&Some(events), &expected.ok(), "history")?;
        }
        Ok(())
    }

    fn access(&self) -> TaskAccess {
        TaskAccess { owner: self.owner.clone(), now: time(self.now) }
    }

    fn id(&mut self) -> TaskId {
        let place = self.random.usize(..self.ids.len());
        self.ids[place].clone()
    }

    fn maybe_id(&mut self) -> Option<TaskId> {
        if self.random.u8(..3) == 0 { Some(self.id()) } else { None }
    }

    fn list(&mut self) -> ListName {
        ListName::new(["home", "away"][self.random.usize(..2)])
    }

    fn worker(&mut self) -> Worker {
        Worker::new(["v", "w"][self.random.usize(..2)])
    }

    fn lease(&mut self) -> Duration {
        Duration::from_secs(self.random.u64(0..200))
    }

    fn filter(&mut self) -> TaskFilter {
        let list = if self.random.bool() { Some(self.list()) } else { None };
        TaskFilter { list, ..TaskFilter::default() }
    }

    fn priority(&mut self) -> Priority {
        Priority::ALL[self.random.usize(..Priority::ALL.len())]
    }

    fn new_task(&mut self) -> NewTask {
        NewTask {
            list: self.list(),
            description: format!("task {}", self.random.u8(..)),
            priority: self.priority(),
            parent: self.maybe_id(),
            blockers: self.maybe_id().into_iter().chain(self.maybe_id()).collect(),
        }
    }

    fn edit(&mut self) -> TaskEdit {
        let mut edit = TaskEdit::default();
        if self.random.u8(..4) != 0 {
            edit.status =
                Some(StoredTaskStatus::ALL[self.random.usize(..StoredTaskStatus::ALL.len())]);
        }
        match self.random.u8(..8) {
            0 => edit.description = Some(format!("task {}", self.random.u8(..))),
            1 => edit.priority = Some(self.priority()),
            2 => edit.parent = Some(self.maybe_id()),
            3 => edit.result = Some("a result".into()),
            _ => {}
        }
        if self.random.bool() {
            edit.worker = Some(self.worker());
        }
        edit
    }
}
