//! HTTP on either side of the gateway: clients that leave, upstreams that restart, networks that
//! tear.

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::faults_client::{Client, MODERN, text_of};
use crate::faults_setup::{ALLOW, Setup, times, until};
use crate::load::Session;
use crate::program::within;

/// A `hobnob serve --http` that runs.
struct RunningServer {
    child: Child,
    port: u16,
    _drain: JoinSet<()>,
}

/// Starts a server in this home; it listens on this port, or on any.
async fn serve(setup: &Setup, port: u16) -> RunningServer {
    serve_as(setup, port, &[]).await
}

/// The same with more arguments.
async fn serve_as(setup: &Setup, port: u16, more: &[&str]) -> RunningServer {
    setup.write();
    let mut command = setup.hobnob(&["serve", "--http", &format!("127.0.0.1:{port}")]);
    command.args(more);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let listening = async {
        loop {
            let line = lines.next_line().await.unwrap().expect("it listens");
            let log: Value = serde_json::from_str(&line).unwrap_or_default();
            if log["fields"]["message"] == "listening" {
                return log["fields"]["url"].as_str().unwrap().to_owned();
            }
        }
    };
    let url = within("the address", listening).await;
    let port = url.trim_end_matches("/mcp").rsplit(':').next().unwrap().parse().unwrap();
    let mut drain = JoinSet::new();
    drain.spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    RunningServer { child, port, _drain: drain }
}

/// Makes the upstreams of a home known before the first request over HTTP.
async fn make_known(setup: &Setup, tool: &str) {
    let mut client = Client::legacy(setup).await;
    client.text(tool, json!({"message": "known"})).await;
    client.end().await;
}

/// Sends one request on its own connection; all bytes until it closes are the answer.
async fn post(port: u16, headers: &str, body: &Value) -> TcpStream {
    let body = body.to_string();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n{headers}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).await.unwrap();
    stream
}

async fn whole(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    within("the answer", stream.read_to_end(&mut bytes)).await.unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn modern_call(id: i64, tool: &str, arguments: Value) -> (String, Value) {
    let headers =
        format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n");
    let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "it", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}});
    (headers, body)
}

#[tokio::test]
async fn a_modern_client_that_leaves_cancels_and_a_legacy_one_does_not() {
    for era in ["legacy", "modern"] {
        let Some(mut setup) = Setup::new(&format!("leave{era}")).await else { return };
        setup.upstream("up", &["--era", era]);
        let served = serve(&setup, 0).await;
        let port = served.port;
        let limit = Duration::from_secs(20);

        let (headers, body) = modern_call(1, "mcp__up__nap", json!({"ms": 600_000}));
        let stream = post(port, &headers, &body).await;
        until("it runs", limit, || setup.noted("up", "napping") == 1).await;
        drop(stream);
        until("it is cancelled", Duration::from_secs(3), || setup.noted("up", "stopped") == 1)
            .await;

        let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "it", "version": "1"}}});
        let hello = whole(post(port, "", &initialize).await).await;
        let session = hello
            .lines()
            .find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("mcp-session-id").then(|| value.to_owned())
            })
            .unwrap_or_else(|| panic!("{hello}"));
        let session = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        whole(post(port, &session, &initialized).await).await;
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "mcp__up__nap", "arguments": {"ms": 1500}}});
        let stream = post(port, &session, &call).await;
        until("it runs", limit, || setup.noted("up", "napping") == 2).await;
        drop(stream);
        until("it goes on to its end", limit, || setup.noted("up", "finished") == 1).await;
        assert_eq!(setup.noted("up", "stopped"), 1, "{era}");
    }
}

/// Nothing on a pipe says whose question it is, and a name is no identity.
#[tokio::test]
async fn a_question_for_one_of_two_clients_of_one_name_is_put_to_neither() {
    let Some(mut setup) = Setup::new("same-name").await else { return };
    setup.upstream("up", &[]);
    make_known(&setup, "mcp__up__echo").await;
    let served = serve(&setup, 0).await;
    let authority: Arc<str> = format!("127.0.0.1:{}", served.port).into();
    let mut one = Session::open(&authority, "same", 0).await;
    let mut other = Session::open(&authority, "same", 1).await;
    let nap = json!({"name": "mcp__up__nap", "arguments": {"ms": 600_000}});
    one.send("tools/call", nap).await;
    until("it naps", Duration::from_secs(20), || setup.noted("up", "napping") == 1).await;
    let elicit = json!({"name": "mcp__up__elicit", "arguments": {}});
    let (head, body) = other.ask("tools/call", elicit.clone()).await;
    assert!(head.contains("application/json"), "nobody was asked: {head}");
    let refused = text_of(&body);
    assert!(refused.contains("so it was not asked"), "{refused}");
}

