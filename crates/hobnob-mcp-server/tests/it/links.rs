//! Many links in one process: each has a peer of its own, authenticated or anonymous.

use crate::probe_service::probe;
use crate::support::{Gate, LEGACY, plain_kit, server};
use futures_util::future::join_all;
use hobnob_mcp_engine::{ClientId, HandshakeRules, Limits, Principal};
use hobnob_mcp_server::{Eras, Reply, ReplyScope, Server, Session, serve_link, serve_link_as};
use hobnob_mcp_testkit::transcript::with_peer;
use hobnob_mcp_transport::{MemoryPeer, Outbox, OutboxLimits, memory_link};
use hobnob_mcp_types::Incoming;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

async fn send(peer: &mut MemoryPeer, message: Value) {
    peer.send(format!("{message}\n").as_bytes()).await;
}

async fn receive(peer: &MemoryPeer) -> Value {
    let frame = timeout(Duration::from_secs(2), peer.receive()).await;
    let frame = frame.expect("in time").expect("an open link");
    serde_json::from_slice(&frame.bytes).expect("JSON")
}

async fn ask(peer: &mut MemoryPeer, method: &str, params: Value) -> Value {
    send(peer, json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
    receive(peer).await["result"].take()
}

/// Does the handshake and asks the server for the caller's identity, in both eras.
async fn who_am_i(server: &Server, name: &str, version: &str) -> [String; 2] {
    let (link, mut peer) = memory_link(server.limits().line_bytes);
    let talk = async {
        let hello = json!({"protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"}});
        assert_eq!(ask(&mut peer, "initialize", hello).await["protocolVersion"], version);
        send(&mut peer, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let legacy = ask(&mut peer, "tools/call", json!({"name": "who"})).await;
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}});
        let modern = ask(&mut peer, "tools/call", json!({"name": "who", "_meta": meta})).await;
        peer.end().await;
        [legacy, modern]
            .map(|result| result["content"][0]["text"].as_str().expect("text").to_owned())
    };
    match name {
        "" => tokio::join!(serve_link(server, link), talk).1,
        name => tokio::join!(serve_link_as(server, link, Principal::named(name)), talk).1,
    }
}

/// Forty concurrent peers, each with its own revision and name.
#[tokio::test(start_paused = true)]
async fn each_link_has_its_own_peer() {
    let (server, _probe) = probe(Limits::default());
    let names: Vec<String> = (0..40).map(|index| format!("peer {index}")).collect();
    let peers = names.iter().zip(LEGACY.iter().cycle());
    let answers = join_all(peers.map(|(name, version)| who_am_i(&server, name, version))).await;
    for (name, answer) in names.iter().zip(answers) {
        assert_eq!(answer, [name.as_str(), name.as_str()]);
    }
    assert_eq!(who_am_i(&server, "", "2025-06-18").await, ["", ""]);
}

/// Backpressure: the server reads no more from a peer that does not read its answers.
#[tokio::test(start_paused = true)]
async fn a_link_that_is_not_read_is_not_listened_to() {
    let limits = Limits { backlog_bytes: 1000, ..Limits::default() };
    let kit = plain_kit();
    let unread = Server::builder("probe", "1.0").limits(limits).kit(kit).build().expect("sound");
    for (server, max_sent) in [(unread, 100), (server([plain_kit()]), 1000)] {
        with_peer(&server, async |peer| {
            let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
            let mut sent = 0;
            let a_while = Duration::from_secs(1);
            while sent < 1000 && timeout(a_while, send(peer, ping.clone())).await.is_ok() {
                sent += 1;
            }
            assert!(sent <= max_sent, "{sent} were taken");
            // The last send may have timed out half-way.
            for _ in 0..sent {
                assert_eq!(receive(peer).await["result"], json!({}));
            }
            assert_eq!(ask(peer, "ping", json!({})).await, json!({}));
        })
        .await;
    }
}

const HELLO: &str = r#"{"protocolVersion": "2025-03-26", "capabilities": {},
    "clientInfo": {"name": "c", "version": "1"}}"#;

/// Does the handshake, and starts a call that waits at the gate.
async fn begin_waiting(peer: &mut MemoryPeer, gate: &Gate) {
    ask(peer, "initialize", serde_json::from_str(HELLO).expect("JSON")).await;
    send(peer, json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let params = json!({"name": "wait"});
    send(peer, json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})).await;
    while gate.tally().0 == 0 {
        tokio::task::yield_now().await;
    }
}

fn gated(gate: &Gate) -> Server {
    let limits = Limits { drain: Duration::from_secs(3600), ..Limits::default() };
    let builder = Server::builder("probe", "1.0").limits(limits).kit(gate.kit());
    builder.handshake(HandshakeRules::KnownRevisions).build().expect("a sound server")
}

/// The client could not read the answers any more, so the server waits for no call.
#[tokio::test(start_paused = true)]
async fn a_link_that_nobody_reads_any_more_ends_its_calls_at_once() {
    for input_ends_too in [false, true] {
        let gate = Gate::new();
        let server = gated(&gate);
        let (link, mut peer) = memory_link(server.limits().line_bytes);
        let outbox = Arc::clone(&link.outbox);
        let talk = async {
            begin_waiting(&mut peer, &gate).await;
            if input_ends_too {
                peer.end().await;
                tokio::task::yield_now().await;
            }
            outbox.close();
        };
        let began = Instant::now();
        tokio::join!(serve_link(&server, link), talk);
        assert_eq!(gate.tally(), (1, 0, 1));
        assert!(began.elapsed() < server.limits().drain, "it waited for the call");
    }
}

/// A server that reports the state of the handshake also reports its own end, while calls finish.
#[tokio::test(start_paused = true)]
async fn a_request_that_comes_while_the_server_stops_is_told_so() {
    let server = gated(&Gate::new());
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let (nobody, client) = (Principal::anonymous(), ClientId::next());
    let session = Session::new(&server, Eras::Both, nobody, client, "s", Arc::clone(&outbox));
    let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Connection);
    let say = |message: &str| drop(session.receive(Incoming::decode(message.into()), &reply));
    let hello = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{HELLO}}}"#);
    say(&hello);
    say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    server.stop();
    say(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
    let frames = std::iter::from_fn(|| outbox.try_frame());
    let last = frames.last().expect("an answer");
    let answer: Value = serde_json::from_slice(&last.bytes).expect("JSON");
    let refused = json!({"code": -32002, "message": "Server shutting down"});
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 2, "error": refused}));
}
