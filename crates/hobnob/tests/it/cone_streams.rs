//! Chats over HTTP in both eras and over the native RPC: the first piece of an answer arrives while
//! the model still speaks, and a chat that is cancelled leaves nothing.

use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::cone_service::{end, home, piece};
use crate::dialogue::Dialogue;
use crate::memory_client::{
    Client, ClientAbilities, Era, authority, modern_meta, post, websocket_of,
};
use crate::model_server::{LINES, ModelServer, Step};
use crate::program::{HttpServer, listening, within};
use crate::seed_wire::{Home, Session};

/// How a chat is made and its events come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Modern,
    Legacy,
    NativePost,
    NativeSocket,
}

impl Way {
    const ALL: [Self; 4] = [Self::Modern, Self::Legacy, Self::NativePost, Self::NativeSocket];
}

/// A chat that runs.
enum Running {
    Stream(BufReader<TcpStream>),
    /// With the session that it belongs to.
    Legacy(BufReader<TcpStream>, Box<Session>),
    Socket(Box<WebSocketStream<MaybeTlsStream<TcpStream>>>),
}

/// A server, and a client that looks after its sessions.
struct Hub {
    server: HttpServer,
    looking: Client,
    _home: Home,
}

impl Hub {
    async fn start(label: &str, provider: &ModelServer) -> Self {
        let home = home(label, provider);
        let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
        let nothing = ClientAbilities::nothing();
        let mut looking = Client::at(&server.url, Era::Modern, nothing).await;
        looking.call("cone_create", json!({"name": "work"})).await;
        Self { server, looking, _home: home }
    }

    /// Begins a chat and returns while the model still waits for the test.
    async fn chat(&self, way: Way) -> Running {
        let arguments = json!({"name": "work", "prompt": "Hallo"});
        let native = json!({"jsonrpc": "2.0", "id": 1, "method": "cone.chat", "params": arguments});
        let mut call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "cone_chat", "arguments": arguments}});
        let authority = authority(&self.server.url);
        match way {
            Way::Modern => {
                call["params"]["_meta"] = modern_meta(&json!({}));
                call["params"]["_meta"]["progressToken"] = json!("t");
                let accept = "application/json, text/event-stream";
                Running::Stream(BufReader::new(post(authority, &call, accept).await))
            }
            Way::Legacy => {
                let mut session = Session::to(&self.server.url, None);
                let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": {"name": "it", "version": "1"}});
                let hello =
                    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
                session.post(&hello).await;
                let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
                session.post(&ready).await;
                call["params"]["_meta"] = json!({"progressToken": "t"});
                let stream = session.begin("POST", &call.to_string()).await;
                Running::Legacy(BufReader::new(stream), Box::new(session))
            }
            Way::NativePost => {
                let body = native.to_string();
                let mut stream = TcpStream::connect(authority).await.unwrap();
                let head = format!(
                    "POST /mcp HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
                     Accept: text/event-stream\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                stream.write_all((head + &body).as_bytes()).await.unwrap();
                Running::Stream(BufReader::new(stream))
            }
            Way::NativeSocket => {
                let url = websocket_of(&self.server.url);
                let (mut socket, _) = connect_async(url).await.unwrap();
                socket.send(Message::text(native.to_string())).await.unwrap();
                Running::Socket(Box::new(socket))
            }
        }
    }

    /// Waits until no chat runs in the session.
    async fn until_free(&mut self) {
        self.looking
            .until("the end of the chat", async |client| {
                let stay = json!({"name": "work", "node": "root"});
                let call = json!({"name": "cone_set_head", "arguments": stay});
                client.result("tools/call", call).await["isError"] != true
            })
            .await;
    }
}

impl Running {
    /// Waits for a message with this text in it.
    async fn until(&mut self, text: &str) -> String {
        let waiting = async {
            loop {
                let line = match self {
                    Self::Stream(stream) | Self::Legacy(stream, _) => line(stream).await,
                    Self::Socket(socket) => socket.next().await.unwrap().unwrap().to_string(),
                };
                if line.contains(text) {
                    return line;
                }
            }
        };
        within(text, waiting).await
    }

