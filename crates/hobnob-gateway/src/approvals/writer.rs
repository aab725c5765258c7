//! Writes to the disk what tools looked like when they were first accepted.
//!
//! `ToolApprovals` hands it sightings and never waits for the disk. A write that fails is retried
//! for as long as Hobnob runs: until it succeeds, a change between two starts of Hobnob would pass
//! unseen, so the error is among the problems that `status` shows.

use crate::approvals::sightings::{DefinitionSighting, Moved, Seen};
use crate::background::BackgroundTasks;
use hobnob_config::{AcceptedDefinitions, Approvals, Places};
use parking_lot::{Mutex, MutexGuard};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Backoff after a failed write: it doubles from the first value to the second.
const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// Brings sightings to the disk in the background.
pub(crate) struct SightingWriter {
    files: ApprovalFiles,
    queue: Mutex<SightingQueue>,
    tasks: BackgroundTasks,
    /// Called when the text of [`Self::problem`] changes.
    on_problem: Box<dyn Fn() + Send + Sync>,
}

/// Where approvals and accepted definitions are stored.
#[derive(Clone)]
struct ApprovalFiles {
    approvals: PathBuf,
    definitions: PathBuf,
}

/// Sightings that are not on the disk yet.
#[derive(Default)]
struct SightingQueue {
    waiting: Vec<DefinitionSighting>,
    /// Whether a task is writing already, so that no second one is spawned.
    writing: bool,
    /// Why the last attempt failed.
    error: Option<String>,
}

impl SightingWriter {
    pub(crate) fn new(
        places: &Places,
        tasks: BackgroundTasks,
        on_problem: impl Fn() + Send + Sync + 'static,
    ) -> Arc<Self> {
        let files =
            ApprovalFiles { approvals: places.approvals(), definitions: places.definitions() };
        let on_problem = Box::new(on_problem);
        Arc::new(Self { files, queue: Mutex::default(), tasks, on_problem })
    }

    /// Queues a sighting to be written; a later one of the same server replaces it.
    pub(crate) fn write_soon(self: &Arc<Self>, sighting: DefinitionSighting) {
        let mut queue = self.queue();
        queue.waiting.retain(|waiting| waiting.key != sighting.key);
        queue.waiting.push(sighting);
        if !std::mem::replace(&mut queue.writing, true) {
            self.tasks.tracker.spawn(Arc::clone(self).write_all());
        }
    }

    /// For `status`: why sightings are not on the disk, if they cannot be written.
    pub(crate) fn problem(&self) -> Option<String> {
        let queue = self.queue();
        let error = queue.error.as_ref()?;
        Some(format!(
            "what tools look like cannot be remembered, so a tool that changes before the next \
             start of Hobnob will pass unseen; it is tried again: {error}"
        ))
    }

    /// Writes until the queue is empty or the gateway stops.
    async fn write_all(self: Arc<Self>) {
        let mut retry = MIN_BACKOFF;
        loop {
            let batch = {
                let mut queue = self.queue();
                queue.writing = !queue.waiting.is_empty();
                queue.waiting.clone()
            };
            if batch.is_empty() {
                return;
            }
            let (files, written) = (self.files.clone(), batch.clone());
            let writing = tokio::task::spawn_blocking(move || files.write(&written)).await;
            let outcome = writing.unwrap_or_else(|error| Err(error.to_string()));
            let failed = outcome.is_err();
            self.written(&batch, outcome);
            if !failed {
                retry = MIN_BACKOFF;
                continue;
            }
            tokio::select! {
                () = self.tasks.stop.cancelled() => return,
                () = tokio::time::sleep(retry) => {}
            }
            retry = MAX_BACKOFF.min(retry * 2);
        }
    }

    fn written(&self, batch: &[DefinitionSighting], outcome: Result<(), String>) {
        {
            let mut queue = self.queue();
            if outcome.is_ok() {
                queue.waiting.retain(|waiting| !batch.contains(waiting));
            }
            let error = outcome.err();
            if queue.error == error {
                return;
            }
            queue.error = error;
        }
        match self.problem() {
            Some(problem) => tracing::warn!(problem, "approvals"),
            None => tracing::info!("what tools look like is written down again"),
        }
        (self.on_problem)();
    }

    fn queue(&self) -> MutexGuard<'_, SightingQueue> {
        self.queue.lock()
    }
}

impl ApprovalFiles {
    fn write(&self, sightings: &[DefinitionSighting]) -> Result<(), String> {
        let mut approvals =
            Approvals::load(&self.approvals).map_err(|broken| broken.to_string())?;
        let kept = AcceptedDefinitions::new(&self.definitions);
        for DefinitionSighting { key, what, definitions } in sightings {
            match what {
                // Another process saw this server first, and its sighting counts.
                Seen::First(_) if approvals.pins(key).is_some() => continue,
                Seen::First(pins) => approvals.set_pins(key.clone(), pins.clone()),
                Seen::Again(moved) => {
                    for Moved { tool, from, to } in moved {
                        approvals.replace_pin(key.clone(), tool, *from, *to);
                    }
                }
            }
            let texts = definitions.iter().map(|(tool, text)| (tool.as_str(), text.as_str()));
            if let Err(error) = kept.add(key, texts) {
                // Only the old definition that `approve` would show for comparison is lost.
                tracing::debug!(%error, "accepted definitions are not kept");
            }
        }
        approvals.save().map_err(|error| with_sources(&error))
    }
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
