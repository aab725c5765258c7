//! What a connection becomes when its last response has switched protocols.
//!
//! A route puts an [`Upgrade`] into the extensions of its response; the connection takes it out and
//! hands over the stream once hyper has written the response.

use bytes::Bytes;
use hobnob_mcp_engine::BoxFuture;
use std::sync::{Arc, Mutex, PoisonError};

use crate::server::client_stream::ClientStream;

type Takeover = Box<dyn FnOnce(ClientStream, Bytes) -> BoxFuture<'static, ()> + Send>;

/// Takes over a connection, once. Extensions of a response must be cloneable.
#[derive(Clone)]
pub(crate) struct Upgrade(Arc<Mutex<Option<Takeover>>>);

impl Upgrade {
    /// `takeover` gets the stream, and what was read from it after the request.
    pub(crate) fn new(
        takeover: impl FnOnce(ClientStream, Bytes) -> BoxFuture<'static, ()> + Send + 'static,
    ) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::new(takeover)))))
    }

    /// Hands over the stream; nothing happens a second time.
    pub(crate) async fn run(&self, stream: ClientStream, first: Bytes) {
        let takeover = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(takeover) = takeover {
            takeover(stream, first).await;
        }
    }
}
