//! What every model has in common, whoever runs it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use crate::vector::Vector;

/// Which model made a vector; vectors of different models are never compared.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ModelId(Box<str>);

impl ModelId {
    /// A name such as `all-MiniLM-L6-v2` or `openai:HOST:MODEL`.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Work under way; dropping it gives the work up.
pub type Work<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Turns texts into vectors.
pub trait Embedder: Send + Sync + 'static {
    /// Which model this is.
    fn model(&self) -> &ModelId;

    /// How many numbers a vector has: known, or learned from the first answer.
    fn dimensions(&self) -> Option<usize>;

    /// One vector per text, in order. Runs on tokio.
    fn embed(&self, texts: Vec<String>) -> Work<'_, Result<Vec<Vector>, EmbedError>>;
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A model's file is missing or has not its size.
    #[error("the embedding model in {folder} is not complete: {file} is missing or cut short")]
    Incomplete {
        /// Where the model should be.
        folder: PathBuf,
        /// The file that is not as it should be.
        file: &'static str,
    },
    /// A model's file is not what was installed.
    #[error("{path} is damaged ({reason}); install the embedding model again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: Box<str>,
    },
    /// A model's file cannot be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// An endpoint cannot be asked at all as it is set up.
    #[error("the embedding endpoint's settings are not usable: {0}")]
    Settings(Box<str>),
    /// An endpoint cannot be reached or has no time: later it may.
    #[error("the embedding endpoint is not available: {said}")]
    Unavailable {
        /// What happened, or what it said.
        said: Box<str>,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// An endpoint refuses, and would again.
    #[error("the embedding endpoint refuses with status {status}: {said}")]
    Refused {
        /// The status of its answer.
        status: u16,
        /// The beginning of what it said.
        said: Box<str>,
    },
    /// What a model returned are no vectors for the texts.
    #[error("the embedding model's answer is not usable: {0}")]
    Unusable(Box<str>),
    /// The work ended before there was a result, as when the process stops.
    #[error("the embedding was given up")]
    Stopped,
}
