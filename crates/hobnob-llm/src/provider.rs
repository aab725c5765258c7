//! The one trait that everybody who wants an answer of a model asks through.
//!
//! `HttpProvider` is one; a client that samples for us can be another.

use std::pin::Pin;

use crate::error::ProviderError;
use crate::model::ModelInfo;
use crate::request::ModelRequest;
use crate::stream::ModelStream;

/// Somebody who can answer for a model.
pub trait Provider: Send + Sync {
    /// The name that the settings give it.
    fn name(&self) -> &str;

    /// Why it cannot be asked, as far as that shows without asking it or running anything.
    fn problem(&self) -> Pin<Box<dyn Future<Output = Option<ProviderError>> + Send + '_>> {
        Box::pin(async { None })
    }

    /// What is known of its models; it may have others.
    fn models(&self) -> Vec<ModelInfo>;

    /// Asks. The answer comes through the stream as it is written; dropping the stream cancels it.
    /// Must be called within a Tokio runtime.
    fn chat(&self, request: ModelRequest) -> ModelStream;
}
