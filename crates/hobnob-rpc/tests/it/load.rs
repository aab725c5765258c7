//! Many subscriptions at once, some with readers that do not read: only those wait.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::test_view::{Listening, TIMEOUT, listen};
use futures_util::{SinkExt as _, StreamExt as _};
use hobnob_mcp_http::HttpOptions;
use hobnob_rpc::RpcLimits;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Subscriptions on each socket.
const PER_SOCKET: usize = 10;
/// Events of 1000 bytes per subscription whose reader does not read: more than all buffers of the
/// system and Hobnob's own hold.
const FLOOD_EVENTS: usize = 1_500;
/// More events than can wait for one reader in all buffers together.
const MAX_WAITING_EVENTS: usize = 12_000;

struct Size {
    readers: usize,
    slow: usize,
    /// Events of each subscription whose reader reads.
    events: usize,
}

/// With `SLOW_TESTS`, a thousand subscriptions.
fn size() -> Size {
    match std::env::var_os("SLOW_TESTS") {
        Some(_) => Size { readers: 90, slow: 10, events: 200 },
        None => Size { readers: 12, slow: 2, events: 50 },
    }
}

async fn subscribe(view: &Listening, events: usize) -> Socket {
    let (mut socket, _) = connect_async(format!("ws://{}/ws", view.address)).await.unwrap();
    for id in 1..=PER_SOCKET {
        let params = json!([format!("flood {events}")]);
        let ask = json!({"jsonrpc": "2.0", "id": id, "method": "bash.execute", "params": params});
        socket.send(Message::text(ask.to_string())).await.unwrap();
    }
    socket
}

/// Reads until all subscriptions of a socket are complete; every event must come once, in order.
async fn read_all(mut socket: Socket, events: usize) {
    let mut last: HashMap<u64, u64> = HashMap::new();
    let mut open = PER_SOCKET;
    while 0 < open {
        let message = timeout(TIMEOUT, socket.next()).await.unwrap().unwrap().unwrap();
        let Message::Text(text) = message else { continue };
        let message: Value = serde_json::from_str(&text).unwrap();
        let params = &message["params"];
        let Some(subscription) = params["subscription"].as_u64() else { continue };
        let sequence = last.entry(subscription).or_default();
        *sequence += 1;
        assert_eq!(params["sequence"], *sequence, "{message}");
        if params["result"]["type"] == "complete" {
            // The requested events, plus the start and the end.
            assert_eq!(*sequence, events as u64 + 2);
            open -= 1;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_that_do_not_read_stop_only_themselves() {
    let Size { readers, slow, events } = size();
    let options = HttpOptions { websockets: readers + slow, ..HttpOptions::default() };
    let view = listen(RpcLimits::default(), options).await;
    let mut stuck = Vec::new();
    for _ in 0..slow {
        stuck.push(subscribe(&view, FLOOD_EVENTS).await);
    }
    let mut reading = JoinSet::new();
    for _ in 0..readers {
        reading.spawn(read_all(subscribe(&view, events).await, events));
    }
    while let Some(read) = reading.join_next().await {
        read.unwrap();
    }
    // All others are done, and the stuck ones are not: the events they hold are bounded.
    let running = view.stage.running();
    assert!(slow <= running, "{running} calls wait for {slow} readers");
    let waits = view.stage.emitted.load(Ordering::SeqCst) - readers * PER_SOCKET * events;
    assert!(waits < slow * MAX_WAITING_EVENTS, "{waits} events wait for {slow} readers");
    // One of them reads now and has lost nothing; the others disconnect.
    let late = stuck.pop().unwrap();
    drop(stuck);
    read_all(late, FLOOD_EVENTS).await;
    view.stage.until_running(0).await;
}
