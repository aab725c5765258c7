//! A command's life: a runtime, the hub, the work, Ctrl-C, and everything closed at the end.

use crate::context::Context;
use crate::exit::{Code, Ended};
use crate::hub::reach::{Hub, Needs};
use crate::signals::Signals;
use crate::terminal::{Consent, Terminal};
use anyhow::Context as _;
use std::sync::Arc;
use std::time::Duration;

/// How long a thread that waits for a key is waited for at the very end.
const LAST_WAIT: Duration = Duration::from_millis(100);

/// What is to be done.
pub(crate) struct Task<'a> {
    /// What it needs of the servers.
    pub(crate) needs: Needs,
    /// What is answered to questions whether a tool may run.
    pub(crate) consent: Consent,
    /// What a person sees while it takes long.
    pub(crate) words: &'a str,
}

/// Does the work with a hub and closes it, whatever happens.
pub(crate) fn with_hub(
    context: &Context,
    task: &Task<'_>,
    work: impl AsyncFnOnce(&Hub, &Terminal) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    let done = runtime.block_on(async {
        let mut signals = Signals::new()?;
        let terminal = Arc::new(Terminal::new(&places.project, task.consent, task.words));
        let hub = Hub::open(places, task.needs, &terminal).await?;
        let done = tokio::select! {
            done = terminal.show_progress_of(work(&hub, &terminal)) => done,
            () = signals.next() => Err(Ended::quietly(Code::Interrupted).into()),
        };
        terminal.clear();
        // Whoever cannot wait for the servers' end asks a second time.
        tokio::select! {
            () = hub.close() => {}
            () = signals.next() => {}
        }
        done
    });
    runtime.shutdown_timeout(LAST_WAIT);
    done
}
