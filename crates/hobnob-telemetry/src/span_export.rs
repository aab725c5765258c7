//! Sends spans to a receiver of OTLP over HTTP: a bounded queue, batches, and a task that posts
//! them.
//!
//! The hub's observer of calls sends, and the hub runs the exporter. What must stay true: a call
//! never waits for the receiver, and a receiver that is slow or gone costs spans, never memory.

use crate::call_spans::{CallSpans, TracedCall, attribute};
use crate::span_post::{NotPosted, SpanPost};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use crate::span_post::BadEndpoint;

/// Calls that wait for the receiver. Each takes a few hundred bytes.
const MAX_QUEUED: usize = 4096;
/// Calls in one request.
const MAX_BATCH: usize = 512;
/// How long a call waits for others that go with it.
const BATCH_TIME: Duration = Duration::from_secs(1);
/// How long the hub waits at its end for the receiver to take the rest.
const END_TIME: Duration = Duration::from_secs(2);

/// What a receiver learns about the program.
#[derive(Debug, Clone)]
pub struct TracedProgram {
    /// The version of Hobnob.
    pub version: &'static str,
    /// An id that is unique to this process.
    pub instance: String,
}

/// Takes calls that have ended.
#[derive(Debug, Clone)]
pub struct SpanSender {
    queue: mpsc::Sender<CallSpans>,
    dropped: Arc<AtomicU64>,
}

impl SpanSender {
    /// Queues the spans of a call. If the queue is full, they are dropped and counted.
    pub fn send(&self, call: &TracedCall<'_>) {
        if self.queue.try_send(CallSpans::of(call)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Posts what the senders queue.
#[derive(Debug)]
pub struct SpanExporter {
    queue: mpsc::Receiver<CallSpans>,
    dropped: Arc<AtomicU64>,
    post: SpanPost,
    program: TracedProgram,
    /// Whether the last batch was lost; it is said once.
    is_failing: bool,
}

impl SpanExporter {
    /// An exporter to the receiver at this address, without `/v1/traces`, and the end that takes
    /// calls.
    ///
    /// # Errors
    /// When the address is none.
    pub fn new(endpoint: &str, program: TracedProgram) -> Result<(SpanSender, Self), BadEndpoint> {
        let post = SpanPost::new(endpoint)?;
        let (sender, queue) = mpsc::channel(MAX_QUEUED);
        let dropped = Arc::new(AtomicU64::new(0));
        let sender = SpanSender { queue: sender, dropped: Arc::clone(&dropped) };
        Ok((sender, Self { queue, dropped, post, program, is_failing: false }))
    }

    /// Posts until the hub cancels `stop` or all senders are gone, then posts the rest.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut batch = Vec::new();
        while stop.run_until_cancelled(self.collect(&mut batch)).await == Some(More::Yes) {
            stop.run_until_cancelled(self.export(&mut batch)).await;
        }
        let rest = async {
            loop {
                while batch.len() < MAX_BATCH
                    && let Ok(spans) = self.queue.try_recv()
                {
                    batch.push(spans);
                }
                if batch.is_empty() {
                    break;
                }
                self.export(&mut batch).await;
            }
        };
        drop(tokio::time::timeout(END_TIME, rest).await);
    }

    /// Waits for a call, and a while for others.
    async fn collect(&mut self, batch: &mut Vec<CallSpans>) -> More {
        if batch.is_empty() && self.queue.recv_many(batch, MAX_BATCH).await == 0 {
            return More::No;
        }
        let others = async {
            while batch.len() < MAX_BATCH {
                let room = MAX_BATCH - batch.len();
                if self.queue.recv_many(batch, room).await == 0 {
                    break;
                }
            }
        };
        drop(tokio::time::timeout(BATCH_TIME, others).await);
        More::Yes
    }

    /// Posts a batch. If it is interrupted, the batch stays; a receiver may then get it twice.
    async fn export(&mut self, batch: &mut Vec<CallSpans>) {
        let body = self.request(batch).to_string();
        let posted = self.post.post(body).await;
        let count = batch.len();
        batch.clear();
        match posted {
            Ok(()) => {
                if std::mem::take(&mut self.is_failing) {
                    tracing::info!("traces are taken again");
                }
            }
            Err(error) if self.is_failing => self.lost(count, &error),
            Err(error) => {
                tracing::warn!(%error, "traces are lost: check `endpoint` of [traces]");
                self.is_failing = true;
                self.lost(count, &error);
            }
        }
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped != 0 {
            tracing::warn!(calls = dropped, "no traces of calls that came too fast");
        }
    }

    fn lost(&self, count: usize, error: &NotPosted) {
        tracing::debug!(calls = count, %error, "a batch of traces is lost");
    }

    /// The request as JSON of OTLP.
    fn request(&self, batch: &[CallSpans]) -> Value {
        let TracedProgram { version, instance } = &self.program;
        let spans: Vec<Value> = batch.iter().flat_map(CallSpans::to_json).collect();
        json!({"resourceSpans": [{
            "resource": {"attributes": [
                attribute("service.name", "hobnob"),
                attribute("service.version", version),
                attribute("service.instance.id", instance),
            ]},
            "scopeSpans": [{"scope": {"name": "hobnob", "version": version}, "spans": spans}],
        }]})
    }
}

/// Whether calls may still come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum More {
    Yes,
    No,
}
