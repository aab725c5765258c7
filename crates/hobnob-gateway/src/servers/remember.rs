//! What tools looked like when they were first accepted, on its way to the disk.
//!
//! Nobody waits for the disk, and what cannot be written is tried again for as long as we run:
//! until it is written, a change between two starts of Hobnob would pass unseen, so the error is
//! among the problems that `status` shows.

use crate::gateway::Gateway;
use crate::servers::config::Config;
use crate::servers::sightings::{DefinitionSighting, Moved, Seen};
use hobnob_config::{AcceptedDefinitions, Approvals};
use std::sync::Arc;
use std::time::Duration;

/// The first and the longest wait before writing is tried again.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LAST_RETRY: Duration = Duration::from_secs(60);

impl Gateway {
    /// Takes care that a sighting reaches the disk.
    pub(crate) fn remember(&self, config: &mut Config, sighting: DefinitionSighting) {
        let remembering = &mut config.remembering;
        remembering.waiting.retain(|waiting| waiting.key != sighting.key);
        remembering.waiting.push(sighting);
        if std::mem::replace(&mut remembering.writing, true) {
            return;
        }
        let Some(gateway) = self.this.upgrade() else { return };
        self.tasks.spawn(gateway.write_sightings());
    }

    /// Writes until nothing waits, or until we stop.
    async fn write_sightings(self: Arc<Self>) {
        let mut retry = FIRST_RETRY;
        loop {
            let batch = {
                let mut config = self.config();
                let waiting = config.remembering.waiting.clone();
                config.remembering.writing = !waiting.is_empty();
                waiting
            };
            if batch.is_empty() {
                return;
            }
            let (gateway, written) = (Arc::clone(&self), batch.clone());
            let writing = tokio::task::spawn_blocking(move || gateway.write_down(&written)).await;
            let outcome = writing.unwrap_or_else(|error| Err(error.to_string()));
            let failed = outcome.is_err();
            self.written(&batch, outcome);
            if !failed {
                retry = FIRST_RETRY;
                continue;
            }
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = tokio::time::sleep(retry) => {}
            }
            retry = LAST_RETRY.min(retry * 2);
        }
    }

    fn write_down(&self, sightings: &[DefinitionSighting]) -> Result<(), String> {
        let mut approvals =
            Approvals::load(&self.places.approvals()).map_err(|broken| broken.to_string())?;
        let kept = AcceptedDefinitions::new(&self.places.definitions());
        for DefinitionSighting { key, what, definitions } in sightings {
            match what {
                // Another process was first, and what it saw counts.
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
                // Only the comparison that `approve` shows is lost.
                tracing::debug!(%error, "accepted definitions are not kept");
            }
        }
        approvals.save().map_err(|error| with_sources(&error))
    }

    fn written(&self, batch: &[DefinitionSighting], outcome: Result<(), String>) {
        let mut config = self.config();
        let remembering = &mut config.remembering;
        let error = match outcome {
            Ok(()) => {
                remembering.waiting.retain(|waiting| !batch.contains(waiting));
                None
            }
            Err(why) => Some(why),
        };
        if remembering.error == error {
            return;
        }
        remembering.error = error;
        match remembering.problem() {
            Some(problem) => tracing::warn!(problem, "approvals"),
            None => tracing::info!("what tools look like is written down again"),
        }
        self.publish(&config);
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
