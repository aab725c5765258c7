//! A provider over HTTP, in any of the dialects.
//!
//! What must stay true: the client follows no redirect, because that would send the key and the
//! conversation to another server.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::exchange::ProviderState;
use super::options::ProviderOptions;
use super::probe::{ProviderProbe, probe};
use crate::error::ProviderError;
use crate::model::ModelInfo;
use crate::provider::Provider;
use crate::request::ModelRequest;
use crate::stream::ModelStream;

/// A provider that answers over HTTP.
pub struct HttpProvider {
    state: Arc<ProviderState>,
}

impl HttpProvider {
    /// Creates a provider. This sends nothing and does not read the key yet.
    pub fn new(options: ProviderOptions) -> Self {
        Self { state: Arc::new(ProviderState::new(options)) }
    }

    /// Checks at no cost whether the provider can be used: reads its key and lists its models.
    pub async fn probe(&self, limit: Duration) -> ProviderProbe {
        match self.state.http() {
            Ok(http) => probe(http, &self.state.options, limit).await,
            Err(error) => ProviderProbe::Unreachable(error.to_string().into()),
        }
    }
}

impl Provider for HttpProvider {
    fn name(&self) -> &str {
        &self.state.options.name
    }

    fn problem(&self) -> Pin<Box<dyn Future<Output = Option<ProviderError>> + Send + '_>> {
        Box::pin(async {
            match &self.state.options.key {
                Some(key) => key.problem().await,
                None => None,
            }
        })
    }

    fn models(&self) -> Vec<ModelInfo> {
        self.state.options.models.values().cloned().collect()
    }

    fn chat(&self, request: ModelRequest) -> ModelStream {
        let state = Arc::clone(&self.state);
        ModelStream::start(move |events| async move { state.exchange(request, events).await })
    }
}

/// Shows the name and the dialect, never the key.
impl fmt::Debug for HttpProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = &self.state.options;
        write!(f, "HttpProvider({}, {:?})", options.name, options.dialect)
    }
}
