//! A receiver that records what it gets, one line each, and a client whose carrier reports to it.
//! The tests of the client half use both.
//!
//! What must stay true: a recorded line never contains the secrets of the target; `assert_line`
//! checks that.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use std::sync::Arc;

use hobnob_mcp_http::client::{HttpCarrier, HttpClientLimits, HttpTarget};
use hobnob_mcp_transport::{Carrier as _, Loss, Outgoing, OutgoingKind, Receiver, RequestHead};
use hobnob_mcp_types::{Incoming, Message, Method, RequestId, Revision, Undecodable};
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::client::wait_for;
use crate::client_raw::RawServer;

/// Records what a carrier reports, for one test.
#[derive(Debug)]
pub(crate) struct Recorder(mpsc::Sender<String>);

/// The lines that a recorder has written so far.
pub(crate) struct Recording(mpsc::Receiver<String>);

pub(crate) fn recorder() -> (Arc<Recorder>, Recording) {
    let (lines, recording) = mpsc::channel(4096);
    (Arc::new(Recorder(lines)), Recording(recording))
}

impl Recording {
    /// The next line, which must come.
    pub(crate) async fn next(&mut self) -> String {
        wait_for("something to be recorded", self.0.recv()).await.unwrap()
    }

    /// The lines that the test has not read.
    pub(crate) fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.0.try_recv().ok()).collect()
    }
}

impl Receiver for Recorder {
    fn received(&self, message: Result<Incoming, Undecodable>, exchange: Option<&RequestId>) {
        let said = match message {
            Ok(Incoming::One(Message::Response(response))) => {
                let id = response.id.map_or_else(|| "nobody".into(), |id| id.to_json());
                match response.outcome {
                    Ok(result) => format!("answer {id} {result}"),
                    Err(error) => format!("error {id} {} {}", error.code.0, error.message),
                }
            }
            Ok(Incoming::One(Message::Request(request))) => {
                format!("request {} {}", request.id, request.method)
            }
            Ok(Incoming::One(Message::Notification(note))) => {
                let params: Value = serde_json::from_str(note.params.raw()).unwrap_or_default();
                match params.get("data") {
                    Some(data) => format!("note {} {data}", note.method),
                    None => format!("note {}", note.method),
                }
            }
            Ok(Incoming::Many(_)) => "batch".into(),
            Err(refused) => format!("garbage {}", refused.error.code.0),
        };
        let whose = exchange.map_or_else(|| "aside".into(), |id| format!("on {id}"));
        self.0.try_send(format!("{said}, {whose}")).unwrap();
    }

    fn lost(&self, id: &RequestId, why: Loss) {
        let why = match why {
            Loss::Unsent(why) => format!("unsent: {why}"),
            Loss::Broken(why) => format!("broken: {why}"),
            Loss::SessionGone => "session gone".into(),
            Loss::Unauthorized { challenge } => format!("unauthorized {challenge:?}"),
            Loss::AuthorizationFailed(why) => format!("authorization failed: {why}"),
            Loss::Status { status, body, retry_after } => {
                format!("status {status} {body:?} {retry_after:?}")
            }
        };
        self.0.try_send(format!("lost {id} {why}")).unwrap();
    }

    fn ended(&self, why: &str) {
        self.0.try_send(format!("ended: {why}")).unwrap();
    }
}

/// A carrier, what it received, and the tracker of its tasks.
pub(crate) struct TestClient {
    pub(crate) carrier: Arc<HttpCarrier>,
    pub(crate) received: Recording,
    pub(crate) tasks: TaskTracker,
}

/// A secret that only the right server may see.
pub(crate) const CANARY: &str = "Bearer canary-token";

/// A target with a secret.
pub(crate) fn target(url: &str) -> HttpTarget {
    let mut headers = HeaderMap::new();
    headers.insert("authorization", HeaderValue::from_static(CANARY));
    HttpTarget::new(url, headers).unwrap()
}

impl TestClient {
    pub(crate) fn with(url: &str, limits: HttpClientLimits) -> Self {
        let (recorder, received) = recorder();
        let tasks = TaskTracker::new();
        let carrier = HttpCarrier::new(target(url), limits, recorder, tasks.clone()).unwrap();
        Self { carrier, received, tasks }
    }

    pub(crate) fn to(url: &str) -> Self {
        Self::with(url, HttpClientLimits::default())
    }

    pub(crate) fn raw(raw: &RawServer) -> Self {
        Self::to(&raw.url())
    }

    /// Sends a request of this revision.
    pub(crate) fn request(
        &self,
        id: i64,
        method: Method,
        params: &Value,
        revision: Option<Revision>,
    ) {
        let named = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
        let head = RequestHead {
            id: id.into(),
            method,
            revision,
            name: named.map(Into::into),
            mirrored: Vec::new(),
        };
        self.send(id.into(), head, params);
    }

    pub(crate) fn send(&self, id: Value, head: RequestHead, params: &Value) {
        let text =
            json!({"jsonrpc": "2.0", "id": id, "method": head.method.as_str(), "params": params});
        let message = Outgoing { text: text.to_string(), kind: OutgoingKind::Request(head) };
        self.carrier.send(message).unwrap();
    }

    /// Calls a tool in the legacy era.
    pub(crate) fn call(&self, id: i64) {
        let params = json!({"name": "x", "arguments": {}});
        self.request(id, Method::ToolsCall, &params, Some(Revision::NEWEST_LEGACY));
    }

    /// Calls a tool in the modern era.
    pub(crate) fn call_modern(&self, id: i64) {
        let params = json!({"name": "x", "arguments": {}});
        self.request(id, Method::ToolsCall, &params, Some(Revision::NEWEST));
    }

    /// Sends a legacy `initialize`.
    pub(crate) fn initialize(&self, id: i64, revision: &str) {
        let params = json!({
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": {"name": "tester", "version": "1"},
        });
        self.request(id, Method::Initialize, &params, None);
    }

    /// Sends the notification `initialized`.
    pub(crate) fn initialized(&self, revision: Revision) {
        let text = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        let kind = OutgoingKind::OneWay { revision: Some(revision) };
        self.carrier.send(Outgoing { text, kind }).unwrap();
    }

    /// Waits until all tasks of the carrier have ended.
    pub(crate) async fn finish(self) -> Recording {
        self.tasks.close();
        wait_for("the end of all tasks", self.tasks.wait()).await;
        self.received
    }
}

/// Checks that a line has this beginning and contains no secret.
pub(crate) fn assert_line(line: &str, beginning: &str) {
    assert!(line.starts_with(beginning), "{line:?} does not begin with {beginning:?}");
    if line.contains("canary") {
        panic!("a secret is shown: {line}");
    }
}
