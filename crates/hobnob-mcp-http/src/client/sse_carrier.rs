//! HTTP+SSE, the transport of the first revision, as a [`Carrier`]: one stream for all messages
//! from the server, which first names the endpoint for messages to it.

use std::sync::Arc;

use hobnob_mcp_transport::{Carrier, Outgoing, OutgoingKind, Receiver, SendError};
use hobnob_mcp_types::{RequestId, Revision};
use http::HeaderMap;
use reqwest::Response;
use tokio_util::task::TaskTracker;

use crate::client::answer::{Refusal, read_body};
use crate::client::authorizer::Initiative;
use crate::client::events::{End, Events, decoded};
use crate::client::exchange::{continues, tell};
use crate::client::limits::HttpClientLimits;
use crate::client::target::{HttpTarget, TargetError};
use crate::client::wire::{GetFault, Membership, Wire};

/// Why there is no connection over HTTP+SSE.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The target is invalid.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// The connection failed: the name, the port or TLS.
    #[error("the server cannot be reached: {0}")]
    Unreachable(Box<str>),
    /// The server wants credentials.
    #[error("the server wants credentials")]
    Unauthorized {
        /// The value of `WWW-Authenticate`, if there was one.
        challenge: Option<Box<str>>,
    },
    /// There are no credentials for the server; the text says why and what to do.
    #[error("{0}")]
    Authorization(Box<str>),
    /// The URL is not an HTTP+SSE endpoint.
    #[error("the url gives no event stream (HTTP {0}); this is no HTTP+SSE server")]
    NoStream(u16),
    /// The stream ended, or continued, without naming the endpoint for messages.
    #[error("the server did not say where messages go: {0}")]
    NoEndpoint(Box<str>),
    /// The endpoint is at another origin, to which our credentials must not go.
    #[error("the server wants messages at another origin than its own; that is refused")]
    ForeignEndpoint,
    /// The server did not name the endpoint in time.
    #[error("the server did not say in time where messages go")]
    Late,
}

/// The connection to one server over HTTP+SSE.
#[derive(Debug)]
pub struct SseCarrier {
    wire: Arc<Wire>,
}

impl SseCarrier {
    /// Opens the stream and waits for the endpoint's name. Must be called within a runtime, which
    /// also runs the carrier's tasks; the owner of `tasks` can wait for them.
    pub async fn open(
        target: HttpTarget,
        limits: HttpClientLimits,
        receiver: Arc<dyn Receiver>,
        tasks: TaskTracker,
    ) -> Result<Arc<Self>, OpenError> {
        let patience = target.authorizer().map(|it| it.patience()).unwrap_or_default();
        let open_timeout = limits.open + patience;
        let wire = Wire::new(target, limits, receiver, tasks)?;
        let opened = tokio::time::timeout(open_timeout, endpoint(&wire)).await;
        let (endpoint, events) = opened.map_err(|_| OpenError::Late)??;
        let wire = Arc::new(wire.to(endpoint));
        wire.traffic.run_beside(listen(Arc::clone(&wire), events.shared()));
        Ok(Arc::new(Self { wire }))
    }
}

/// Opens the stream; returns it and the endpoint that its first event names.
async fn endpoint(wire: &Wire) -> Result<(HttpTarget, Events), OpenError> {
    let response = wire.get(None, Initiative::Call).await.map_err(|fault| match fault {
        GetFault::Unreachable(why) => OpenError::Unreachable(why),
        GetFault::Unauthorized(why) => OpenError::Authorization(why),
        GetFault::BadEventId => OpenError::NoEndpoint("no event id was sent".into()),
    })?;
    if !continues(&response) {
        return Err(refusal(response, wire.limits.error_bytes).await);
    }
    let mut events = Events::new(response, wire.limits.event_bytes);
    loop {
        let event = events.next().await.map_err(|end| OpenError::NoEndpoint(ended(end)))?;
        match event.event.as_deref() {
            Some("endpoint") => {
                let place = String::from_utf8_lossy(&event.data);
                let target = wire.target.at(place.trim()).ok_or(OpenError::ForeignEndpoint)?;
                return Ok((target, events));
            }
            None | Some("message") => {
                let why = "a message came before the `endpoint` event";
                return Err(OpenError::NoEndpoint(why.into()));
            }
            Some(_) => {}
        }
    }
}

async fn refusal(response: Response, error_bytes: usize) -> OpenError {
    let refusal = Refusal::read(response, error_bytes).await;
    match refusal.status {
        401 | 403 => OpenError::Unauthorized { challenge: refusal.challenge() },
        status => OpenError::NoStream(status),
    }
}

fn ended(end: End) -> Box<str> {
    match end {
        End::Closed(why) => why,
        End::TooLarge(fault) => fault.to_string().into(),
    }
}

/// Passes the server's messages to the receiver until the stream ends.
async fn listen(wire: Arc<Wire>, mut events: Events) {
    loop {
        match events.next().await {
            Ok(event) => {
                if let Some(message) = decoded(&event, wire.limits.event_bytes) {
                    wire.deliver(message, None);
                }
            }
            Err(end) => {
                wire.end(&ended(end));
                return;
            }
        }
    }
}

/// Posts a request; its answer comes on the stream.
async fn ask(wire: Arc<Wire>, id: RequestId, text: String) {
    let outcome = match wire.post(HeaderMap::new(), text, Initiative::Call).await {
        Ok(response) if response.status().is_success() => {
            drop(read_body(response, wire.limits.error_bytes).await);
            Ok(())
        }
        Ok(response) => wire.refused(response, &id, Membership::Alone).await,
        Err(loss) => Err(loss),
    };
    match outcome {
        Ok(()) => wire.traffic.settle(&id),
        Err(loss) => wire.lose(&id, loss),
    }
}

impl Carrier for SseCarrier {
    fn send(&self, message: Outgoing) -> Result<(), SendError> {
        let pass = self.wire.traffic.admit(&message.kind)?;
        let wire = Arc::clone(&self.wire);
        match message.kind {
            OutgoingKind::Request(head) => {
                self.wire.traffic.run(pass, ask(wire, head.id, message.text));
            }
            // This transport has no header for the negotiated revision.
            OutgoingKind::OneWay { .. } => {
                self.wire.traffic.run(pass, tell(wire, None, message.text));
            }
        }
        Ok(())
    }

    fn abandon(&self, id: &RequestId) {
        self.wire.traffic.abandon(id);
    }

    /// The stream has been open from the start.
    fn greeted(&self, _revision: Revision) {}

    fn close(&self) {
        self.wire.traffic.end();
    }
}

impl Drop for SseCarrier {
    fn drop(&mut self) {
        self.close();
    }
}
