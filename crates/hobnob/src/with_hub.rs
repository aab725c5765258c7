//! Runs a command with a hub: starts a runtime, opens the hub, does the work, closes everything.
//!
//! Every command that talks to servers calls `with_hub`. Ctrl-C ends the work, and a second one
//! ends the closing.

use crate::context::CommandContext;
use crate::runtime;
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::{Hub, Needs};
use hobnob_terminal::render::KeyboardMode;
use hobnob_terminal::signals::Signals;
use hobnob_terminal::terminal::{Consent, Terminal};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// How long the runtime waits for a thread that is reading from the keyboard.
const RUNTIME_SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(100);

/// How a command uses the hub.
pub(crate) struct HubOptions<'a> {
    /// What it needs to know of the servers.
    pub(crate) needs: Needs,
    /// The answer to questions whether a tool may run.
    pub(crate) consent: Consent,
    /// What the spinner says while the command takes long.
    pub(crate) message: &'a str,
}

type Work<'w> = Pin<Box<dyn Future<Output = anyhow::Result<()>> + 'w>>;

/// Does the work with a hub, and closes the hub also if the work fails.
///
/// It is monomorphised for every command, so everything but the call of `work` is elsewhere.
pub(crate) fn with_hub(
    context: &CommandContext,
    options: &HubOptions<'_>,
    work: impl AsyncFnOnce(&Hub, &Terminal) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    run_to_end(Box::pin(async {
        let mut opened = OpenedHub::open(context, options).await?;
        let OpenedHub { hub, terminal, signals } = &mut opened;
        let done = until_signal(Box::pin(work(hub, terminal)), terminal, signals).await;
        opened.close().await;
        done
    }))
}

/// Like `with_hub`, for work that runs until the user ends it, and handles signals itself.
pub(crate) fn with_lasting_hub(
    context: &CommandContext,
    options: &HubOptions<'_>,
    work: impl AsyncFnOnce(&Hub, &Arc<Terminal>, &mut Signals) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    run_to_end(Box::pin(async {
        let mut opened = OpenedHub::open(context, options).await?;
        let OpenedHub { hub, terminal, signals } = &mut opened;
        let done = work(hub, terminal, signals).await;
        terminal.spinner.clear();
        opened.close().await;
        done
    }))
}

/// Runs the work on its own runtime.
fn run_to_end(work: Work<'_>) -> anyhow::Result<()> {
    // After a signal, an open question goes on reading keys until the process ends.
    let keyboard = KeyboardMode::saved();
    let runtime = runtime::with_threads(2)?;
    let done = runtime.block_on(work);
    runtime.shutdown_timeout(RUNTIME_SHUTDOWN_TIMEOUT);
    drop(keyboard);
    done
}

/// Does the work until a signal arrives.
async fn until_signal(
    work: Work<'_>,
    terminal: &Terminal,
    signals: &mut Signals,
) -> anyhow::Result<()> {
    let done = tokio::select! {
        done = terminal.spinner.show_while(work) => done,
        () = signals.next() => Err(Ended::silently(Code::Interrupted).into()),
    };
    terminal.spinner.clear();
    done
}

/// The open hub of a command, with its terminal and signals.
struct OpenedHub {
    hub: Hub,
    terminal: Arc<Terminal>,
    signals: Signals,
}

impl OpenedHub {
    async fn open(context: &CommandContext, options: &HubOptions<'_>) -> anyhow::Result<Self> {
        let places = context.places.detect()?;
        let signals = Signals::new()?;
        let terminal = Arc::new(Terminal::new(&places.project, options.consent, options.message));
        let hub = Hub::open(places, options.needs, &terminal).await?;
        Ok(Self { hub, terminal, signals })
    }

    /// Closes the hub. A second signal ends the wait for the servers.
    async fn close(mut self) {
        tokio::select! {
            () = self.hub.close() => {}
            () = self.signals.next() => {}
        }
    }
}
