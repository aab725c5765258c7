//! Keeps the tasks of the MCP protocol (long tool calls, not to-do tasks) in Hobnob's store, so that
//! other and later processes can answer for them. A call itself ends with its process.
//!
//! Each view has one and sees only its own tasks: the view's name is part of the stored owner.

use hobnob_mcp_engine::{BoxFuture, TaskOwner};
use hobnob_mcp_tasks::{PersistedTask, TaskStore, TaskStoreError};
use hobnob_store::calls::{CallId, CallRepository, PersistedCall};
use hobnob_store::{Instance, InstanceId, Owner, Time};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// The stored tasks of one view.
pub(super) struct ViewTaskStore {
    store: Arc<dyn CallRepository>,
    instance: Arc<Instance>,
    /// The folder in which running processes hold their locks.
    folder: PathBuf,
    view: String,
}

impl ViewTaskStore {
    /// The store for the view with this name; the plain view has no name.
    pub(super) fn new(
        store: Arc<dyn CallRepository>,
        instance: Arc<Instance>,
        folder: PathBuf,
        view: Option<&str>,
    ) -> Self {
        let view = view.unwrap_or_default().to_owned();
        Self { store, instance, folder, view }
    }

    /// The owner of a task in the store's terms. View names never contain a slash.
    fn owner(&self, owner: &TaskOwner) -> Owner {
        match &owner.0 {
            None => Owner::named(&format!("{}/", self.view)),
            Some(name) => Owner::named(&format!("{}/={name}", self.view)),
        }
    }

    fn read(&self, call: &PersistedCall) -> Result<Option<PersistedTask>, TaskStoreError> {
        let task: PersistedTask =
            serde_json::from_str(&call.record).map_err(TaskStoreError::new)?;
        Ok((self.owner(&task.owner) == call.owner).then_some(task))
    }
}

fn time(moment: SystemTime) -> Time {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

impl TaskStore for ViewTaskStore {
    fn instance(&self) -> &str {
        self.instance.id().as_str()
    }

    fn is_alive<'a>(&'a self, instance: &'a str) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        let alive = match InstanceId::parse(instance) {
            // This opens a small file, but only for tasks of another process.
            Some(id) => Instance::is_alive(&self.folder, &id).map_err(TaskStoreError::new),
            None => Ok(false),
        };
        Box::pin(std::future::ready(alive))
    }

    fn save(&self, task: PersistedTask) -> BoxFuture<'_, Result<(), TaskStoreError>> {
        Box::pin(async move {
            let call = PersistedCall {
                id: CallId::new(&task.id),
                owner: self.owner(&task.owner),
                updated: time(task.updated),
                expires: task.expires().map(time),
                record: serde_json::to_string(&task).map_err(TaskStoreError::new)?,
            };
            self.store.save(call).await.map_err(TaskStoreError::new)
        })
    }

    fn load<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<PersistedTask>, TaskStoreError>> {
        Box::pin(async move {
            let found = self.store.load(CallId::new(id)).await.map_err(TaskStoreError::new)?;
            found.map_or(Ok(None), |call| self.read(&call))
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
            let (mut tasks, mut after) = (Vec::new(), after.map(CallId::new));
            while tasks.len() < limit {
                let wanted = limit - tasks.len();
                let calls = self.store.calls_of(self.owner(owner), after, wanted).await;
                let calls = calls.map_err(TaskStoreError::new)?;
                for call in &calls {
                    tasks.extend(self.read(call)?.filter(|task| !task.is_expired(now)));
                }
                if calls.len() < wanted {
                    break;
                }
                after = calls.last().map(|call| call.id.clone());
            }
            Ok(tasks)
        })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        Box::pin(async move {
            let gone = self.store.forget(CallId::new(id)).await;
            gone.map(drop).map_err(TaskStoreError::new)
        })
    }

    fn sweep(&self, now: SystemTime) -> BoxFuture<'_, Result<(), TaskStoreError>> {
        Box::pin(async move {
            let gone = self.store.forget_expired(time(now)).await;
            gone.map(drop).map_err(TaskStoreError::new)
        })
    }
}
