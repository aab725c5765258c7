//! How far an installation is, sent from the blocking thread that works to the caller's callback.
//!
//! The queue is short on purpose: a caller that no longer waits stops the work at its next report.

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::error::InstallError;

/// Reports that wait for the callback; the work goes no further ahead than this.
const QUEUED_REPORTS: usize = 8;

/// Bytes after which there is something new to say.
pub(super) const STEP: u64 = 1 << 20;

/// Which step of an installation is running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstallStage {
    /// The model that is there already is checked.
    Checking,
    /// A package comes from the network.
    Downloading,
    /// The files are unpacked or copied, and checked.
    Copying,
}

/// How far the current step of an installation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstallProgress {
    /// Which step is running.
    pub stage: InstallStage,
    /// Bytes of this stage that are done.
    pub done: u64,
    /// Bytes of the whole stage, where that is known.
    pub total: Option<u64>,
}

/// Called with every report, on the caller's task.
pub(super) type ProgressCallback<'a> = &'a mut (dyn FnMut(InstallProgress) + Send);

/// The working thread's end of the queue.
pub(super) struct ProgressSender(mpsc::Sender<InstallProgress>);

impl ProgressSender {
    /// Sends a report; an error means that nobody waits any more.
    pub(super) fn send(&self, progress: InstallProgress) -> Result<(), InstallError> {
        self.0.blocking_send(progress).map_err(|_nobody| InstallError::Stopped)
    }
}

/// Runs work on a thread where it may block, and passes its reports to the callback. The work ends
/// early if this future is dropped.
pub(super) async fn run_with_progress<T: Send + 'static>(
    watch: ProgressCallback<'_>,
    work: impl FnOnce(&ProgressSender) -> Result<T, InstallError> + Send + 'static,
) -> Result<T, InstallError> {
    let (progress_sender, mut inbox) = mpsc::channel(QUEUED_REPORTS);
    let working = spawn_blocking(move || work(&ProgressSender(progress_sender)));
    while let Some(progress) = inbox.recv().await {
        watch(progress);
    }
    working.await.map_err(|_ended| InstallError::Stopped)?
}