#[tokio::test]
async fn many_clients_who_wait_for_a_cold_upstream_get_one_process() {
    let Some(mut setup) = Setup::new("crowd").await else { return };
    setup.upstream("slow", &["--start-ms", "700"]);
    let served = serve(&setup, 0).await;
    let port = served.port;
    let mut waiting = JoinSet::new();
    for number in 0..times(100, 1000) {
        waiting.spawn(async move {
            let arguments = json!({"message": format!("<{number}>")});
            let (headers, body) = modern_call(1, "mcp__slow__echo", arguments);
            (number, whole(post(port, &headers, &body).await).await)
        });
    }
    while let Some(done) = waiting.join_next().await {
        let (number, answer) = done.unwrap();
        assert!(answer.contains(&format!("<{number}>")), "{number}: {answer}");
    }
    assert_eq!(setup.noted("slow", "start"), 1);
}

/// Calls on and on while an upstream goes away and comes back; every call gets an answer.
async fn keep_calling(client: &mut Client, tool: &str, healed: Instant) -> (usize, usize) {
    let (mut good, mut bad) = (0, 0);
    let mut in_a_row = 0;
    while in_a_row < 20 {
        let message = (good + bad).to_string();
        let response = client.call(tool, json!({"message": message})).await;
        if response["result"]["isError"] != true && response["error"].is_null() {
            assert_eq!(text_of(&response), message, "somebody else's answer");
            (good, in_a_row) = (good + 1, in_a_row + 1);
        } else {
            (bad, in_a_row) = (bad + 1, 0);
            assert!(healed.elapsed() < Duration::from_secs(8), "still not well: {response}");
            let mut pause = tokio::time::interval(Duration::from_millis(50));
            pause.tick().await;
            pause.tick().await;
        }
    }
    (good, bad)
}

#[tokio::test]
async fn a_modern_http_upstream_that_restarts_is_reached_again() {
    let Some(mut inner) = Setup::new("inner").await else { return };
    inner.upstream("in", &["--only", "echo"]);
    make_known(&inner, "mcp__in__echo").await;
    let mut upstream = serve(&inner, 0).await;
    let port = upstream.port;
    let Some(mut setup) = Setup::new("outer").await else { return };
    let url = format!("http://127.0.0.1:{port}/mcp");
    setup.server("web", json!({"type": "http", "url": url}));
    let mut client = Client::legacy(&setup).await;
    let tool = "mcp__web__mcp__in__echo";
    assert_eq!(client.text(tool, json!({"message": "hi"})).await, "hi");
    for _ in 0..times(2, 10) {
        upstream.child.kill().await.unwrap();
        let response = client.call(tool, json!({"message": "x"})).await;
        assert_eq!(response["result"]["isError"], true, "{response}");
        upstream = serve(&inner, port).await;
        keep_calling(&mut client, tool, Instant::now()).await;
    }
    client.end().await;
}

#[tokio::test]
async fn a_legacy_http_upstream_that_forgot_its_sessions_is_greeted_again_unnoticed() {
    let Some(mut setup) = Setup::new("sessions").await else { return };
    let (mut upstream, port) = sessions(0).await;
    let url = format!("http://127.0.0.1:{port}/mcp");
    setup.server("web", json!({"type": "http", "url": url}));
    let mut client = Client::legacy(&setup).await;
    let tool = "mcp__web__echo";
    assert_eq!(client.text(tool, json!({"message": "hi"})).await, "hi");
    for _ in 0..times(2, 10) {
        upstream.kill().await.unwrap();
        (upstream, _) = sessions(port).await;
        // It is back before the next call: the client must not notice.
        assert_eq!(client.text(tool, json!({"message": "again"})).await, "again");
    }
    // It is away for longer than the retries last.
    upstream.kill().await.unwrap();
    let end = Instant::now() + Duration::from_secs(times(6, 30) as u64);
    while Instant::now() < end {
        let response = client.call(tool, json!({"message": "x"})).await;
        assert_eq!(response["result"]["isError"], true, "{response}");
    }
    let (_upstream, _) = sessions(port).await;
    keep_calling(&mut client, tool, Instant::now()).await;
    client.end().await;
}

async fn sessions(port: u16) -> (Child, u16) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/upstreams/sessions.py");
    let mut child = Command::new("python3")
        .arg(script)
        .arg(port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = within("its port", lines.next_line()).await.unwrap().expect("a port");
    (child, port.parse().unwrap())
}