    /// Cancels the chat in its way's own manner.
    async fn cancel(self) {
        match self {
            Self::Stream(stream) => drop(stream),
            Self::Legacy(_stream, mut session) => {
                let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                    "params": {"requestId": 7}});
                session.post(&cancelled).await;
            }
            Self::Socket(mut socket) => {
                let cancel = json!({"jsonrpc": "2.0", "id": 2, "method": "cone.unsubscribe",
                    "params": [1]});
                socket.send(Message::text(cancel.to_string())).await.unwrap();
                let answer = within("an answer", socket.next()).await.unwrap().unwrap();
                let answer: Value = serde_json::from_str(&answer.to_string()).unwrap();
                assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 2, "result": true}));
            }
        }
    }
}

async fn line(stream: &mut (impl AsyncBufRead + Unpin)) -> String {
    let mut line = String::new();
    assert_ne!(stream.read_line(&mut line).await.unwrap(), 0, "the stream has ended");
    line
}

/// The model waits for the test, so a piece that arrives was not held back.
#[tokio::test]
async fn the_first_piece_arrives_while_the_model_speaks() {
    let gate = Arc::new(Notify::new());
    let mut steps = vec![Step::Head(LINES), piece("first piece "), Step::Wait(Arc::clone(&gate))];
    steps.push(piece("second piece"));
    steps.extend(end());
    let provider = ModelServer::start(vec![steps]).await;
    let mut hub = Hub::start("cone-streams", &provider).await;
    for way in Way::ALL {
        let mut chat = hub.chat(way).await;
        let first = chat.until("first piece ").await;
        assert!(!first.contains("second piece"), "{way:?}: {first}");
        gate.notify_one();
        chat.until("second piece").await;
        let last = chat.until("stop_reason").await;
        assert!(last.contains("\"head\""), "{way:?}: {last}");
        drop(chat);
        hub.until_free().await;
    }
}

/// What a process has open, but for the store: the more it reads at once, the more of its readers
/// the store keeps.
fn open_beside_store(process: u32) -> usize {
    let open = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap();
    let targets = open.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
    targets.filter(|target| !target.to_string_lossy().contains("hobnob.db")).count()
}

#[tokio::test]
async fn a_cancelled_chat_leaves_nothing() {
    let steps = vec![Step::Head(LINES), piece("first piece "), Step::Hold];
    let mut provider = ModelServer::start(vec![steps]).await;
    let mut hub = Hub::start("cone-cancel", &provider).await;
    let process = hub.server.child.id().unwrap();
    let before = open_beside_store(process);
    for way in Way::ALL {
        let mut chat = hub.chat(way).await;
        chat.until("first piece ").await;
        chat.cancel().await;
        within("the end of the connection", provider.client_gone()).await;
        hub.until_free().await;
    }
    hub.looking.until("all files closed", async |_| open_beside_store(process) <= before).await;
}

/// The same on pipes, where the native RPC has no connection to close.
#[tokio::test]
async fn a_chat_on_pipes_ends_with_its_subscription_and_with_the_input() {
    let steps = vec![Step::Head(LINES), piece("first piece "), Step::Hold];
    let mut provider = ModelServer::start(vec![steps]).await;
    let home = home("cone-pipes", &provider);
    let mut pipes = Dialogue::with(&mut home.hobnob(&["serve"]));
    let native = |id: i64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    pipes.send(native(1, "cone.create", json!({"name": "work"}))).await;
    pipes.until_any(&["complete"]).await;
    let chat = json!({"name": "work", "prompt": "Hallo"});
    pipes.send(native(2, "cone.chat", chat.clone())).await;
    let subscription = pipes.answer_to(2).await["result"].clone();
    pipes.until_any(&["first piece "]).await;
    pipes.send(native(3, "unsubscribe", json!([subscription]))).await;
    assert_eq!(pipes.answer_to(3).await["result"], true);
    within("the end of the connection", provider.client_gone()).await;
    // The session is free again as soon as the chat has ended.
    let mut id = 3;
    loop {
        id += 1;
        pipes.send(native(id, "cone.chat", chat.clone())).await;
        let said = pipes.until_any(&["first piece ", "\"error\""]).await;
        if said.contains("first piece ") {
            break;
        }
        assert!(id < 1_000, "{said}");
    }
    pipes.close_stdin();
    within("the end of the connection", provider.client_gone()).await;
    assert!(pipes.ended().await.success());
}
