//! The life of one message over Streamable HTTP: it is posted, and answered in JSON or on a stream,
//! which in the legacy era is resumed after a break.
//!
//! What must stay true: a request ends with its answer or with one loss, never with both.

use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_transport::{Loss, RequestHead};
use hobnob_mcp_types::json::field;
use hobnob_mcp_types::{Era, Method, RequestId, Revision};
use hobnob_web_client::Backoff;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::Response;

use crate::client::adopt::{Origin, adopt};
use crate::client::answer::{BodyFault, Content, Refusal, read_body};
use crate::client::authorizer::Initiative;
use crate::client::events::{End, Events, message};
use crate::client::wire::{GetFault, Membership, SESSION, Wire, write_revision};
use crate::header_value;

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const PARAM: &str = "mcp-param-";

/// How often in a row the client tries to resume a stream.
const MAX_TRIES: u32 = 5;

/// The longest wait before such a try.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// How long to wait for the end of a stream after its answer, which usually comes at once. Only a
/// connection that was read to its end can be used again.
const LINGER: Duration = Duration::from_millis(100);

/// Sends a request, and passes its answer or its loss to the receiver.
pub(super) async fn ask(wire: Arc<Wire>, head: RequestHead, text: String) {
    let era = head.revision.map_or(Era::Legacy, Revision::era);
    let exchange = Exchange { wire: &wire, id: &head.id, era };
    if let Err(loss) = exchange.run(&head, text).await {
        wire.lose(&head.id, loss);
    }
}

/// Sends a message that has no answer. If the server refuses it, the refusal is only logged.
pub(super) async fn tell(wire: Arc<Wire>, revision: Option<Revision>, text: String) {
    let mut headers = HeaderMap::new();
    write_revision(revision, &mut headers);
    match revision.map(Revision::era) {
        Some(Era::Modern) => {
            let method = field(&text, "method").map(|method| method.trim_matches('"'));
            if let Some(Ok(method)) = method.map(HeaderValue::from_str) {
                headers.insert(METHOD, method);
            }
        }
        Some(Era::Legacy) | None => {
            headers.extend(wire.session().id.clone().map(|id| (SESSION, id)));
        }
    }
    let server = wire.target.to_string();
    match wire.post(headers, text, Initiative::Background).await {
        Ok(response) if response.status().is_success() => {
            // Nothing is expected in it, but a connection read to its end can be used again.
            drop(tokio::time::timeout(LINGER, read_body(response, wire.limits.error_bytes)).await);
        }
        Ok(response) => {
            let status = response.status().as_u16();
            tracing::warn!(server, status, "the server did not take a message");
        }
        Err(loss) => tracing::warn!(server, why = %loss, "a message was lost"),
    }
}

struct Exchange<'a> {
    wire: &'a Wire,
    id: &'a RequestId,
    era: Era,
}

