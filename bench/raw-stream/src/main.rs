//! The practical limit of a stream: a loop that writes numbered messages to a WebSocket, with the
//! library that the product uses. `load` starts it as `raw-stream PORT`. It must stay without
//! checks, queues and layers: everything it does distorts the comparison.

use anyhow::Context as _;
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::json;
use std::net::Ipv4Addr;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;

#[derive(Deserialize)]
struct Request {
    id: u64,
    method: String,
    params: Wanted,
}

#[derive(Deserialize)]
struct Wanted {
    #[serde(default)]
    count: usize,
    #[serde(default)]
    bytes: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let port: u16 = std::env::args().nth(1).context("usage: raw-stream PORT")?.parse()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let mut open = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        open.spawn(serve(stream));
    }
}

async fn serve(stream: TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut socket = tokio_tungstenite::accept_async(stream).await?;
    while let Some(message) = socket.next().await {
        let Message::Text(text) = message? else { continue };
        let Request { id, method, params } = serde_json::from_str(&text)?;
        let subscribed = json!({"jsonrpc": "2.0", "id": id, "result": 1}).to_string();
        socket.feed(Message::text(subscribed)).await?;
        if method == "stream.now" {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
            let event = format!("{BEGIN}{{\"type\":\"now\",\"nanoseconds\":{now}}}{END}1}}}}");
            socket.send(Message::text(event)).await?;
        }
        let text = "x".repeat(params.bytes);
        let content = format!("{BEGIN}{{\"type\":\"content\",\"text\":\"{text}\"}}{END}");
        for number in 1..=params.count {
            socket.feed(Message::text(format!("{content}{number}}}}}"))).await?;
        }
        socket.send(Message::text(format!("{BEGIN}{{\"type\":\"complete\"}}{END}0}}}}"))).await?;
    }
    Ok(())
}

/// The text before and after an event, as long as the product's: provenance, the method's hash, the
/// sequence number.
const BEGIN: &str =
    r#"{"jsonrpc":"2.0","method":"stream.events","params":{"subscription":1,"result":"#;
const END: &str = r#","provenance":["bench","stream"],"hash":"0123456789abcdef","sequence":"#;
