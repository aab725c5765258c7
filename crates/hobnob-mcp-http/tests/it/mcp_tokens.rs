//! A listener that requires tokens (A01, A13, A15, A16): which requests pass, which sessions belong
//! to which principal, and what ends with a token.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_mcp_http::{Authentication, ChallengeReason, Identity, IdentityRefusal};
use hobnob_mcp_types::{MethodName, Params};
use http::HeaderValue;
use serde_json::{Value, json};

use futures_util::{SinkExt as _, StreamExt as _};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::client::{Events, TestRequest, wait_for};
use crate::mcp_server::{
    LegacySession, NEWEST_LEGACY, TestOptions, TestServer, ToolEvent, initialize, modern,
    modern_meta, notification, request, said, script,
};

const TOKEN_ENDED: &str = "the token has expired or was revoked; connect with another";

/// All tokens, with their principal or refusal. A token that begins with `r` allows only reading.
#[derive(Debug, Default)]
struct TokenTable(Mutex<HashMap<&'static str, Result<&'static str, IdentityRefusal>>>);

impl TokenTable {
    fn of(tokens: &[(&'static str, &'static str)]) -> Arc<Self> {
        let table = Self::default();
        tokens.iter().for_each(|(token, name)| table.set(token, Ok(name)));
        Arc::new(table)
    }

    fn set(&self, token: &'static str, whose: Result<&'static str, IdentityRefusal>) {
        self.0.lock().insert(token, whose);
    }

    fn find(&self, token: &str) -> Result<Arc<dyn Identity>, IdentityRefusal> {
        let whose = self.0.lock().get(token).copied();
        let name = whose.unwrap_or(Err(IdentityRefusal::Invalid))?;
        let reads_only = token.starts_with('r');
        Ok(Arc::new(Bearer { principal: Principal::named(name), reads_only }))
    }
}

#[derive(Debug)]
struct Bearer {
    principal: Principal,
    reads_only: bool,
}

impl Identity for Bearer {
    fn principal(&self) -> &Principal {
        &self.principal
    }

    fn check(&self, _: &str, method: &MethodName, _: &Params) -> Result<(), Box<str>> {
        match (self.reads_only, method.as_str()) {
            (true, "tools/call") => Err("read call".into()),
            (true, "ping") => Err("read ping".into()),
            _ => Ok(()),
        }
    }

    fn check_all(&self, _: &str) -> Result<(), Box<str>> {
        if self.reads_only { Err("everything".into()) } else { Ok(()) }
    }
}

impl Authentication for TokenTable {
    fn recall(&self, token: &str, _: &str) -> Option<Arc<dyn Identity>> {
        self.find(token).ok()
    }

    fn verify<'a>(
        &'a self,
        token: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Identity>, IdentityRefusal>> {
        Box::pin(std::future::ready(self.find(token)))
    }

    fn challenge(&self, prefix: &str, reason: &ChallengeReason) -> Option<HeaderValue> {
        HeaderValue::from_str(&format!("{prefix} {reason:?}")).ok()
    }
}

async fn start(tokens: &Arc<TokenTable>) -> TestServer {
    // Streams are checked as often as they send keep-alives.
    let mut options = TestOptions::sessions(|it| it.keep_alive = Duration::from_millis(20));
    options.http.authentication = Some(Arc::clone(tokens) as Arc<dyn Authentication>);
    options.http.websockets = 1;
    TestServer::with(options).await
}

fn of(token: &str, http_request: TestRequest) -> TestRequest {
    http_request.header("Authorization", format!("Bearer {token}"))
}

/// Opens a session with this token.
async fn session(server: &TestServer, token: &str) -> LegacySession {
    let hello = TestRequest::post(initialize(NEWEST_LEGACY, &json!({})).to_string());
    let answer = of(token, hello).send(server.address).await;
    assert_eq!(answer.status, 200);
    let id = answer.header("mcp-session-id").unwrap().to_owned();
    let session = LegacySession::named_by(server.address, &id, NEWEST_LEGACY);
    let ready = session.post(&notification("notifications/initialized", json!({})));
    assert_eq!(of(token, ready).send(server.address).await.status, 202);
    session
}

async fn sse(server: &TestServer, token: &str) -> (Events, String) {
    let mut events = of(token, TestRequest::get("/sse")).send(server.address).await.events();
    let messages = events.next().await.unwrap().data.unwrap();
    (events, messages)
}

fn echo() -> Value {
    request(7, "tools/call", json!({"name": "echo", "arguments": {"text": "hi"}}))
}

