//! Starts a task: an entry in the table, a driver that runs it, and a record for the caller.
//!
//! The toolbox and other services call it. If there is a store, the caller gets the record only
//! after the task has been saved.

use crate::driver::{Runner, TaskDriver};
use crate::phase::TaskPhase;
use crate::registry::Tasks;
use crate::table::Entry;
use crate::view::POLL;
use hobnob_mcp_engine::{CallError, Caller, TaskOwner, TaskRecord, TaskStatus, random_token};
use std::time::{Duration, SystemTime};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

impl Tasks {
    /// Starts a task for the call of a tool. Once this returns, its owner can ask about it.
    pub async fn start(
        &self,
        tool: &str,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        self.begin(tool, None, owner, ttl_ms, run).await
    }

    /// Starts a task whose runner does not check what its caller can be asked. A question that the
    /// caller cannot answer is refused to the runner or fails the task, just as in a call.
    pub async fn start_for(
        &self,
        tool: &str,
        caller: Caller,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        self.begin(tool, Some(caller), owner, ttl_ms, run).await
    }

    async fn begin(
        &self,
        tool: &str,
        caller: Option<Caller>,
        owner: TaskOwner,
        ttl_ms: Option<u64>,
        run: Runner,
    ) -> Result<TaskRecord, CallError> {
        let max_ttl = self.limits().max_ttl;
        let ttl = ttl_ms.map_or(max_ttl, |ms| Duration::from_millis(ms).min(max_ttl));
        let (now, begun) = (SystemTime::now(), Instant::now());
        let record = TaskRecord {
            id: random_token().map_err(CallError::internal)?,
            status: TaskStatus::Working,
            message: None,
            created: now,
            updated: now,
            ttl,
            poll: POLL,
        };
        let is_stored = self.persistence().is_some();
        let (stop, stopped) = watch::channel(None);
        self.insert(Entry {
            record: record.clone(),
            owner,
            tool: tool.into(),
            phase: if is_stored { TaskPhase::Starting } else { TaskPhase::Working },
            stop,
            changes: watch::Sender::new(0),
            begun,
        })?;
        let (tasks, id, tool) = (self.clone(), record.id.clone(), tool.into());
        let driver = TaskDriver { tasks, id, tool, stop: stopped, begun, ttl };
        if is_stored {
            let (saved, is_saved) = oneshot::channel();
            self.spawn(driver.save_and_drive(caller, run, saved));
            is_saved.await.map_err(CallError::internal)??;
        } else {
            self.spawn(driver.drive(caller, run));
        }
        Ok(record)
    }
}
