//! The events of one answer, as the one who asked takes them.
//!
//! What must stay true: the queue is bounded, so that a slow reader slows the provider; dropping the
//! stream ends the work behind it, and with it the connection; a stream ends with `Finished` or with
//! one error, never silently.

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::error::ProviderError;
use crate::event::ModelEvent;

#[cfg(test)]
mod tests;

/// Events that wait for the reader.
const WAITING: usize = 16;

/// The events of one answer.
#[derive(Debug)]
pub struct ModelStream {
    events: mpsc::Receiver<Result<ModelEvent, ProviderError>>,
    /// Ends with the stream.
    _work: JoinSet<()>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Ended,
}

/// Where the work behind a stream puts its events.
#[derive(Debug, Clone)]
pub struct ModelEventSender(mpsc::Sender<Result<ModelEvent, ProviderError>>);

/// Nobody reads the stream any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReaderGone;

impl ModelStream {
    /// Starts the work that sends the events. It is ended when the stream is dropped.
    pub fn start<W>(work: impl FnOnce(ModelEventSender) -> W) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let (sender, events) = mpsc::channel(WAITING);
        let mut running = JoinSet::new();
        running.spawn(work(ModelEventSender(sender)));
        Self { events, _work: running, state: State::Open }
    }

    /// The next event; `None` after the last one. May be dropped and called again at any time.
    pub async fn next(&mut self) -> Option<Result<ModelEvent, ProviderError>> {
        if self.state == State::Ended {
            return None;
        }
        let next = self.events.recv().await.unwrap_or_else(|| {
            // The work has ended without a word, which only a defect of ours can cause.
            Err(ProviderError::Cut("the exchange ended unexpectedly".into()))
        });
        if matches!(next, Err(_) | Ok(ModelEvent::Finished(_))) {
            self.state = State::Ended;
        }
        Some(next)
    }
}

impl ModelEventSender {
    /// Waits while the reader has no room, then sends. An event that nobody reads is dropped.
    pub async fn send(&self, event: ModelEvent) {
        let _gone = self.deliver(Ok(event)).await;
    }

    /// Ends the stream with an error.
    pub async fn fail(&self, error: ProviderError) {
        let _gone = self.deliver(Err(error)).await;
    }

    pub(crate) async fn deliver(
        &self,
        event: Result<ModelEvent, ProviderError>,
    ) -> Result<(), ReaderGone> {
        self.0.send(event).await.map_err(|_| ReaderGone)
    }
}
