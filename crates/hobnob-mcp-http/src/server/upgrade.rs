//! Takes over a connection whose last response has switched protocols.
//!
//! A route puts an [`Upgrade`] into the extensions of its response; the connection takes it out and
//! passes it the stream once hyper has written the response.

use bytes::Bytes;
use hobnob_mcp_engine::BoxFuture;
use parking_lot::Mutex;
use std::sync::Arc;

use crate::server::client_stream::ClientStream;

type Takeover = Box<dyn FnOnce(ClientStream, Bytes) -> BoxFuture<'static, ()> + Send>;

/// Takes over a connection, once. It is cloneable because extensions of a response must be.
#[derive(Clone)]
pub(crate) struct Upgrade(Arc<Mutex<Option<Takeover>>>);

impl Upgrade {
    /// `takeover` gets the stream, and the bytes that were read from it after the request.
    pub(crate) fn new(
        takeover: impl FnOnce(ClientStream, Bytes) -> BoxFuture<'static, ()> + Send + 'static,
    ) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::new(takeover)))))
    }

    /// Passes on the stream; a second call does nothing.
    pub(crate) async fn run(&self, stream: ClientStream, first: Bytes) {
        let takeover = self.0.lock().take();
        if let Some(takeover) = takeover {
            takeover(stream, first).await;
        }
    }
}
