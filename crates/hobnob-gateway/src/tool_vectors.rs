//! Embedding vectors of tools, so that `find_tools` finds them by meaning too.
//!
//! The program hands its embedding model to the gateway; without one, tools are found by words
//! alone. The first search in a catalogue starts computing missing vectors in the background and
//! never waits for them. A text is embedded once in the life of the process.

use crate::background::BackgroundTasks;
use crate::view::snapshot::Snapshot;
use hobnob_mcp_engine::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Texts per request to the model. When the hub ends, one unfinished batch is lost.
const BATCH_SIZE: usize = 128;

/// The most vectors kept; one of 384 numbers takes 1.5 KiB.
const MAX_VECTORS: usize = 4096;

/// A model that turns texts into vectors of length one.
pub trait ToolEmbedder: Send + Sync + 'static {
    /// One vector for each text, in their order; `None` if the model cannot be used now.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Option<Vec<Vec<f32>>>>;

    /// The same for definitions of tools. Every process embeds the same ones, so an implementation
    /// may cache their vectors.
    fn embed_tools(&self, texts: Vec<String>) -> BoxFuture<'_, Option<Vec<Vec<f32>>>> {
        self.embed(texts)
    }
}

/// The model, and the vectors it has returned so far.
pub(crate) struct ToolVectors {
    model: Arc<dyn ToolEmbedder>,
    tasks: BackgroundTasks,
    /// Vectors by their texts.
    known: Mutex<HashMap<Box<str>, Vec<f32>>>,
    is_busy: AtomicBool,
}

impl ToolVectors {
    pub(crate) fn new(model: Arc<dyn ToolEmbedder>, tasks: BackgroundTasks) -> Arc<Self> {
        Arc::new(Self { model, tasks, known: Mutex::default(), is_busy: AtomicBool::new(false) })
    }

    /// The vector of a query; `None` if the model cannot be used now.
    pub(crate) async fn of_query(&self, query: &str) -> Option<Vec<f32>> {
        self.model.embed(vec![query.to_owned()]).await?.pop()
    }

    /// Starts computing the vectors of a catalogue, unless a computation is running already.
    pub(crate) fn prepare(self: &Arc<Self>, snapshot: &Arc<Snapshot>) {
        if self.is_busy.swap(true, Ordering::AcqRel) {
            return;
        }
        let (this, snapshot) = (Arc::clone(self), Arc::clone(snapshot));
        self.tasks.tracker.spawn(async move {
            let stop = this.tasks.stop.clone();
            stop.run_until_cancelled(this.fill(&snapshot)).await;
            this.is_busy.store(false, Ordering::Release);
        });
    }

    async fn fill(&self, snapshot: &Snapshot) {
        let texts = snapshot.catalogue.search_texts();
        let missing: Vec<String> = {
            let mut known = self.known();
            if MAX_VECTORS < known.len() + texts.len() {
                known.clear();
            }
            texts.iter().filter(|text| !known.contains_key(text.as_str())).cloned().collect()
        };
        for batch in missing.chunks(BATCH_SIZE) {
            let Some(vectors) = self.model.embed_tools(batch.to_vec()).await else {
                tracing::debug!("the vectors of tools cannot be made");
                return;
            };
            let texts = batch.iter().map(|text| text.as_str().into());
            self.known().extend(texts.zip(vectors));
        }
        let known = self.known();
        let vectors = texts.iter().map(|text| known.get(text.as_str()).cloned()).collect();
        drop(known);
        snapshot.catalogue.set_vectors(vectors);
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Box<str>, Vec<f32>>> {
        self.known.lock()
    }
}
