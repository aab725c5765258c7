//! Greedy clients: bodies, calls and subscriptions by the thousand, over real sockets.
//!
//! What the program takes is bounded by its settings, and another client is served meanwhile. A few
//! in every run, the full counts with `SLOW_TESTS=1`; the figures are printed.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::faults_client::MODERN;
use crate::faults_setup::{ALLOW, Setup, times};
use crate::program::{HttpServer, listening, within};

const MIB: usize = 1 << 20;

/// Memory that one connection may take beside the bodies: buffers of both directions, its task.
const PER_CONNECTION: usize = 256 << 10;

/// A running program, and where it listens.
struct Hub {
    server: HttpServer,
    authority: Arc<str>,
}

impl Hub {
    async fn start(setup: &Setup) -> Self {
        setup.write();
        let server = listening(setup.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
        let authority = server.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        Self { authority: authority.into(), server }
    }

    /// A line of the program's status, in bytes.
    fn memory(&self, line: &str) -> usize {
        let id = self.server.child.id().unwrap();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let found = status.lines().find_map(|it| it.strip_prefix(line)?.strip_prefix(':'));
        let kib: usize = found.unwrap().trim().strip_suffix(" kB").unwrap().parse().unwrap();
        kib << 10
    }

    /// What is resident now.
    fn resident(&self) -> usize {
        self.memory("VmRSS")
    }

    /// The most that ever was resident.
    fn peak(&self) -> usize {
        self.memory("VmHWM")
    }
}

/// The text of a modern request of a client of this name.
fn modern(authority: &str, client: &str, method: &str, mut params: Value) -> Vec<u8> {
    let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n"));
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let headers = format!(
        "MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n{}",
        name.unwrap_or_default()
    );
    posted(
        authority,
        &headers,
        &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
    )
}

fn posted(authority: &str, headers: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}

/// Sends a request on a connection of its own, which stays open.
async fn send(authority: &str, request: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(authority).await.unwrap();
    // A server that refuses may close before it has read everything.
    drop(stream.write_all(request).await);
    stream
}

/// Reads one answer: its head, and as much of its body as was announced.
async fn answer(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return (String::from_utf8_lossy(&bytes).into_owned(), Value::Null);
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length = header(&head, "content-length").and_then(|length| length.parse().ok());
    let length: usize = length.unwrap_or(0);
    while bytes.len() < end + length && stream.read_buf(&mut bytes).await.unwrap_or(0) > 0 {}
    (head, serde_json::from_slice(&bytes[end..]).unwrap_or_default())
}

/// A field of a head.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    fields.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// What another client gets meanwhile: its list, and an answer to its call.
async fn is_served(authority: &str, tool: &str) {
    let list = modern(authority, "modest", "tools/list", json!({}));
    let call = modern(
        authority,
        "modest",
        "tools/call",
        json!({"name": tool, "arguments": {"message": "hi"}}),
    );
    let mut stream = TcpStream::connect(authority).await.unwrap();
    for request in [list, call] {
        stream.write_all(&request).await.unwrap();
        let (head, body) = within("another client's answer", answer(&mut stream)).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}\n{body}");
        assert!(body["result"].is_object() && body["result"]["isError"] != true, "{body}");
    }
}