/// Every route that accepts a session id, with a request for this session.
fn routes(session: &LegacySession) -> Vec<TestRequest> {
    let batch = json!([request(1, "ping", json!({})), echo()]);
    vec![
        session.post(&echo()),
        session.post(&request("x", "tools/list", json!({}))),
        session.post(&notification("notifications/cancelled", json!({"requestId": 1}))),
        session.post(&json!({"jsonrpc": "2.0", "id": 1, "result": {}})),
        session.post(&initialize(NEWEST_LEGACY, &json!({}))),
        session.post(&batch),
        session.named(TestRequest::get("/mcp")),
        session.named(TestRequest::get("/mcp")).header("Last-Event-ID", "1-0"),
        session.named(TestRequest::new("DELETE", "/mcp")),
        TestRequest::post(echo().to_string()).to(&format!("/messages?sessionId={}", session.id)),
    ]
}

/// A15: another principal's session looks like one that does not exist. Defence: the owner is
/// compared where the session is looked up.
#[tokio::test]
async fn a_session_of_another_is_a_session_that_does_not_exist() {
    let tokens = TokenTable::of(&[("a", "ann"), ("b", "bob")]);
    let server = start(&tokens).await;
    let (of_ann, of_bob) = (session(&server, "a").await, session(&server, "b").await);
    let none = LegacySession::named_by(server.address, &"0".repeat(of_ann.id.len()), NEWEST_LEGACY);
    let (mut sse_of_ann, messages) = sse(&server, "a").await;
    let stream_id = messages.split_once('=').unwrap().1.to_owned();
    let behind = LegacySession::named_by(server.address, &stream_id, NEWEST_LEGACY);
    for foreign in [&of_ann, &behind] {
        for (theirs, nobodys) in routes(foreign).into_iter().zip(routes(&none)) {
            let seen = of("b", theirs).send(server.address).await;
            let expected = of("b", nobodys).send(server.address).await;
            assert_eq!((seen.status, expected.status), (404, 404));
            assert_eq!(seen.header("content-type"), expected.header("content-type"));
            assert_eq!(seen.text().await, expected.text().await);
        }
    }
    for (token, session) in [("a", &of_ann), ("b", &of_bob)] {
        let answer = of(token, session.post(&echo())).send(server.address).await.json().await;
        assert_eq!(said(&answer), "hi", "everybody has their own");
    }
    let post = TestRequest::post(echo().to_string()).to(&messages);
    assert_eq!(of("a", post).send(server.address).await.status, 202);
    assert_eq!(sse_of_ann.message().await["id"], 7, "the stream of an own session answers");
}

/// A16: a session belongs to a person, not to a token. Defence: principals are compared.
#[tokio::test]
async fn a_new_token_of_the_same_person_keeps_the_session() {
    let tokens = TokenTable::of(&[("a", "ann"), ("a2", "ann")]);
    let server = start(&tokens).await;
    let session = session(&server, "a").await;
    tokens.set("a", Err(IdentityRefusal::Expired));
    let refused = of("a", session.post(&echo())).send(server.address).await;
    assert_eq!((refused.status, refused.header("www-authenticate")), (401, Some(" BadToken")));
    let answer = of("a2", session.post(&echo())).send(server.address).await.json().await;
    assert_eq!(said(&answer), "hi");
}

