//! A reference model of the task port: a list in memory, as simple as possible. `random` compares
//! the backends with it.

use crate::tasks::{
    Claim, NewTask, StoredTask, StoredTaskStatus, TaskAction, TaskEdit, TaskEvent, TaskFilter,
    TaskId, Worker,
};
use crate::time::Time;
use std::time::Duration;

/// Why the model refuses an operation.
#[derive(Debug)]
pub(super) enum ModelError {
    /// An error with exactly this message.
    Words(String),
    /// The operation would make a cycle; there may be several ways to name it.
    Cycle,
}

type Answer = Result<StoredTask, ModelError>;

/// Tasks in order of creation, with their histories.
#[derive(Debug, Default)]
pub(super) struct TaskModel(Vec<(StoredTask, Vec<TaskEvent>)>);

impl TaskModel {
    /// Ends leases that have expired by `now`, the time of the operations that follow.
    pub(super) fn turn_to(&mut self, now: Time) {
        for (task, events) in &mut self.0 {
            let Some(claim) = task.claim.clone().filter(|claim| claim.until <= now) else {
                continue;
            };
            reset(task);
            task.updated = claim.until;
            let (worker, detail) = (Some(claim.worker), Some("lease ended".to_owned()));
            events.push(TaskEvent {
                at: claim.until,
                worker,
                action: TaskAction::Released,
                detail,
            });
        }
    }

    pub(super) fn all(&self) -> Vec<StoredTask> {
        self.0.iter().map(|(task, _)| self.seen(task)).collect()
    }

    pub(super) fn ready(&self, filter: &TaskFilter) -> Vec<StoredTask> {
        let is_ready = |task: &StoredTask| {
            task.status == StoredTaskStatus::Pending
                && task.open_blockers.is_empty()
                && filter.list.as_ref().is_none_or(|list| task.list == *list)
        };
        let mut ready: Vec<StoredTask> = self.all().into_iter().filter(is_ready).collect();
        // A stable sort: tasks of equal priority stay in order of creation.
        ready.sort_by_key(|task| std::cmp::Reverse(task.priority));
        ready
    }

    pub(super) fn get(&self, id: &TaskId) -> Answer {
        Ok(self.seen(&self.0[self.place(id)?].0))
    }

    pub(super) fn history(&self, id: &TaskId) -> Result<Vec<TaskEvent>, ModelError> {
        Ok(self.0[self.place(id)?].1.clone())
    }

    /// Whether these ids form a cycle: each waits for the next one or is a part of it, except that
    /// the first edge is only requested, and the last leads back to the first.
    pub(super) fn is_cycle(&self, ids: &[TaskId]) -> bool {
        let edge = |from: &TaskId, to: &TaskId| {
            self.get(from)
                .is_ok_and(|from| from.blockers.contains(to) || from.parent.as_ref() == Some(to))
        };
        let next = ids.iter().cycle().skip(1);
        !ids.is_empty() && ids.iter().zip(next).skip(1).all(|(from, to)| edge(from, to))
    }

    pub(super) fn create(&mut self, new: NewTask, id: TaskId, now: Time) -> Answer {
        for needed in new.parent.iter().chain(&new.blockers) {
            self.place(needed)?;
        }
        let mut blockers = Vec::new();
        for blocker in new.blockers {
            if !blockers.contains(&blocker) {
                blockers.push(blocker);
            }
        }
        let task = StoredTask {
            id: id.clone(),
            list: new.list,
            description: new.description,
            status: StoredTaskStatus::Pending,
            priority: new.priority,
            parent: new.parent,
            blockers,
            open_blockers: Vec::new(),
            result: None,
            claim: None,
            created: now,
            updated: now,
            started: None,
            finished: None,
        };
        self.0.push((task, Vec::new()));
        self.note(&id, now, None, TaskAction::Created, None)
    }

