//! How far an installation is, from the thread that works to the one who watches.

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::error::InstallError;

/// Reports that wait for the watcher; the work goes no further ahead than this.
const REPORTS: usize = 8;

/// Bytes after which there is something new to say.
pub(super) const STEP: u64 = 1 << 20;

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The model that is there already is checked.
    Checking,
    /// A package comes from the network.
    Downloading,
    /// The files are unpacked or copied, and checked.
    Copying,
}

/// How far it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// What is being done.
    pub stage: Stage,
    /// Bytes done.
    pub done: u64,
    /// Bytes of the whole stage, where that is known.
    pub total: Option<u64>,
}

/// Whoever wants to know how far it is.
pub(super) type Watch<'a> = &'a mut (dyn FnMut(Progress) + Send);

/// What a thread reports with.
pub(super) struct Reports(mpsc::Sender<Progress>);

impl Reports {
    /// Reports, or finds that nobody waits any more.
    pub(super) fn tell(&self, progress: Progress) -> Result<(), InstallError> {
        self.0.blocking_send(progress).map_err(|_nobody| InstallError::Stopped)
    }
}

/// Runs work on a thread where it may block, and hands its reports on. It ends early if this is
/// dropped.
pub(super) async fn watched<T: Send + 'static>(
    watch: Watch<'_>,
    work: impl FnOnce(&Reports) -> Result<T, InstallError> + Send + 'static,
) -> Result<T, InstallError> {
    let (reports, mut inbox) = mpsc::channel(REPORTS);
    let working = spawn_blocking(move || work(&Reports(reports)));
    while let Some(progress) = inbox.recv().await {
        watch(progress);
    }
    working.await.map_err(|_ended| InstallError::Stopped)?
}