impl Exchange<'_> {
    async fn run(&self, head: &RequestHead, text: String) -> Result<(), Loss> {
        let (headers, membership) = self.headers(head)?;
        let response = self.wire.post(headers, text, Initiative::Call).await?;
        if !response.status().is_success() {
            return self.wire.refused(response, self.id, membership).await;
        }
        if head.method == Method::Initialize {
            self.begin_session(&response)?;
        }
        match Content::of(response.headers()) {
            Content::Json => self.read(response).await,
            Content::Events => self.follow(response).await,
            Content::Other => {
                let refusal = Refusal::read(response, self.wire.limits.error_bytes).await;
                Err(self.wire.status_loss(&refusal))
            }
        }
    }

    fn headers(&self, head: &RequestHead) -> Result<(HeaderMap, Membership), Loss> {
        let mut headers = HeaderMap::new();
        write_revision(head.revision, &mut headers);
        if self.era == Era::Legacy {
            // `initialize` begins a new session, even if there is one.
            let known = self.wire.session().id.clone();
            let Some(id) = known.filter(|_| head.method != Method::Initialize) else {
                return Ok((headers, Membership::Alone));
            };
            headers.insert(SESSION, id);
            return Ok((headers, Membership::OfSession));
        }
        headers.insert(METHOD, HeaderValue::from_static(head.method.as_str()));
        if let Some(name) = &head.name {
            headers.insert(NAME, encoded(name)?);
        }
        for (name, value) in &head.mirrored {
            let full = HeaderName::try_from(format!("{PARAM}{name}"))
                .map_err(|_| Loss::Unsent(format!("`{name}` cannot name a header").into()))?;
            headers.insert(full, encoded(value)?);
        }
        Ok((headers, Membership::Alone))
    }

    /// Stores the id of the session that the response to `initialize` began.
    fn begin_session(&self, response: &Response) -> Result<(), Loss> {
        let id = response.headers().get(SESSION).cloned();
        let visible = |id: &HeaderValue| id.as_bytes().iter().all(|byte| byte.is_ascii_graphic());
        if id.as_ref().is_some_and(|id| !visible(id)) {
            return Err(Loss::Broken("the server's session id is not visible ASCII".into()));
        }
        let mut session = self.wire.session();
        session.id = id.map(|mut id| {
            id.set_sensitive(true);
            id
        });
        session.revision = None;
        Ok(())
    }

    /// Reads the answer from the body.
    async fn read(&self, response: Response) -> Result<(), Loss> {
        let limit = self.wire.limits.body_bytes;
        let body = read_body(response, limit).await.map_err(|fault| match fault {
            BodyFault::TooLarge => {
                Loss::Broken(format!("the answer is larger than {limit} bytes").into())
            }
            BodyFault::Broken(why) => Loss::Broken(why),
        })?;
        self.take(&body, Origin::Body).then_some(()).ok_or_else(|| {
            Loss::Broken("the response does not contain the answer to this request".into())
        })
    }

    /// Passes the messages in a text to the receiver; returns whether the answer was among them.
    fn take(&self, text: &[u8], origin: Origin) -> bool {
        let adopted = adopt(text, self.id, origin);
        if adopted.answered {
            self.wire.traffic.settle(self.id);
        }
        self.wire.deliver_adopted(adopted, self.id)
    }

    /// Reads the answer from a stream, and from those that resume it.
    async fn follow(&self, response: Response) -> Result<(), Loss> {
        let mut place: Option<Box<str>> = None;
        let mut backoff = Backoff::new(MAX_WAIT);
        let mut events = Events::new(response, self.wire.limits.event_bytes);
        loop {
            let why = match self.read_events(&mut events, &mut place).await {
                Ok(()) => return Ok(()),
                Err(End::Closed(why)) => why,
                Err(End::TooLarge(fault)) => return Err(Loss::Broken(fault.to_string().into())),
            };
            let Some(last) = place.as_deref().filter(|_| self.era == Era::Legacy) else {
                return Err(Loss::Broken(why));
            };
            backoff.ask(events.retry_ms());
            if events.was_fruitful() {
                backoff.reset();
            }
            // Close the old connection before the wait, not after it.
            drop(events);
            let response = self.take_up(last, &mut backoff).await?;
            events = Events::new(response, self.wire.limits.event_bytes);
        }
    }

    /// Passes the messages of one connection to the receiver until the answer or the end comes.
    async fn read_events(
        &self,
        events: &mut Events,
        place: &mut Option<Box<str>>,
    ) -> Result<(), End> {
        loop {
            let event = events.next().await?;
            if !event.id.is_empty() {
                *place = Some(event.id.clone());
            }
            if message(&event).is_some_and(|text| self.take(text, Origin::Event)) {
                self.linger(events).await;
                return Ok(());
            }
        }
    }

    /// Reads a finished stream to its end, if the end comes soon.
    async fn linger(&self, events: &mut Events) {
        let rest = async {
            while let Ok(event) = events.next().await {
                if let Some(text) = message(&event) {
                    self.wire.deliver_adopted(adopt(text, self.id, Origin::Event), self.id);
                }
            }
        };
        let _not_near = tokio::time::timeout(LINGER, rest).await;
    }

    /// Requests the rest of a stream until the server sends it, or refuses for good.
    async fn take_up(&self, last: &str, backoff: &mut Backoff) -> Result<Response, Loss> {
        let mut why = Box::default();
        for _ in 0..MAX_TRIES {
            tokio::time::sleep(backoff.next()).await;
            why = match self.wire.get(Some(last), Initiative::Call).await {
                Ok(response) if continues(&response) => return Ok(response),
                Ok(response) if is_passing(response.status()) => {
                    format!("HTTP {}", response.status().as_u16()).into()
                }
                // The request was sent long ago and may have run, so any status is `Broken`.
                Ok(response) => {
                    let status = response.status().as_u16();
                    let why = format!("the stream broke and was not continued: HTTP {status}");
                    return Err(Loss::Broken(why.into()));
                }
                Err(GetFault::BadEventId) => {
                    let why = "the stream broke, and its event id is no header value";
                    return Err(Loss::Broken(why.into()));
                }
                Err(GetFault::Unreachable(why) | GetFault::Unauthorized(why)) => why,
            };
        }
        Err(Loss::Broken(format!("the stream broke and was not continued: {why}").into()))
    }
}

/// Whether a response to a GET is a stream.
pub(super) fn continues(response: &Response) -> bool {
    response.status() == StatusCode::OK && Content::of(response.headers()) == Content::Events
}

/// Whether a refusal may be temporary.
pub(super) fn is_passing(status: StatusCode) -> bool {
    status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
        || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}

fn encoded(text: &str) -> Result<HeaderValue, Loss> {
    HeaderValue::from_str(&header_value::encode(text))
        .map_err(|_| Loss::Unsent("a value cannot be sent as a header".into()))
}