/// A01: every route requires a token before it checks anything else, and refuses requests without.
#[tokio::test]
async fn no_route_answers_without_a_token() {
    let tokens = TokenTable::of(&[("a", "ann")]);
    let server = start(&tokens).await;
    let session = session(&server, "a").await;
    let more = [
        modern(1, "server/discover", json!({})),
        TestRequest::post("no JSON at all"),
        TestRequest::post(initialize(NEWEST_LEGACY, &json!({})).to_string()),
        TestRequest::get("/sse"),
        TestRequest::get("/ws"),
        TestRequest::new("PUT", "/mcp"),
    ];
    for http_request in routes(&session).into_iter().chain(more) {
        let answer = http_request.send(server.address).await;
        assert_eq!((answer.status, answer.header("www-authenticate")), (401, Some(" NoToken")));
    }
    let health = TestRequest::new("GET", "/health").send(server.address).await.text().await;
    assert_eq!(health, r#"{"status":"ok"}"#, "it says nothing of sessions");
    let lost = TestRequest::new("GET", "/nowhere").send(server.address).await;
    assert_eq!(lost.status, 404);
}

/// A16: streams without a natural end close when their token ends in any way; a call that began in
/// time is answered unless the token was revoked. Defence: every stream is watched.
#[tokio::test]
async fn streams_end_with_their_token() {
    for (how, call_ends_too) in
        [(IdentityRefusal::Invalid, true), (IdentityRefusal::Expired, false)]
    {
        let tokens = TokenTable::of(&[("a", "ann"), ("b", "bob")]);
        let server = start(&tokens).await;
        let session = session(&server, "a").await;
        let standing = session.named(TestRequest::get("/mcp"));
        let mut standing = of("a", standing).send(server.address).await.events();
        let (mut sse, _) = sse(&server, "a").await;
        let listen = |id: &str| {
            let filter = json!({"notifications": {"toolsListChanged": true}});
            modern(id, "subscriptions/listen", filter)
        };
        let mut listening = of("a", listen("1")).send(server.address).await.events();
        listening.next().await.unwrap();
        let mut others = of("b", listen("2")).send(server.address).await.events();
        others.next().await.unwrap();
        let call = request("c", "tools/call", script("c", &["log:begun", "wait:end"], "done"));
        let mut call = of("a", session.post(&call)).send(server.address).await.events();
        call.message().await;

        tokens.set("a", Err(how));
        assert_eq!(wait_for("its end", standing.next()).await, None, "{how:?}");
        assert_eq!(wait_for("its end", sse.next()).await, None, "{how:?}");
        assert_eq!(wait_for("its end", listening.next()).await, None, "{how:?}");
        if call_ends_too {
            assert_eq!(wait_for("its end", call.next()).await, None);
        } else {
            server.open_gate("end", 1);
            assert_eq!(said(&call.message().await), "done");
        }
        server.publish(&hobnob_mcp_engine::Change::Tools);
        let change = others.message().await;
        assert_eq!(change["method"], "notifications/tools/list_changed", "others' go on");
    }
}

/// A16: one token opens a WebSocket. Without the watch the connection would outlive it.
#[tokio::test]
async fn a_websocket_ends_with_its_token() {
    for how in [IdentityRefusal::Invalid, IdentityRefusal::Expired] {
        let tokens = TokenTable::of(&[("a", "ann"), ("b", "bob")]);
        let mut server = start(&tokens).await;
        let address = server.address;
        let connect = async |token: &str| {
            let mut opening = format!("ws://{address}/ws").into_client_request().unwrap();
            let bearer = HeaderValue::from_str(&format!("Bearer {token}")).unwrap();
            opening.headers_mut().insert("Authorization", bearer);
            connect_async(opening).await.map(|(socket, _)| socket)
        };
        let mut socket = connect("a").await.unwrap();
        let call = request("c", "tools/call", script("c", &["wait:never"], ""));
        for message in [
            initialize(NEWEST_LEGACY, &json!({})),
            notification("notifications/initialized", json!({})),
            call,
        ] {
            socket.send(Message::text(message.to_string())).await.unwrap();
        }
        let hello = wait_for("an answer", socket.next()).await;
        assert!(matches!(hello, Some(Ok(Message::Text(_)))), "{hello:?}");
        assert_eq!(server.next_event().await, ToolEvent::Began("c".into()));
        assert!(connect("b").await.is_err(), "there is one place");
        tokens.set("a", Err(how));
        let end = async {
            loop {
                match socket.next().await {
                    Some(Ok(Message::Close(why))) => return why,
                    Some(Ok(_)) => {}
                    other => panic!("{other:?}"),
                }
            }
        };
        let why = wait_for("its end", end).await.unwrap();
        assert_eq!((why.code, &*why.reason), (CloseCode::Policy, TOKEN_ENDED), "{how:?}");
        assert_eq!(server.next_event().await, ToolEvent::Dropped("c".into()), "{how:?}");
        drop(socket);
        wait_for("its place", async { while connect("b").await.is_err() {} }).await;
    }
}

/// A12: a request that needs more scopes is refused with all of them, in every form of request.
#[tokio::test]
async fn a_token_for_less_is_told_what_it_takes() {
    let tokens = TokenTable::of(&[("r", "ann")]);
    let server = start(&tokens).await;
    let session = session(&server, "r").await;
    let (_sse, messages) = sse(&server, "r").await;
    let batch = json!([request(1, "ping", json!({})), echo(), request(2, "tools/list", json!({}))]);
    for (http_request, scopes) in [
        (session.post(&echo()), "read call"),
        (session.post(&batch), "read ping call"),
        (TestRequest::post(echo().to_string()).to(&messages), "read call"),
        (modern(1, "tools/call", json!({"name": "echo", "arguments": {}})), "read call"),
        (TestRequest::get("/ws"), "everything"),
    ] {
        let answer = of("r", http_request).send(server.address).await;
        let expected = format!(" MissingScope({scopes:?})");
        assert_eq!(answer.header("www-authenticate"), Some(&*expected));
        assert_eq!(answer.status, 403);
    }
    let list = of("r", session.post(&request(3, "tools/list", json!({}))));
    assert_eq!(list.send(server.address).await.status, 200, "the rest goes on");
}

/// Pages may send preflights without a token, and may read why they were refused.
#[tokio::test]
async fn pages_can_read_challenges() {
    let tokens = TokenTable::of(&[("a", "ann")]);
    let server = start(&tokens).await;
    let page = "http://localhost:8080";
    let ask = TestRequest::new("OPTIONS", "/mcp")
        .header("Origin", page)
        .header("Access-Control-Request-Method", "POST");
    let allowed = ask.send(server.address).await;
    assert_eq!(allowed.status, 204);
    assert!(allowed.header("access-control-allow-headers").unwrap().contains("Authorization"));
    let refused = modern(1, "tools/list", json!({})).header("Origin", page);
    let refused = refused.send(server.address).await;
    assert_eq!(refused.status, 401);
    for answer in [&allowed, &refused] {
        assert_eq!(answer.header("access-control-allow-origin"), Some(page));
        let exposed = answer.header("access-control-expose-headers").unwrap();
        assert!(exposed.contains("WWW-Authenticate"), "{exposed}");
    }
    let foreign = TestRequest::new("OPTIONS", "/mcp").header("Origin", "https://evil.example");
    assert_eq!(foreign.send(server.address).await.status, 403, "the guard is before it");
    let plain = TestServer::start().await;
    let ask = TestRequest::new("OPTIONS", "/mcp").header("Origin", page);
    let answer = ask.send(plain.address).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (405, None));
}

