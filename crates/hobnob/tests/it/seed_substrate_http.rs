//! Streamable HTTP in the profile `substrate`, byte by byte as the description writes it: events
//! that come while the call runs, their ids, the headers, and what a client does with them.
//!
//! The agent waits for the test, so an event that arrives before was not held back.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::TcpStream;

use crate::program::{HttpServer, listening, within};
use crate::seed_substrate::{GrantedHome, PROFILE, call, check_greeting, hello, request};
use crate::seed_wire::Home;

const BOTH: &str = "application/json, text/event-stream";

/// A client that writes its requests by hand.
struct RawClient {
    authority: String,
    session: Option<String>,
    _server: HttpServer,
}

/// One raw event of the stream.
#[derive(Debug, Clone, PartialEq)]
struct RawEvent {
    event: String,
    id: String,
    data: Value,
}

/// A response whose body is still coming.
struct RawResponse {
    status: u16,
    headers: Vec<(String, String)>,
    lines: Lines<BufReader<TcpStream>>,
}

impl RawClient {
    async fn start(home: &Home, options: &[&str]) -> Self {
        let words = [&["serve", "--profile", PROFILE, "--http", "127.0.0.1:0"], options].concat();
        let server = listening(home.hobnob(&words)).await;
        let authority = server.url.strip_prefix("http://").unwrap().split('/').next().unwrap();
        Self { authority: authority.to_owned(), session: None, _server: server }
    }

    /// A client whose handshake is done.
    async fn greeted(home: &Home) -> Self {
        let mut client = Self::start(home, &[]).await;
        client.greet().await;
        client
    }

    async fn greet(&mut self) {
        let answer = self.post(BOTH, &request(1, "initialize", hello("2025-03-26"))).await;
        self.session = Some(answer.header("mcp-session-id").expect("a session").to_owned());
        check_greeting(&answer.json().await["result"], "2025-03-26");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.post(BOTH, &ready).await.status, 202);
    }

    async fn post(&self, accept: &str, message: &Value) -> RawResponse {
        let headers = format!("Content-Type: application/json\r\nAccept: {accept}\r\n");
        self.send("POST", &headers, &message.to_string()).await
    }

    async fn send(&self, method: &str, headers: &str, body: &str) -> RawResponse {
        let session = self.session.iter().map(|id| format!("Mcp-Session-Id: {id}\r\n"));
        let head = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}{}\
             Content-Length: {}\r\n\r\n",
            self.authority,
            session.collect::<String>(),
            body.len(),
        );
        let mut stream = within("a connection", TcpStream::connect(&self.authority)).await.unwrap();
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        RawResponse::read(stream).await
    }

    /// Makes a session of the agent's, and begins a chat in it.
    async fn chat(&self, query: &str) -> RawResponse {
        self.post(BOTH, &call(2, "claudecode.create", json!({"name": "my-session"}))).await;
        let asked = json!({"session_name": "my-session", "query": query});
        self.post(BOTH, &call(1, "claudecode.chat", asked)).await
    }
}

