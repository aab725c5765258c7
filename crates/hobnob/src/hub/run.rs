//! Runs a command with a hub: starts a runtime, opens the hub, does the work, closes everything.
//!
//! Every command that talks to servers calls `with_hub`. Ctrl-C ends the work, and a second one
//! ends the closing.

use crate::context::CommandContext;
use crate::exit::{Code, Ended};
use crate::hub::reach::{Hub, Needs};
use crate::runtime;
use crate::signals::Signals;
use crate::terminal::{Consent, Terminal};
use std::sync::Arc;
use std::time::Duration;

/// How long the runtime waits for a thread that is reading from the keyboard.
const LAST_WAIT: Duration = Duration::from_millis(100);

/// How a command uses the hub.
pub(crate) struct HubOptions<'a> {
    /// What it needs to know of the servers.
    pub(crate) needs: Needs,
    /// The answer to questions whether a tool may run.
    pub(crate) consent: Consent,
    /// What the spinner says while the command takes long.
    pub(crate) message: &'a str,
}

/// Does the work with a hub and closes the hub, whatever happens.
pub(crate) fn with_hub(
    context: &CommandContext,
    options: &HubOptions<'_>,
    work: impl AsyncFnOnce(&Hub, &Terminal) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let runtime = runtime::with_threads(2)?;
    let done = runtime.block_on(async {
        let mut signals = Signals::new()?;
        let terminal = Arc::new(Terminal::new(&places.project, options.consent, options.message));
        let hub = Hub::open(places, options.needs, &terminal).await?;
        let done = tokio::select! {
            done = terminal.show_progress_of(work(&hub, &terminal)) => done,
            () = signals.next() => Err(Ended::silently(Code::Interrupted).into()),
        };
        terminal.clear();
        // A second signal does not wait for the servers to end.
        tokio::select! {
            () = hub.close() => {}
            () = signals.next() => {}
        }
        done
    });
    runtime.shutdown_timeout(LAST_WAIT);
    done
}