/// The requests of one principal count together over all tokens and sessions.
#[tokio::test]
async fn too_many_requests_of_one_principal_are_told_when_to_come_back() {
    let tokens = TokenTable::of(&[("a1", "ann"), ("a2", "ann"), ("b1", "bob")]);
    let mut options = TestOptions::default();
    options.http.authentication = Some(Arc::clone(&tokens) as Arc<dyn Authentication>);
    // The third could be sent after half a minute, longer than any machine takes for this test.
    options.http.limits.requests_per_minute = std::num::NonZeroUsize::new(2);
    let server = TestServer::with(options).await;
    let mut statuses = Vec::new();
    for token in ["a1", "a2", "a1", "b1"] {
        let answer = of(token, modern(1, "tools/list", json!({}))).send(server.address).await;
        statuses.push(answer.status);
        if answer.status == 429 {
            let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=31).contains(&seconds), "{seconds}");
            let error = answer.json().await;
            let message = error["error"]["message"].as_str().unwrap();
            assert!(message.contains("too many requests"), "{message}");
        }
    }
    assert_eq!(statuses, [200, 200, 429, 200]);
}

/// The bytes of bodies count for their sender, whether or not their length was announced. Without
/// the count the second request of each would be answered.
#[tokio::test]
async fn too_many_bytes_of_one_principal_are_told_when_to_come_back() {
    let tokens = TokenTable::of(&[("a", "ann"), ("b", "bob"), ("c", "cid")]);
    let mut options = TestOptions::default();
    options.http.authentication = Some(Arc::clone(&tokens) as Arc<dyn Authentication>);
    options.http.limits.bytes_per_minute = std::num::NonZeroUsize::new(20_000);
    let server = TestServer::with(options).await;
    let echo =
        |text: &str| modern(1, "tools/call", json!({"name": "echo", "arguments": {"text": text}}));
    let (large, small) = ("x".repeat(30_000), "y");
    let in_chunks = {
        let body = request(1, "tools/list", json!({"_meta": modern_meta(), "filler": large}));
        let body = body.to_string();
        let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        modern(1, "tools/list", json!({})).unfinished("Transfer-Encoding", "chunked", &chunk)
    };
    for (token, first) in [("a", echo(&large)), ("b", in_chunks)] {
        assert_eq!(of(token, first).send(server.address).await.status, 200, "{token}");
        let refused = of(token, echo(small)).send(server.address).await;
        assert_eq!(refused.status, 429, "{token}");
        let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&seconds), "{seconds}");
        let error = refused.json().await;
        let message = error["error"]["message"].as_str().unwrap();
        assert!(message.contains("too many bytes"), "{message}");
    }
    assert_eq!(of("c", echo(small)).send(server.address).await.status, 200, "only theirs count");
}