impl RawResponse {
    async fn read(stream: TcpStream) -> Self {
        let mut lines = BufReader::new(stream).lines();
        let reading = async {
            let status = lines.next_line().await.unwrap().expect("a status");
            let status = status.split(' ').nth(1).unwrap().parse().unwrap();
            let mut headers = Vec::new();
            while let Some(line) = lines.next_line().await.unwrap().filter(|it| !it.is_empty()) {
                let (name, value) = line.split_once(": ").unwrap();
                headers.push((name.to_lowercase(), value.to_owned()));
            }
            (status, headers)
        };
        let (status, headers) = within("the head of a response", reading).await;
        Self { status, headers, lines }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// The body, which is one JSON document.
    async fn json(mut self) -> Value {
        let mut body = String::new();
        let stream = self.lines.get_mut();
        within("a body", stream.read_to_string(&mut body)).await.unwrap();
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
    }

    /// The next event; nothing at the end of the stream. Sizes of chunks are passed over.
    async fn event(&mut self) -> Option<RawEvent> {
        let (mut event, mut id) = (String::new(), String::new());
        loop {
            let line = within("a line", self.lines.next_line()).await.unwrap()?;
            if let Some(name) = line.strip_prefix("event: ") {
                event = name.to_owned();
            } else if let Some(number) = line.strip_prefix("id: ") {
                id = number.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some(RawEvent { event, id, data: serde_json::from_str(data).unwrap() });
            }
        }
    }

    async fn rest(mut self) -> Vec<RawEvent> {
        let mut all = Vec::new();
        while let Some(event) = self.event().await {
            all.push(event);
        }
        all
    }
}

fn progress(number: u64, token: &Value, message: &str) -> RawEvent {
    let params = json!({"progressToken": token, "progress": number, "message": message});
    let data = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
    RawEvent { event: "message".into(), id: format!("evt-{number}"), data }
}

#[tokio::test]
async fn tokens_come_while_the_agent_works_and_can_be_read_again() {
    let granted = GrantedHome::new("substrate-sse").await;
    let client = RawClient::greeted(&granted.home).await;
    let mut stream = client.chat("stream").await;
    assert_eq!(stream.status, 200);
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    assert_eq!(stream.header("cache-control"), Some("no-cache"));
    assert_eq!(stream.header("mcp-session-id"), client.session.as_deref());
    let first = stream.event().await.expect("an event");
    let token = first.data["params"]["progressToken"].clone();
    assert!(token.is_string(), "{first:?}");
    assert_eq!(first, progress(1, &token, "Hello"));
    // Only now the agent goes on.
    granted.let_agent_go_on().await;
    let rest = stream.rest().await;
    let [second, last] = rest.as_slice() else { panic!("{rest:?}") };
    assert_eq!(*second, progress(2, &token, " world"));
    assert_eq!((&*last.event, &*last.id, &last.data["id"]), ("message", "evt-3", &json!(1)));
    let content = json!([{"type": "text", "text": "Hello world"}]);
    let result = &last.data["result"];
    assert_eq!((&result["content"], &result["isError"]), (&content, &json!(false)));

    let resume = format!("Accept: text/event-stream\r\nLast-Event-ID: {}\r\n", first.id);
    assert_eq!(client.send("GET", &resume, "").await.rest().await, rest);
    // The session goes on counting, so that an id names one event.
    let next = client.chat("Hello, world!").await.rest().await;
    let ids: Vec<&str> = next.iter().map(|event| &*event.id).collect();
    assert_eq!(ids, ["evt-4", "evt-5", "evt-6"]);
}

#[tokio::test]
async fn a_tool_that_the_agent_uses_is_progress() {
    let granted = GrantedHome::new("substrate-sse-tool").await;
    let client = RawClient::greeted(&granted.home).await;
    let events = client.chat("tool").await.rest().await;
    let messages: Vec<&Value> = events.iter().map(|it| &it.data["params"]["message"]).collect();
    let (last, earlier) = messages.split_last().unwrap();
    assert_eq!(earlier, ["Files: ", "Using tool: Bash", "\n\ntwo."]);
    assert!(last.is_null() && events.last().unwrap().data["result"].is_object(), "{events:?}");
}

/// A client that does not read streams gets one JSON document, and no body if there is no answer.
#[tokio::test]
async fn a_client_that_reads_no_streams_gets_one_document() {
    let granted = GrantedHome::new("substrate-json").await;
    let client = RawClient::greeted(&granted.home).await;
    let asked = call(1, "echo.echo", json!({"message": "Hello", "count": 3}));
    let mut answer = Value::Null;
    // As the document says, only a client that names streams in `Accept` reads them.
    for accept in ["Accept: application/json\r\n", "Accept: */*\r\n", ""] {
        let headers = format!("{accept}Content-Type: application/json\r\n");
        let found = client.send("POST", &headers, &asked.to_string()).await;
        assert_eq!(found.header("content-type"), Some("application/json"), "{accept}");
        answer = found.json().await;
        assert_eq!(answer["result"]["content"][0]["text"], "Hello\nHello\nHello", "{answer}");
    }
    // The same call as a stream has an event for each.
    let streamed = client.post(BOTH, &asked).await.rest().await;
    assert_eq!(streamed.len(), 4, "{streamed:?}");
    assert_eq!(streamed[3].data, answer);
}

#[tokio::test]
async fn sessions_begin_with_the_handshake_and_end_when_the_client_says_so() {
    let home = Home::new("substrate-sessions");
    let mut client = RawClient::start(&home, &[]).await;
    let list = request(2, "tools/list", json!({}));
    let early = client.post(BOTH, &list).await;
    assert_eq!(early.status, 400);
    let not_yet = json!({"code": -32002, "message": "Server not initialized"});
    assert_eq!(early.json().await["error"], not_yet);
    client.greet().await;
    assert!(client.post(BOTH, &list).await.json().await["result"]["tools"].is_array());
    let standing = client.send("GET", "Accept: text/event-stream\r\n", "").await;
    assert_eq!(
        (standing.status, standing.header("content-type")),
        (200, Some("text/event-stream"))
    );
    assert_eq!(client.send("DELETE", "", "").await.status, 204);
    assert_eq!(client.post(BOTH, &list).await.status, 404);
}

#[tokio::test]
async fn a_tool_of_a_disabled_service_names_the_command_that_enables_it() {
    let home = Home::new("substrate-disabled");
    let client = RawClient::greeted(&home).await;
    for (tool, hint) in [
        ("bash.execute", "; its service is disabled: `hobnob enable shell`"),
        ("claudecode.chat", "; its service is disabled: `hobnob enable claudecode`"),
        ("bash.nothing", ""),
    ] {
        let answer = client.post(BOTH, &call(1, tool, json!({}))).await.json().await;
        let said = answer["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(said, format!("Unknown tool: {tool}{hint}"), "{answer}");
    }
}

/// With `--mcp` a native call needs a session whose handshake is done.
#[tokio::test]
async fn native_calls_can_wait_for_the_handshake_here_too() {
    let home = Home::new("substrate-http-mcp");
    let mut client = RawClient::start(&home, &["--mcp"]).await;
    let echo = request(1, "echo.echo", json!(["hi"]));
    let early = client.post(BOTH, &echo).await;
    let not_yet = json!({"code": -32002, "message": "Server not initialized"});
    assert_eq!((early.status, early.json().await["error"].clone()), (400, not_yet));
    client.greet().await;
    let events = client.post(BOTH, &echo).await.rest().await;
    assert_eq!(events[0].data["result"], 1, "{events:?}");
}
