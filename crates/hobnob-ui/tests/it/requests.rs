//! Requests as a browser sends them from the page of the hub, and their answers. A test changes the
//! headers that it is about.

use crate::page_hub::{INSTANCE, PageHub, here};
use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_http::ReplyBody;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use serde_json::{Value, json};
use std::future::poll_fn;

pub(crate) const HOST: &str = "127.0.0.1:4815";
pub(crate) const OWN_ORIGIN: &str = "http://127.0.0.1:4815";

/// How many comments are skipped: those of four hours.
const MAX_COMMENTS: usize = 1_000;

/// A request that is not sent yet.
#[derive(Clone)]
pub(crate) struct PageRequest {
    method: &'static str,
    path: String,
    headers: HeaderMap,
    body: Bytes,
    from: ClientId,
}

/// A browser with a session.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    pub(crate) cookie: String,
    pub(crate) csrf: String,
}

impl PageRequest {
    /// A request that the page's own script sends, without a session.
    pub(crate) fn new(method: &'static str, path: &str) -> Self {
        let mut request = Self {
            method,
            path: path.to_owned(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            from: here(),
        };
        request = request.header("host", HOST).header("sec-fetch-site", "same-origin");
        match method {
            "GET" => request,
            _ => request
                .header("origin", OWN_ORIGIN)
                .header("content-type", "application/json")
                .json(&json!({})),
        }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name_of(name), HeaderValue::from_str(value).unwrap());
        self
    }

    /// One more header of the same name.
    pub(crate) fn repeated(mut self, name: &str, value: &str) -> Self {
        self.headers.append(name_of(name), HeaderValue::from_str(value).unwrap());
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    pub(crate) fn json(self, body: &Value) -> Self {
        self.body(body.to_string())
    }

    pub(crate) fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn from(mut self, from: ClientId) -> Self {
        self.from = from;
        self
    }

    pub(crate) fn by(self, browser: &Browser) -> Self {
        let request = self.header("cookie", &browser.cookie);
        match request.method {
            "GET" => request,
            _ => request.header("x-hobnob-csrf", &browser.csrf),
        }
    }

    pub(crate) async fn send(self, hub: &PageHub) -> Response<ReplyBody> {
        let mut request = Request::builder().method(self.method).uri(self.path);
        *request.headers_mut().unwrap() = self.headers;
        if let Some(gate) = &hub.gate {
            request = request.extension(gate.clone());
        }
        hub.routes.answer(request.body(self.body).unwrap(), self.from).await
    }

    pub(crate) async fn status(self, hub: &PageHub) -> u16 {
        self.send(hub).await.status().as_u16()
    }

    /// The status, and the body as JSON.
    pub(crate) async fn answer(self, hub: &PageHub) -> (u16, Value) {
        let answer = self.send(hub).await;
        (answer.status().as_u16(), json_of(&answer))
    }
}

fn name_of(name: &str) -> HeaderName {
    HeaderName::from_bytes(name.as_bytes()).unwrap()
}

pub(crate) fn get(path: &str) -> PageRequest {
    PageRequest::new("GET", path)
}

pub(crate) fn post(path: &str) -> PageRequest {
    PageRequest::new("POST", path)
}

/// The body of an answer as JSON; null if it has none.
pub(crate) fn json_of(answer: &Response<ReplyBody>) -> Value {
    match answer.body().bytes() {
        [] => Value::Null,
        bytes => serde_json::from_slice(bytes).unwrap(),
    }
}

pub(crate) fn open_with(link: &str) -> PageRequest {
    post("/ui/api/session").json(&json!({ "link": link }))
}

/// A browser that opened a link.
pub(crate) async fn browser(hub: &PageHub) -> Browser {
    let link = hub.page.issue_link().unwrap();
    opened(&open_with(&link).send(hub).await)
}

/// What a browser keeps of the answer that opens its session.
pub(crate) fn opened(answer: &Response<ReplyBody>) -> Browser {
    assert_eq!(answer.status(), StatusCode::OK);
    let cookie = answer.headers()["set-cookie"].to_str().unwrap();
    let csrf = json_of(answer)["csrf"].as_str().unwrap().to_owned();
    Browser { cookie: cookie.split(';').next().unwrap().to_owned(), csrf }
}

/// The cookie of the scripted hub with this value.
pub(crate) fn cookie_with(value: &str) -> String {
    format!("hobnob-ui-{INSTANCE}={value}")
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageEvent {
    pub(crate) id: Option<u64>,
    pub(crate) name: String,
    pub(crate) data: Value,
}

/// A stream that a browser reads.
pub(crate) struct OpenEvents(ReplyBody);

impl OpenEvents {
    pub(crate) async fn open(hub: &PageHub, browser: &Browser, after: Option<u64>) -> Self {
        let mut request = get("/ui/events").by(browser);
        if let Some(after) = after {
            request = request.header("last-event-id", &after.to_string());
        }
        let answer = request.send(hub).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Self(answer.into_body())
    }

    /// The next block as it is on the wire; `None` at the end.
    pub(crate) async fn block(&mut self) -> Option<String> {
        let ReplyBody::Stream(stream) = &mut self.0 else { panic!("no stream") };
        let block = poll_fn(|cx| stream.as_mut().poll_next(cx)).await?;
        Some(String::from_utf8(block.to_vec()).unwrap())
    }

    /// The next event that is no comment; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<PageEvent> {
        // On a paused clock, a stream without events has many comments.
        for _ in 0..MAX_COMMENTS {
            let block = self.block().await?;
            if !block.starts_with(':') {
                return Some(parse(&block));
            }
        }
        panic!("nothing but comments")
    }

    /// The next event of this name; others are skipped.
    pub(crate) async fn event(&mut self, name: &str) -> PageEvent {
        loop {
            let event = self.next().await.expect("the stream ended");
            if event.name == name {
                return event;
            }
        }
    }
}

fn parse(block: &str) -> PageEvent {
    let field = |name: &str| {
        let prefix = format!("{name}: ");
        block.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::to_owned)
    };
    assert!(block.ends_with("\n\n"), "{block}");
    PageEvent {
        id: field("id").map(|id| id.parse().unwrap()),
        name: field("event").unwrap(),
        data: serde_json::from_str(&field("data").unwrap()).unwrap(),
    }
}