    pub(super) fn update(&mut self, id: &TaskId, edit: TaskEdit, now: Time) -> Answer {
        let before = self.get(id)?;
        if let Some(Some(parent)) = &edit.parent {
            self.place(parent)?;
            let up = |task: &StoredTask| task.parent.iter().cloned().collect();
            if self.leads_to(parent, id, &up) {
                return Err(ModelError::Cycle);
            }
        }
        let mut after = before.clone();
        after.parent = edit.parent.unwrap_or(after.parent);
        after.description = edit.description.unwrap_or(after.description);
        after.priority = edit.priority.unwrap_or(after.priority);
        after.result = edit.result.or(after.result);
        let names = [
            ("parent", before.parent != after.parent),
            ("description", before.description != after.description),
            ("priority", before.priority != after.priority),
            ("result", before.result != after.result),
        ];
        let names: Vec<&str> =
            names.iter().filter(|(_, changed)| *changed).map(|(name, _)| *name).collect();
        if edit.status.is_some() {
            refuse_others(&after, edit.worker.as_ref())?;
        }
        let action = match edit.status {
            Some(status) if status != before.status => Some(turn(&mut after, status, now)?),
            _ => None,
        };
        if names.is_empty() && action.is_none() {
            return Ok(before);
        }
        let place = self.place(id)?;
        self.0[place].0 = after;
        let detail = Some(names.join(", ")).filter(|names| !names.is_empty());
        self.note(id, now, edit.worker, action.unwrap_or(TaskAction::Updated), detail)
    }

    pub(super) fn delete(&mut self, id: &TaskId) -> Answer {
        let task = self.get(id)?;
        let needs =
            |other: &StoredTask| other.parent.as_ref() == Some(id) || other.blockers.contains(id);
        let by: Vec<String> = self
            .all()
            .iter()
            .filter(|other| needs(other))
            .map(|other| other.id.to_string())
            .collect();
        if !by.is_empty() {
            let by = by.join(", ");
            let words = format!("task {id} is still needed by {by}: delete or detach them first");
            return Err(ModelError::Words(words));
        }
        self.0.retain(|(task, _)| task.id != *id);
        Ok(task)
    }

    pub(super) fn add_blocker(&mut self, id: &TaskId, blocker: &TaskId, now: Time) -> Answer {
        let place = self.place(id)?;
        self.place(blocker)?;
        if self.leads_to(blocker, id, &|task| task.blockers.clone()) {
            return Err(ModelError::Cycle);
        }
        if self.0[place].0.blockers.contains(blocker) {
            return self.get(id);
        }
        self.0[place].0.blockers.push(blocker.clone());
        self.note(id, now, None, TaskAction::BlockerAdded, Some(blocker.to_string()))
    }

    pub(super) fn remove_blocker(&mut self, id: &TaskId, blocker: &TaskId, now: Time) -> Answer {
        let place = self.place(id)?;
        self.place(blocker)?;
        if !self.0[place].0.blockers.contains(blocker) {
            return self.get(id);
        }
        self.0[place].0.blockers.retain(|other| other != blocker);
        self.note(id, now, None, TaskAction::BlockerRemoved, Some(blocker.to_string()))
    }

    pub(super) fn claim(&mut self, id: &TaskId, who: Worker, lease: Duration, now: Time) -> Answer {
        let mut task = self.get(id)?;
        if let Some(claim) = &task.claim {
            let words = format!("task {id} is claimed by `{}`", claim.worker.as_str());
            return Err(ModelError::Words(words));
        }
        if task.status != StoredTaskStatus::Pending {
            return Err(not_pending(&task));
        }
        turn(&mut task, StoredTaskStatus::InProgress, now)?;
        task.claim = Some(Claim { worker: who.clone(), until: now.plus(lease) });
        let place = self.place(id)?;
        self.0[place].0 = task;
        let detail = format!("for {} s", lease.as_secs());
        self.note(id, now, Some(who), TaskAction::Claimed, Some(detail))
    }

    pub(super) fn renew(&mut self, id: &TaskId, who: Worker, lease: Duration, now: Time) -> Answer {
        let place = self.claimed(id, &who)?;
        if let Some(claim) = &mut self.0[place].0.claim {
            claim.until = claim.until.max(now.plus(lease));
        }
        let detail = format!("for {} s", lease.as_secs());
        self.note(id, now, Some(who), TaskAction::Renewed, Some(detail))
    }

