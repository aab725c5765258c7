//! The stream of events of one answer, which the caller reads.
//!
//! What must stay true: the queue is bounded, so that a slow reader slows the provider; dropping
//! the stream aborts the task behind it and closes the connection; a stream ends with `Finished` or
//! with one error, never silently.

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::error::ProviderError;
use crate::event::ModelEvent;

#[cfg(test)]
mod tests;

/// The most events that wait for the reader.
const QUEUE_CAPACITY: usize = 16;

/// The events of one answer.
#[derive(Debug)]
pub struct ModelStream {
    events: mpsc::Receiver<Result<ModelEvent, ProviderError>>,
    /// The task that sends the events; dropping the stream aborts it.
    _work: JoinSet<()>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Ended,
}

/// The sending half of a stream, held by the task that produces the events.
#[derive(Debug, Clone)]
pub struct ModelEventSender(mpsc::Sender<Result<ModelEvent, ProviderError>>);

/// The reader has dropped the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReaderGone;

impl ModelStream {
    /// Starts the task that sends the events. Dropping the stream aborts it.
    pub fn start<W>(work: impl FnOnce(ModelEventSender) -> W) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let (sender, events) = mpsc::channel(QUEUE_CAPACITY);
        let mut running = JoinSet::new();
        running.spawn(work(ModelEventSender(sender)));
        Self { events, _work: running, state: State::Open }
    }

    /// Returns the next event, or `None` after the last one. Cancel-safe.
    pub async fn next(&mut self) -> Option<Result<ModelEvent, ProviderError>> {
        if self.state == State::Ended {
            return None;
        }
        let next = self.events.recv().await.unwrap_or_else(|| {
            // Only a bug can make the task end without `Finished` or an error.
            Err(ProviderError::Cut("the exchange ended unexpectedly".into()))
        });
        if matches!(next, Err(_) | Ok(ModelEvent::Finished(_))) {
            self.state = State::Ended;
        }
        Some(next)
    }
}

impl ModelEventSender {
    /// Sends an event, and waits while the queue is full. Without a reader, the event is dropped.
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
