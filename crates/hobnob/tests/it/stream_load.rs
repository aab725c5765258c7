//! Many native subscriptions at a steady rate through the program, some of them without a reader. A
//! client that reads gets every event in order, one that does not is slowed down or cut off, and
//! the memory of the program is bounded.
//!
//! A few in every run, a thousand with `SLOW_TESTS=1`; the figures are printed.

use std::collections::HashMap;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::faults_setup::times;
use crate::program::{HttpServer, listening, within};
use crate::seed_wire::Home;

/// Subscriptions of one connection.
const EACH: usize = 20;
/// Events of one subscription, and how many milliseconds lie between two of them.
const COUNT: usize = 100;
const INTERVAL: u64 = 10;
/// Bytes of an event for a client that reads, and for one that does not. The latter are too many
/// for the buffers of the system.
const SMALL: usize = 64;
const LARGE: usize = 16 << 10;
/// Memory of a connection beside its subscriptions: the events that may wait, and as much again for
/// its buffers. All events for its slow reader would take sixty times as much.
const PER_CONNECTION: usize = 512 << 10;
/// Memory of one running call.
const PER_SUBSCRIPTION: usize = 128 << 10;

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn connect(server: &HttpServer) -> Socket {
    let url = server.url.replacen("http", "ws", 1).replace("/mcp", "/p/substrate/ws");
    connect_async(url).await.unwrap().0
}

/// Subscribes to as many streams as a connection has here.
async fn subscribe(socket: &mut Socket, bytes: usize) {
    for id in 0..EACH {
        let params = json!({"message": "x".repeat(bytes), "count": COUNT, "interval_ms": INTERVAL});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "echo.echo", "params": params});
        socket.send(Message::text(call.to_string())).await.unwrap();
    }
}

/// The next message that is an event.
async fn event(socket: &mut Socket) -> Value {
    loop {
        let message = within("an event", socket.next()).await.unwrap().unwrap();
        if let Message::Text(text) = message {
            let message: Value = serde_json::from_str(&text).unwrap();
            assert!(message["error"].is_null(), "{message}");
            if message["method"] == "echo.echo" {
                return message["params"].clone();
            }
        }
    }
}

/// Reads all streams to their ends; none may miss an event.
async fn read_all(mut socket: Socket) -> usize {
    let (mut last, mut open, mut contents) = (HashMap::new(), EACH, 0);
    while 0 < open {
        let params = event(&mut socket).await;
        let before =
            last.insert(params["subscription"].as_u64().unwrap(), params["sequence"].clone());
        let before = before.map_or(0, |before| before.as_u64().unwrap());
        assert_eq!(params["sequence"], before + 1, "an event is missing");
        match params["result"]["type"].as_str().unwrap() {
            "start" => {}
            "content" => contents += 1,
            "complete" => open -= 1,
            other => panic!("a reader gets `{other}`: {params}"),
        }
    }
    contents
}

/// How the streams of a late reader ended: complete, or cut off because it was too slow.
async fn ends_of(mut socket: Socket) -> (usize, usize) {
    let (mut complete, mut cut) = (0, 0);
    while complete + cut < EACH {
        let params = event(&mut socket).await;
        match params["result"]["type"].as_str().unwrap() {
            "complete" => complete += 1,
            "error" => {
                let why = params["result"]["message"].as_str().unwrap();
                assert!(why.contains("the client reads too slowly"), "{why}");
                cut += 1;
            }
            _ => {}
        }
    }
    (complete, cut)
}

/// A line of the program's status, in bytes.
fn memory(server: &HttpServer, line: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id().unwrap()));
    let status = status.unwrap();
    let found = status.lines().find_map(|it| it.strip_prefix(line)?.strip_prefix(':')).unwrap();
    found.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() << 10
}

#[tokio::test]
async fn slow_readers_among_many_subscriptions_harm_nobody() {
    let home = Home::new("stream-load");
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let connections = times(10, 50);
    let slow = connections / 10;
    let mut idle = Vec::new();
    for _ in 0..slow {
        idle.push(connect(&server).await);
    }
    let mut readers = Vec::new();
    for _ in slow..connections {
        readers.push(connect(&server).await);
    }
    let before = memory(&server, "VmRSS");
    for socket in &mut idle {
        subscribe(socket, LARGE).await;
    }
    let mut reading = JoinSet::new();
    for mut socket in readers {
        reading.spawn(async move {
            subscribe(&mut socket, SMALL).await;
            read_all(socket).await
        });
    }
    let contents: usize = reading.join_all().await.into_iter().sum();
    assert_eq!(contents, (connections - slow) * EACH * COUNT);
    let grown = memory(&server, "VmHWM") - before;
    let limit = connections * PER_CONNECTION + connections * EACH * PER_SUBSCRIPTION;
    println!(
        "{} subscriptions, of which {} are not read: {contents} events, {} KiB more than before",
        connections * EACH,
        slow * EACH,
        grown >> 10
    );
    assert!(grown < limit, "{} KiB more, at most {} KiB", grown >> 10, limit >> 10);
    for socket in idle {
        let (complete, cut) = ends_of(socket).await;
        println!("a slow reader: {complete} streams whole, {cut} cut");
    }
}