    pub(super) fn release(&mut self, id: &TaskId, who: Worker, now: Time) -> Answer {
        let place = self.claimed(id, &who)?;
        reset(&mut self.0[place].0);
        self.note(id, now, Some(who), TaskAction::Released, None)
    }

    fn claimed(&self, id: &TaskId, who: &Worker) -> Result<usize, ModelError> {
        let place = self.place(id)?;
        match &self.0[place].0.claim {
            Some(claim) if claim.worker == *who => Ok(place),
            _ => {
                let words = format!("task {id} is not claimed by `{}`", who.as_str());
                Err(ModelError::Words(words))
            }
        }
    }

    fn place(&self, id: &TaskId) -> Result<usize, ModelError> {
        let place = self.0.iter().position(|(task, _)| task.id == *id);
        place.ok_or_else(|| ModelError::Words(format!("task not found: {id}")))
    }

    /// A task with its open blockers filled in.
    fn seen(&self, task: &StoredTask) -> StoredTask {
        let open = |id: &&TaskId| {
            self.0
                .iter()
                .any(|(other, _)| other.id == **id && other.status != StoredTaskStatus::Completed)
        };
        let open_blockers = task.blockers.iter().filter(open).cloned().collect();
        StoredTask { open_blockers, ..task.clone() }
    }

    fn leads_to(
        &self,
        from: &TaskId,
        to: &TaskId,
        next: &dyn Fn(&StoredTask) -> Vec<TaskId>,
    ) -> bool {
        let further = || self.0.iter().filter(|(task, _)| task.id == *from);
        from == to
            || further().flat_map(|(task, _)| next(task)).any(|id| self.leads_to(&id, to, next))
    }

    fn note(
        &mut self,
        id: &TaskId,
        now: Time,
        worker: Option<Worker>,
        action: TaskAction,
        detail: Option<String>,
    ) -> Answer {
        let place = self.place(id)?;
        let (task, events) = &mut self.0[place];
        task.updated = now;
        events.push(TaskEvent { at: now, worker, action, detail });
        self.get(id)
    }
}

fn refuse_others(task: &StoredTask, who: Option<&Worker>) -> Result<(), ModelError> {
    match task.claim.as_ref().filter(|claim| who != Some(&claim.worker)) {
        Some(claim) => {
            let words = format!("task {} is claimed by `{}`", task.id, claim.worker.as_str());
            Err(ModelError::Words(words))
        }
        None => Ok(()),
    }
}

fn turn(
    task: &mut StoredTask,
    status: StoredTaskStatus,
    now: Time,
) -> Result<TaskAction, ModelError> {
    if status == StoredTaskStatus::Pending {
        let action = if task.claim.is_some() { TaskAction::Released } else { TaskAction::Reopened };
        reset(task);
        return Ok(action);
    }
    if matches!(task.status, StoredTaskStatus::Completed | StoredTaskStatus::Failed) {
        return Err(not_pending(task));
    }
    if status != StoredTaskStatus::Failed && !task.open_blockers.is_empty() {
        let by: Vec<&str> = task.open_blockers.iter().map(TaskId::as_str).collect();
        let words = format!("task {} is blocked by {}", task.id, by.join(", "));
        return Err(ModelError::Words(words));
    }
    task.status = status;
    task.started = task.started.or(Some(now));
    if status == StoredTaskStatus::InProgress {
        return Ok(TaskAction::Started);
    }
    task.finished = Some(now);
    task.claim = None;
    Ok(if status == StoredTaskStatus::Failed { TaskAction::Failed } else { TaskAction::Completed })
}

fn reset(task: &mut StoredTask) {
    task.status = StoredTaskStatus::Pending;
    (task.claim, task.started, task.finished) = (None, None, None);
}

fn not_pending(task: &StoredTask) -> ModelError {
    let words = format!("task {} is {}: set it to pending first", task.id, task.status.as_str());
    ModelError::Words(words)
}
