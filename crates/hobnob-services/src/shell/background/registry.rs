//! The registry of all background processes, and the tasks that drive them.

use super::owner::ProcessOwner;
use super::process::{BackgroundProcess, ProcessParts};
use crate::commands::{ActiveCommand, LaunchedCommand, StopCause};
use crate::shell::limits::{INPUT_QUEUE, PROCESSES};
use hobnob_mcp_engine::{Caller, ClientId, NoRandomness, Share, Shares, random_token};
use hobnob_policy::CommandWish;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

/// How long all processes together may take to end when Hobnob shuts down.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// All background processes. They end when this is closed.
pub(in crate::shell) struct BackgroundProcesses {
    all: Mutex<Vec<Arc<BackgroundProcess>>>,
    places: Arc<Shares>,
    tasks: TaskTracker,
}

/// The limit of background processes is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many processes run in the background: stop one of yours first")]
pub(in crate::shell) struct NoRoom;

impl Default for BackgroundProcesses {
    fn default() -> Self {
        let places = Shares::new(PROCESSES.0, PROCESSES.1);
        Self { all: Mutex::default(), places, tasks: TaskTracker::new() }
    }
}

impl BackgroundProcesses {
    /// Reserves a place for a process; if need be, the caller's oldest ended one makes room.
    pub(in crate::shell) fn place(&self, caller: &Caller) -> Result<Share, NoRoom> {
        let owner = ProcessOwner::of(caller);
        self.lock().retain(|it| !it.is_expired());
        loop {
            if let Some(place) = self.places.take(caller.share()) {
                return Ok(place);
            }
            let mut all = self.lock();
            let ended = all.iter().enumerate().filter(|(_, it)| it.owner == owner);
            let ended = ended.filter_map(|(at, it)| Some((it.ended_at()?, at)));
            let (_, at) = ended.min().ok_or(NoRoom)?;
            let oldest = all.remove(at);
            drop(all);
            drop(oldest);
        }
    }

    /// Registers a process that was started, and drives it from now on.
    pub(in crate::shell) fn add(
        &self,
        caller: &Caller,
        command: String,
        active: Arc<ActiveCommand<CommandWish>>,
        launched: LaunchedCommand,
        place: Share,
    ) -> Result<Arc<BackgroundProcess>, NoRandomness> {
        let (input, pieces) = mpsc::channel(INPUT_QUEUE);
        let id = random_token()?;
        let owner = ProcessOwner::of(caller);
        let parts = ProcessParts { id, command, owner, active, input, place };
        let process = Arc::new(BackgroundProcess::new(parts));
        self.lock().push(Arc::clone(&process));
        self.tasks.spawn(Arc::clone(&process).drive(launched, pieces));
        Ok(process)
    }

    /// The caller's process with this id. Renews its lease.
    pub(in crate::shell) fn find(
        &self,
        caller: &Caller,
        id: &str,
    ) -> Option<Arc<BackgroundProcess>> {
        let owner = ProcessOwner::of(caller);
        let all = self.lock();
        let found = all.iter().find(|it| *it.id == *id && it.owner == owner)?;
        found.touch();
        Some(Arc::clone(found))
    }

    /// The caller's processes, oldest first. Renews their leases.
    pub(in crate::shell) fn list(&self, caller: &Caller) -> Vec<Arc<BackgroundProcess>> {
        let owner = ProcessOwner::of(caller);
        let mut all = self.lock();
        all.retain(|it| !it.is_expired());
        let own = all.iter().filter(|it| it.owner == owner);
        own.inspect(|it| it.touch()).map(Arc::clone).collect()
    }

    /// Removes a process that has ended.
    pub(in crate::shell) fn forget(&self, id: &str) {
        self.lock().retain(|it| *it.id != *id);
    }

    /// Ends and removes the processes of a client that disconnected.
    pub(in crate::shell) fn client_gone(&self, client: ClientId) {
        let gone: Vec<_> = self.lock().extract_if(.., |it| it.owner.ends_with(client)).collect();
        for process in gone {
            process.stop(StopCause::ClientGone);
        }
    }

    /// Ends all processes, and waits until they are gone.
    pub(in crate::shell) async fn close(&self) {
        let all = std::mem::take(&mut *self.lock());
        all.iter().for_each(|process| process.stop(StopCause::Closing));
        self.tasks.close();
        if timeout(CLOSE_TIMEOUT, self.tasks.wait()).await.is_err() {
            tracing::warn!("processes in the background did not end in time");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<BackgroundProcess>>> {
        self.all.lock()
    }
}