#[expect(clippy::print_stdout, reason = "the figures are what whoever runs this wants to see")]
fn print(what: &str, hub: &Hub, before: usize, figures: &str) {
    let (now, peak) = (hub.resident() / MIB, hub.peak() / MIB);
    println!(
        "{what}: {figures}; resident {} MiB before, {now} MiB now, {peak} MiB at most",
        before / MIB
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_bodies_by_the_hundred_take_what_the_settings_say() {
    let Some(mut setup) = Setup::new("load-bodies").await else { return };
    setup.upstream("up", &["--only", "echo"]);
    let (connections, budget) = (times(120, 800), times(32, 256) * MIB);
    setup.settings(&format!("[limits]\nbodies_total = {budget}\n{ALLOW}"));
    let hub = Hub::start(&setup).await;
    is_served(&hub.authority, "mcp__up__echo").await;
    let before = hub.resident();

    let text = "x".repeat(4 * MIB - 1024);
    let arguments = json!({"name": "health_check", "arguments": {"message": text}});
    let request: Arc<[u8]> = modern(&hub.authority, "greedy", "tools/call", arguments).into();
    let mut storm = JoinSet::new();
    for _ in 0..connections {
        let (authority, request) = (Arc::clone(&hub.authority), Arc::clone(&request));
        storm.spawn(async move {
            let mut stream = send(&authority, &request).await;
            answer(&mut stream).await.0
        });
    }
    let (mut read, mut refused, mut cut, mut looks) = (0, 0, 0, 0);
    while let Some(head) = storm.join_next().await {
        match head.unwrap() {
            head if head.starts_with("HTTP/1.1 200") => read += 1,
            head if head.starts_with("HTTP/1.1 503") => refused += 1,
            // The answer was lost, because the rest of the request was still on its way.
            head if head.is_empty() => cut += 1,
            head => panic!("{head}"),
        }
        if (read + refused + cut) % 50 == 1 {
            is_served(&hub.authority, "mcp__up__echo").await;
            looks += 1;
        }
    }
    let figures = format!(
        "{connections} x 4 MiB, budget {} MiB: {read} answered, {refused} asked to come again, {cut} \
         cut; another client was served {looks} times",
        budget / MIB
    );
    print("bodies", &hub, before, &figures);
    assert!(read > 0 && looks > 0);
    let bound = before + budget + budget / 2 + connections * PER_CONNECTION + 64 * MIB;
    assert!(hub.peak() < bound, "{} MiB of {} MiB", hub.peak() / MIB, bound / MIB);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_calls_of_one_client_leave_room_for_others() {
    let Some(mut setup) = Setup::new("load-calls").await else { return };
    setup.upstream("up", &["--only", "echo", "--only", "nap"]);
    let (calls, each) = (times(300, 4300), times(100, 1024));
    setup.settings(&format!("[limits]\ncalls_per_client = {each}\n{ALLOW}"));
    let hub = Hub::start(&setup).await;
    is_served(&hub.authority, "mcp__up__echo").await;
    let before = hub.resident();

    let nap = json!({"name": "mcp__up__nap", "arguments": {"ms": 600_000}});
    let request: Arc<[u8]> = modern(&hub.authority, "greedy", "tools/call", nap).into();
    let (answers, mut refusals) = mpsc::channel(calls);
    let mut storm = JoinSet::new();
    for _ in 0..calls {
        let (authority, request, answers) =
            (Arc::clone(&hub.authority), Arc::clone(&request), answers.clone());
        storm.spawn(async move {
            let mut stream = send(&authority, &request).await;
            let (head, body) = answer(&mut stream).await;
            let _test_is_over = answers.send((head, body)).await;
        });
    }
    // All of them have arrived when those beyond the bound were refused.
    for _ in 0..calls - each {
        let (head, body) = within("a refusal", refusals.recv()).await.unwrap();
        assert!(
            head.starts_with("HTTP/1.1 503") && header(&head, "retry-after") == Some("1"),
            "{head}"
        );
        assert_eq!(body["error"]["code"], -31001, "{body}");
    }
    for _ in 0..20 {
        is_served(&hub.authority, "mcp__up__echo").await;
    }
    assert!(refusals.try_recv().is_err(), "the others still run");
    let figures = format!(
        "{calls} slow calls of one client: {each} wait, {} were asked to come again, {} run on the \
         server; another client was served 20 times",
        calls - each,
        setup.noted("up", "napping")
    );
    print("calls", &hub, before, &figures);
    let bound = before + calls * PER_CONNECTION + 64 * MIB;
    assert!(hub.peak() < bound, "{} MiB of {} MiB", hub.peak() / MIB, bound / MIB);
    storm.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscriptions_are_bounded_for_a_client_and_in_total() {
    let Some(mut setup) = Setup::new("load-subscriptions").await else { return };
    setup.upstream("up", &["--only", "echo"]);
    let (sessions, uris) = (times(5, 10), times(60, 1000));
    let (each, total) = (times(200, 4096), times(400, 16_384));
    setup.settings(&format!(
        "[limits]\nsubscriptions_per_client = {each}\nsubscriptions_total = {total}\n{ALLOW}"
    ));
    let hub = Hub::start(&setup).await;
    is_served(&hub.authority, "mcp__up__echo").await;
    let before = hub.resident();

    let (mut taken, mut refused) = (0, 0);
    for session in 0..sessions {
        let mut session = Session::open(&hub.authority, "greedy", session).await;
        for number in 0..uris {
            let body = session.subscribe(number).await;
            match body["error"]["code"].as_i64() {
                None => taken += 1,
                Some(code) => {
                    assert_eq!(code, -31001, "{body}");
                    refused += 1;
                }
            }
        }
        is_served(&hub.authority, "mcp__up__echo").await;
    }
    assert_eq!((taken, refused), (each.min(total / 2), sessions * uris - each.min(total / 2)));
    let mut modest = Session::open(&hub.authority, "modest", 0).await;
    assert!(modest.subscribe(0).await["error"].is_null());
    let figures = format!(
        "{} subscriptions of one client in {sessions} sessions: {taken} taken, {refused} refused; \
         another client subscribes and is served",
        sessions * uris
    );
    print("subscriptions", &hub, before, &figures);
    let bound = before + sessions * uris * (16 << 10) + 64 * MIB;
    assert!(hub.peak() < bound, "{} MiB of {} MiB", hub.peak() / MIB, bound / MIB);
}

/// The program with such limits of open files, soft and hard.
fn with_descriptors(setup: &Setup, limits: &str) -> tokio::process::Command {
    let usual = setup.hobnob(&[]);
    let script = format!(r#"{limits}; exec "$0" serve --http 127.0.0.1:0"#);
    let mut command = tokio::process::Command::new("sh");
    command.args(["-c", &script]).arg(usual.as_std().get_program());
    for (name, value) in usual.as_std().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(usual.as_std().get_current_dir().unwrap());
    command.stderr(std::process::Stdio::piped()).kill_on_drop(true);
    command
}

/// The soft and the hard limit of open files of a process.
fn descriptors(id: u32) -> (String, String) {
    let limits = std::fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap();
    let mut words = line.split_whitespace().map(str::to_owned);
    (words.next().unwrap(), words.next().unwrap())
}

#[tokio::test]
async fn the_program_has_the_descriptors_the_system_allows_and_its_servers_have_their_own() {
    for level in ["auto", "group"] {
        let Some(mut setup) = Setup::new(&format!("descriptors-{level}")).await else { return };
        setup.upstream("up", &["--only", "echo"]);
        setup.settings(&format!("[confinement]\nlevel = \"{level}\"\n{ALLOW}"));
        setup.write();
        let server = listening(with_descriptors(&setup, "ulimit -Sn 200; ulimit -Hn 900")).await;
        let authority = server.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
        is_served(authority, "mcp__up__echo").await;
        let limits = |soft: &str| (soft.to_owned(), "900".to_owned());
        assert_eq!(descriptors(server.child.id().unwrap()), limits("900"));
        assert_eq!(descriptors(setup.process("up").unwrap().id), limits("200"), "{level}");
    }
}

#[tokio::test]
async fn a_lack_of_descriptors_ends_neither_the_program_nor_its_listening() {
    let Some(mut setup) = Setup::new("few-descriptors").await else { return };
    setup.upstream("up", &["--only", "echo"]);
    setup.write();
    let server = listening(with_descriptors(&setup, "ulimit -n 90")).await;
    let authority = server.url.strip_prefix("http://").unwrap().strip_suffix("/mcp").unwrap();
    is_served(authority, "mcp__up__echo").await;
    let mut open = Vec::new();
    for _ in 0..200 {
        open.push(TcpStream::connect(authority).await.unwrap());
    }
    let id = server.child.id().unwrap();
    let full = || crate::faults_setup::open_files(id) >= 90;
    crate::faults_setup::until(
        "it has no descriptor left",
        std::time::Duration::from_secs(20),
        full,
    )
    .await;
    drop(open);
    is_served(authority, "mcp__up__echo").await;
}

/// A legacy session on one connection.
pub(crate) struct Session {
    stream: TcpStream,
    authority: Arc<str>,
    headers: String,
    number: usize,
}

impl Session {
    pub(crate) async fn open(authority: &Arc<str>, client: &str, number: usize) -> Self {
        let stream = TcpStream::connect(&**authority).await.unwrap();
        let authority = Arc::clone(authority);
        let mut session = Self { stream, authority, headers: String::new(), number };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": client, "version": "1"}});
        let (head, _) = session.ask("initialize", hello).await;
        let id = header(&head, "mcp-session-id").unwrap();
        session.headers = format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
        session.notify("notifications/initialized").await;
        session
    }

    /// Sends a notification, and waits until it was taken.
    pub(crate) async fn notify(&mut self, method: &str) {
        let body = json!({"jsonrpc": "2.0", "method": method});
        let request = posted(&self.authority, &self.headers, &body);
        self.stream.write_all(&request).await.unwrap();
        within("202", answer(&mut self.stream)).await;
    }

    async fn subscribe(&mut self, number: usize) -> Value {
        let uri = format!("made://up/{}/{number}", self.number);
        self.ask("resources/subscribe", json!({"uri": uri})).await.1
    }

    /// Sends a request and reads its answer.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> (String, Value) {
        self.send(method, params).await;
        within("an answer", answer(&mut self.stream)).await
    }

    /// Ends the session as a well-behaved client does.
    pub(crate) async fn end(mut self) {
        let request =
            format!("DELETE /mcp HTTP/1.1\r\nHost: {}\r\n{}\r\n", self.authority, self.headers);
        self.stream.write_all(request.as_bytes()).await.unwrap();
        within("the end of the session", answer(&mut self.stream)).await;
    }

    /// Sends a request.
    pub(crate) async fn send(&mut self, method: &str, params: Value) {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = posted(&self.authority, &self.headers, &body);
        self.stream.write_all(&request).await.unwrap();
    }
}
