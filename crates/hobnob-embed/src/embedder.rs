//! The `Embedder` trait, which every way of computing vectors implements, and its errors.
//!
//! Memory's recall calls it. An embedder never mixes vectors of two models.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use crate::vector::{EmbeddedText, Vector};

/// Which model made a vector; vectors of different models are never compared.
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

/// Turns texts into vectors.
pub trait Embedder: Send + Sync + 'static {
    /// Which model this is.
    fn model(&self) -> &ModelId;

    /// How many numbers a vector has: known, or learned from the first answer.
    fn dimensions(&self) -> Option<usize>;

    /// One vector per text, in order. Runs on tokio.
    fn embed(&self, texts: Vec<String>) -> EmbedFuture<'_, Result<Vec<Vector>, EmbedError>>;

    /// Whether it tells the words of a text apart.
    fn has_words(&self) -> bool {
        false
    }

    /// The same with the vectors of each text's words, if the model has them.
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

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A model's file is missing or has the wrong size.
    #[error(
        "the embedding model in {folder} is incomplete: {file} is missing or has the wrong size"
    )]
    Incomplete {
        /// Where the model should be.
        folder: PathBuf,
        /// The file that is not as it should be.
        file: &'static str,
    },
    /// A model's file is not what was installed.
    #[error("{path} is damaged ({reason}); install the embedding model again")]
    Damaged {
        /// Which of the model's files it is.
        path: PathBuf,
        /// What is wrong with it.
        reason: Box<str>,
    },
    /// A model's file cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// Which of the model's files it is.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The settings of an endpoint are not valid.
    #[error("the settings of the embedding endpoint are not valid: {0}")]
    Settings(Box<str>),
    /// An endpoint cannot be reached or is overloaded; a later try may succeed.
    #[error("the embedding endpoint is unavailable: {reason}")]
    Unavailable {
        /// What happened, or what the endpoint answered.
        reason: Box<str>,
        /// How long the endpoint's `Retry-After` asks us to wait.
        retry_after: Option<Duration>,
    },
    /// An endpoint rejected the request; trying again would not help.
    #[error("the embedding endpoint rejected the request with status {status}: {reason}")]
    Refused {
        /// The status of its answer.
        status: u16,
        /// The beginning of its answer's body.
        reason: Box<str>,
    },
    /// The model's answer does not hold one valid vector for each text.
    #[error("the answer of the embedding model is not usable: {0}")]
    Unusable(Box<str>),
    /// The computation ended before there was a result, for example because the process stops.
    #[error("the embedding was cancelled")]
    Stopped,
}
