//! The one trait through which all callers ask a model.
//!
//! `HttpProvider` implements it; an MCP client that offers sampling could too.

use std::pin::Pin;

use crate::error::ProviderError;
use crate::model::ModelInfo;
use crate::request::ModelRequest;
use crate::stream::ModelStream;

/// A service that answers requests to its models.
pub trait Provider: Send + Sync {
    /// The name that the settings give it.
    fn name(&self) -> &str;

    /// Why the provider cannot be used, if that shows without sending a request or running a
    /// program.
    fn problem(&self) -> Pin<Box<dyn Future<Output = Option<ProviderError>> + Send + '_>> {
        Box::pin(async { None })
    }

    /// The models with an entry; the provider may have others.
    fn models(&self) -> Vec<ModelInfo>;

    /// Sends a request. The answer arrives through the stream while the model writes it; dropping
    /// the stream cancels the request. Must be called within a Tokio runtime.
    fn chat(&self, request: ModelRequest) -> ModelStream;
}
