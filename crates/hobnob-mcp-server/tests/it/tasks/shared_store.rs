//! A task store for tests that several processes share; it keeps tasks in their stored form.

use hobnob_mcp_engine::{BoxFuture, TaskOwner};
use hobnob_mcp_tasks::{PersistedTask, TaskStore, TaskStoreError};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::watch;

/// What outlives every process: each record as JSON text, and the names of dead processes.
pub(crate) struct SharedStore {
    records: Mutex<BTreeMap<Box<str>, String>>,
    dead: Mutex<BTreeSet<Box<str>>>,
    last_words: Mutex<Vec<PersistedTask>>,
    behaviour: watch::Sender<Behaviour>,
}

/// How the store reacts to a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Works,
    Fails,
    /// A save neither succeeds nor fails until the behaviour changes.
    Waits,
}

impl SharedStore {
    pub(crate) fn new() -> Arc<Self> {
        let behaviour = watch::Sender::new(Behaviour::Works);
        let (records, dead, last_words) = Default::default();
        Arc::new(Self { records, dead, last_words, behaviour })
    }

    /// A handle to the store for the process of this name.
    pub(crate) fn handle(self: &Arc<Self>, instance: &'static str) -> Arc<dyn TaskStore> {
        Arc::new(Handle { store: Arc::clone(self), instance })
    }

    pub(crate) fn set(&self, behaviour: Behaviour) {
        self.behaviour.send_replace(behaviour);
    }

    /// Records that the process of this name has died.
    pub(crate) fn bury(&self, instance: &str) {
        self.dead.lock().insert(instance.into());
    }

    /// Stores this task at the moment when another process asks whether its process is alive.
    pub(crate) fn write_last(&self, task: PersistedTask) {
        self.last_words.lock().push(task);
    }

    /// All stored tasks, sorted by id.
    pub(crate) fn all(&self) -> Vec<PersistedTask> {
        self.records.lock().values().map(|text| read(text)).collect()
    }

    /// The statuses of all stored tasks, sorted by tool.
    pub(crate) fn statuses(&self) -> String {
        let mut all = self.all();
        all.sort_by(|one, other| one.tool.cmp(&other.tool));
        let words = all.iter().map(|task| format!("{} {}", task.tool, task.status.as_str()));
        words.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn put(&self, task: &PersistedTask) {
        let text = serde_json::to_string(task).expect("JSON");
        self.records.lock().insert(task.id.clone(), text);
    }

    async fn agrees(&self) -> Result<(), TaskStoreError> {
        let mut behaviour = self.behaviour.subscribe();
        let settled =
            *behaviour.wait_for(|behaviour| *behaviour != Behaviour::Waits).await.expect("a store");
        if settled == Behaviour::Fails {
            Err(TaskStoreError::new("the store broke"))
        } else {
            Ok(())
        }
    }
}

fn read(text: &str) -> PersistedTask {
    serde_json::from_str(text).expect("a record")
}

struct Handle {
    store: Arc<SharedStore>,
    instance: &'static str,
}

impl TaskStore for Handle {
    fn instance(&self) -> &str {
        self.instance
    }

    fn is_alive<'a>(&'a self, instance: &'a str) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        assert_ne!(instance, self.instance, "who asks is alive");
        let last_words = std::mem::take(&mut *self.store.last_words.lock());
        last_words.iter().for_each(|task| self.store.put(task));
        let is_dead = self.store.dead.lock().contains(instance);
        Box::pin(async move { Ok(!is_dead) })
    }

    fn save(&self, task: PersistedTask) -> BoxFuture<'_, Result<(), TaskStoreError>> {
        Box::pin(async move {
            self.store.agrees().await?;
            self.store.put(&task);
            Ok(())
        })
    }

    fn load<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<PersistedTask>, TaskStoreError>> {
        Box::pin(async move {
            self.store.agrees().await?;
            Ok(self.store.records.lock().get(id).map(|text| read(text)))
        })
    }

    fn list<'a>(
        &'a self,
        owner: &'a TaskOwner,
        after: Option<&'a str>,
        limit: usize,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<PersistedTask>, TaskStoreError>> {
        Box::pin(async move {
            let all = self.store.all().into_iter();
            let all = all.filter(|task| task.owner == *owner && !task.is_expired(now));
            let past = all.filter(|task| after.is_none_or(|after| *task.id > *after));
            // A list needs no details, so a store may skip reading them.
            Ok(past.take(limit).map(|task| PersistedTask { detail: None, ..task }).collect())
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        self.store.records.lock().remove(id);
        Box::pin(async { Ok(()) })
    }

    fn sweep(&self, now: SystemTime) -> BoxFuture<'_, Result<(), TaskStoreError>> {
        let is_left = |text: &mut String| !read(text).is_expired(now);
        self.store.records.lock().retain(|_, text| is_left(text));
        Box::pin(async { Ok(()) })
    }
}
