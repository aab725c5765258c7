//! Progress of an installation, sent from the blocking worker thread to the caller's callback.
//!
//! The queue is short on purpose: if the caller is gone, the work stops at its next report.

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::error::InstallError;

/// Reports that may wait for the callback; the worker blocks when the queue is full.
const QUEUED_REPORTS: usize = 8;

/// Bytes between two reports.
pub(super) const STEP: u64 = 1 << 20;

/// The stage of an installation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstallStage {
    /// The installed model is being verified.
    Checking,
    /// A package is being downloaded.
    Downloading,
    /// The files are being unpacked or copied, and verified.
    Copying,
}

/// The progress of the current stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstallProgress {
    /// The current stage of the installation.
    pub stage: InstallStage,
    /// Bytes of this stage that are done.
    pub done: u64,
    /// Bytes of the whole stage, if known.
    pub total: Option<u64>,
}

/// Called for every report, on the caller's task.
pub(super) type ProgressCallback<'a> = &'a mut (dyn FnMut(InstallProgress) + Send);

/// The worker thread's end of the queue.
pub(super) struct ProgressSender(mpsc::Sender<InstallProgress>);

impl ProgressSender {
    /// Sends a report; an error means that the caller is gone.
    pub(super) fn send(&self, progress: InstallProgress) -> Result<(), InstallError> {
        self.0.blocking_send(progress).map_err(|_nobody| InstallError::Stopped)
    }
}

/// Runs work on a blocking thread and passes its reports to the callback. The work ends early if
/// this future is dropped.
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
