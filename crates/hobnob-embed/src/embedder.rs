//! The `Embedder` trait, implemented by every way of computing vectors, and its errors.
//!
//! Memory's recall calls it. An embedder never mixes vectors of two models.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use crate::vector::{EmbeddedText, Vector};

/// The model that computed a vector; vectors of different models are never compared.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModelId(Box<str>);

impl ModelId {
    /// A name such as `all-MiniLM-L6-v2` or `openai:HOST:MODEL`.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self(name.into())
    }

    /// The name as it is stored with each vector.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The future of an [`Embedder`]; dropping it cancels the computation.
pub type EmbedFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Converts texts to vectors.
pub trait Embedder: Send + Sync + 'static {
    /// The model of this embedder.
    fn model(&self) -> &ModelId;

    /// The number of components of a vector: known in advance, or learned from the first answer.
    fn dimensions(&self) -> Option<usize>;

    /// Computes one vector per text, in order. Requires a Tokio runtime.
    fn embed(&self, texts: Vec<String>) -> EmbedFuture<'_, Result<Vec<Vector>, EmbedError>>;

    /// Whether the model has a vector for each word of a text.
    fn has_words(&self) -> bool {
        false
    }

    /// The same, with word vectors if the model has them.
    fn embed_with_words(
        &self,
        texts: Vec<String>,
    ) -> EmbedFuture<'_, Result<Vec<EmbeddedText>, EmbedError>> {
        Box::pin(async move {
            let vectors = self.embed(texts).await?.into_iter();
            Ok(vectors.map(|vector| EmbeddedText { vector, words: Vec::new() }).collect())
        })
    }
}

/// Why no vectors were computed.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A file of the model is missing or has the wrong size.
    #[error(
        "the embedding model in {folder} is incomplete: {file} is missing or has the wrong size"
    )]
    Incomplete {
        /// The folder of the model.
        folder: PathBuf,
        /// The name of the bad file.
        file: &'static str,
    },
    /// A file of the model differs from the installed one.
    #[error("{path} is damaged ({reason}); install the embedding model again")]
    Damaged {
        /// The path of the damaged file.
        path: PathBuf,
        /// What is wrong with it.
        reason: Box<str>,
    },
    /// A file of the model cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The path of the unreadable file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The settings of an endpoint are not valid.
    #[error("the settings of the embedding endpoint are not valid: {0}")]
    Settings(Box<str>),
    /// An endpoint cannot be reached or is overloaded; a later retry may succeed.
    #[error("the embedding endpoint is unavailable: {reason}")]
    Unavailable {
        /// What happened, or the endpoint's answer.
        reason: Box<str>,
        /// The wait that the endpoint asks for in `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// An endpoint rejected the request; a retry would not help.
    #[error("the embedding endpoint rejected the request with status {status}: {reason}")]
    Refused {
        /// The HTTP status of its answer.
        status: u16,
        /// The beginning of the answer's body.
        reason: Box<str>,
    },
    /// The model's answer does not contain one valid vector for each text.
    #[error("the answer of the embedding model is not usable: {0}")]
    Unusable(Box<str>),
    /// The computation was cancelled, for example because the process is shutting down.
    #[error("the embedding was cancelled")]
    Stopped,
}