/// What a proxy does to the bytes that pass.
#[derive(Default)]
struct Interference {
    /// One byte at a time, this many bytes; then as they come.
    slice: AtomicUsize,
    /// Every n-th connection is reset after a few bytes.
    reset_every: AtomicUsize,
    /// Nothing passes.
    blackhole: AtomicBool,
    connections: AtomicUsize,
}

async fn proxy(listener: TcpListener, port: u16, interference: Arc<Interference>) {
    let mut pairs = JoinSet::new();
    loop {
        let (near, _) = listener.accept().await.unwrap();
        let number = interference.connections.fetch_add(1, Ordering::Relaxed) + 1;
        let every = interference.reset_every.load(Ordering::Relaxed);
        let torn = every > 0 && number.is_multiple_of(every);
        let interference = Arc::clone(&interference);
        pairs.spawn(async move {
            let Ok(far) = TcpStream::connect(("127.0.0.1", port)).await else { return };
            let (near_read, near_write) = near.into_split();
            let (far_read, far_write) = far.into_split();
            let limit = if torn { 700 } else { usize::MAX };
            tokio::select! {
                () = pass(near_read, far_write, &interference, usize::MAX) => {}
                () = pass(far_read, near_write, &interference, limit) => {}
            }
        });
    }
}

async fn pass(
    mut from: tokio::net::tcp::OwnedReadHalf,
    mut to: tokio::net::tcp::OwnedWriteHalf,
    interference: &Interference,
    limit: usize,
) {
    let mut buffer = vec![0; 4096];
    let mut passed = 0;
    while let Ok(length) = from.read(&mut buffer).await {
        if length == 0 || passed > limit {
            return;
        }
        passed += length;
        let mut looks = tokio::time::interval(Duration::from_millis(20));
        while interference.blackhole.load(Ordering::Relaxed) {
            looks.tick().await;
        }
        let slice = interference.slice.load(Ordering::Relaxed);
        for (at, byte) in buffer[..length].iter().enumerate().take(slice) {
            if to.write_all(&[*byte]).await.is_err() {
                return;
            }
            if at % 64 == 0 {
                tokio::task::yield_now().await;
            }
        }
        if slice < length && to.write_all(&buffer[slice..length]).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn a_bad_network_hangs_nobody_and_gives_nobody_anothers_answer() {
    let Some(mut inner) = Setup::new("netinner").await else { return };
    inner.upstream("in", &["--only", "echo"]);
    make_known(&inner, "mcp__in__echo").await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let near = listener.local_addr().unwrap().port();
    let host = format!("127.0.0.1:{near}");
    let upstream = serve_as(&inner, 0, &["--allow-host", &host]).await;
    let port = upstream.port;
    let interference = Arc::new(Interference::default());
    let mut proxying = JoinSet::new();
    proxying.spawn(proxy(listener, port, Arc::clone(&interference)));
    let Some(mut setup) = Setup::new("netouter").await else { return };
    let url = format!("http://127.0.0.1:{near}/mcp");
    setup.server("web", json!({"type": "http", "url": url}));
    setup.settings(&format!("[timeouts]\ncall = \"2s\"\nconnect = \"2s\"\n{ALLOW}"));
    let mut client = Client::legacy(&setup).await;
    let tool = "mcp__web__mcp__in__echo";
    assert_eq!(client.text(tool, json!({"message": "hi"})).await, "hi");

    interference.slice.store(4096, Ordering::Relaxed);
    for round in 0..times(20, 200) {
        let message = format!("slice {round}");
        assert_eq!(client.text(tool, json!({"message": message})).await, message);
    }
    interference.slice.store(0, Ordering::Relaxed);

    interference.reset_every.store(3, Ordering::Relaxed);
    let mut waiting = Vec::new();
    for round in 0..times(60, 600) {
        let message = format!("reset {round}");
        waiting.push((client.send_call(tool, json!({"message": message})).await, message));
    }
    let mut good = 0;
    for (id, message) in waiting {
        let response = client.response(id).await;
        if response["result"]["isError"] != true && response["error"].is_null() {
            assert_eq!(text_of(&response), message);
            good += 1;
        }
    }
    assert!(good > 0, "nothing passed");
    interference.reset_every.store(0, Ordering::Relaxed);
    keep_calling(&mut client, tool, Instant::now()).await;

    interference.blackhole.store(true, Ordering::Relaxed);
    let begun = Instant::now();
    let response = client.call(tool, json!({"message": "lost"})).await;
    assert_eq!(response["result"]["isError"], true, "{response}");
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    interference.blackhole.store(false, Ordering::Relaxed);
    keep_calling(&mut client, tool, Instant::now()).await;
    client.end().await;
}
