//! What is left of a call that was cancelled, in every way in which one can be: nothing. Processes,
//! open files, connections and threads of the hub are counted before and after.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::interval;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::dialogue::Dialogue;
use crate::memory_client::{authority, modern_meta, post, websocket_of};
use crate::program::{listening, within};
use crate::seed_wire::Session;
use crate::shell_service::{granted, mark, until_count};

/// How a call on a hub that goes on is cancelled.
#[derive(Debug, Clone, Copy)]
enum Way {
    NativePostDropped,
    SocketUnsubscribes,
    SocketCloses,
    SocketDropped,
    LegacyCancels,
    LegacySessionDeleted,
    ModernPostDropped,
}

const WAYS: [Way; 7] = [
    Way::NativePostDropped,
    Way::SocketUnsubscribes,
    Way::SocketCloses,
    Way::SocketDropped,
    Way::LegacyCancels,
    Way::LegacySessionDeleted,
    Way::ModernPostDropped,
];

/// How a call on pipes is cancelled.
#[derive(Debug, Clone, Copy)]
enum PipeWay {
    NativeUnsubscribes,
    LegacyCancels,
    ModernCancels,
}

/// What a hub has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    processes: usize,
    files: usize,
    connections: usize,
    threads: usize,
}

impl Held {
    fn of(hub: u32) -> Self {
        let entries = |folder: &str| std::fs::read_dir(format!("/proc/{hub}/{folder}")).unwrap();
        let links =
            entries("fd").filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok());
        let links: Vec<_> = links.collect();
        let is_socket = |link: &&std::path::PathBuf| link.to_string_lossy().starts_with("socket:");
        Self {
            processes: descendants(hub),
            files: links.len(),
            connections: links.iter().filter(is_socket).count(),
            threads: entries("task").count(),
        }
    }

    /// Whether nothing is left. Threads that wait for more to do go after a while by themselves, so
    /// there may be fewer.
    fn is_again(&self, before: &Self) -> bool {
        Self { threads: before.threads, ..*self } == *before && self.threads <= before.threads
    }
}

/// How many processes descend from this one.
fn descendants(of: u32) -> usize {
    let mut parents = HashMap::new();
    for entry in std::fs::read_dir("/proc").unwrap() {
        let process = entry.unwrap().file_name().to_string_lossy().parse::<u32>();
        let Ok(process) = process else { continue };
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { continue };
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parents.insert(process, parent.and_then(|parent| parent.parse::<u32>().ok()).unwrap_or(0));
    }
    let ancestors =
        |process: &u32| std::iter::successors(parents.get(process), |it| parents.get(it));
    parents.keys().filter(|process| ancestors(process).any(|ancestor| *ancestor == of)).count()
}

/// What the hub has once that no longer changes.
async fn settled(hub: u32) -> Held {
    let settling = async {
        let mut looks = interval(Duration::from_millis(20));
        let (mut last, mut same) = (Held::of(hub), 0);
        while same < 25 {
            looks.tick().await;
            let now = Held::of(hub);
            same = if now == last { same + 1 } else { 0 };
            last = now;
        }
        last
    };
    within("a hub at rest", settling).await
}

async fn until_again(hub: u32, before: Held, way: &str) {
    let waiting = async {
        let mut looks = interval(Duration::from_millis(20));
        while !Held::of(hub).is_again(&before) {
            looks.tick().await;
        }
    };
    if tokio::time::timeout(Duration::from_secs(40), waiting).await.is_err() {
        panic!("{way}: {before:?} before, {:?} after", Held::of(hub));
    }
}

/// Two processes, one of them out of its group, that a polite signal does not end.
fn line(mark: &str) -> String {
    format!("trap '' TERM; setsid sleep {mark} & echo up; sleep {mark}")
}

fn native(id: i64, mark: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "shell.run", "params": {"command": line(mark)}})
}

fn tool_call(id: i64, mark: &str) -> Value {
    let params = json!({"name": "shell_run", "arguments": {"command": line(mark)}});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn modern_call(id: i64, mark: &str) -> Value {
    let mut call = tool_call(id, mark);
    call["params"]["_meta"] = modern_meta(&json!({}));
    call
}

fn cancel(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn subscribed(url: &str, mark: &str) -> Socket {
    let url = websocket_of(url);
    let (mut socket, _) = connect_async(url).await.unwrap();
    socket.send(Message::text(native(1, mark).to_string())).await.unwrap();
    until_count(mark, |count| count >= 2).await;
    socket
}

/// A session with a call that runs, and the connection of that call.
async fn legacy(url: &str, mark: &str) -> (Session, TcpStream) {
    let mut session = Session::to(url, None);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "it", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    session.post(&hello).await;
    session.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let stream = session.begin("POST", &tool_call(2, mark).to_string()).await;
    until_count(mark, |count| count >= 2).await;
    (session, stream)
}

/// Starts a call and cancels it; returns once none of its processes is left.
async fn run_and_cancel(url: &str, way: Way) {
    let mark = mark();
    match way {
        Way::NativePostDropped => {
            let session = Session::to(url, None);
            let stream = session.begin("POST", &native(1, &mark).to_string()).await;
            until_count(&mark, |count| count >= 2).await;
            drop(stream);
        }
        Way::SocketUnsubscribes => {
            let mut socket = subscribed(url, &mark).await;
            let cancel = json!({"jsonrpc": "2.0", "id": 2, "method": "unsubscribe", "params": [1]});
            socket.send(Message::text(cancel.to_string())).await.unwrap();
            until_count(&mark, |count| count == 0).await;
            socket.close(None).await.unwrap();
            while let Some(Ok(_)) = within("the close", socket.next()).await {}
        }
        Way::SocketCloses => {
            let mut socket = subscribed(url, &mark).await;
            socket.close(None).await.unwrap();
            while let Some(Ok(_)) = within("the close", socket.next()).await {}
        }
        Way::SocketDropped => drop(subscribed(url, &mark).await),
        Way::LegacyCancels => {
            let (mut session, _stream) = legacy(url, &mark).await;
            session.post(&cancel(2)).await;
            until_count(&mark, |count| count == 0).await;
            drop(session.begin("DELETE", "").await);
        }
        Way::LegacySessionDeleted => {
            let (session, _stream) = legacy(url, &mark).await;
            let _answer = session.begin("DELETE", "").await;
            until_count(&mark, |count| count == 0).await;
        }
        Way::ModernPostDropped => {
            let accept = "application/json, text/event-stream";
            let stream = post(authority(url), &modern_call(1, &mark), accept).await;
            until_count(&mark, |count| count >= 2).await;
            drop(stream);
        }
    }
    until_count(&mark, |count| count == 0).await;
}

#[tokio::test]
async fn a_hub_has_what_it_had_before_a_cancelled_call() {
    let (home, _folder) = granted("cancel").await;
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let hub = server.child.id().unwrap();
    // What is opened once and kept is open afterwards.
    for way in WAYS {
        run_and_cancel(&server.url, way).await;
    }
    for way in WAYS {
        let before = settled(hub).await;
        for _ in 0..3 {
            run_and_cancel(&server.url, way).await;
        }
        until_again(hub, before, &format!("{way:?}")).await;
    }
}

#[tokio::test]
async fn a_hub_on_pipes_has_what_it_had_before_a_cancelled_call() {
    for way in [PipeWay::NativeUnsubscribes, PipeWay::LegacyCancels, PipeWay::ModernCancels] {
        let (home, _folder) = granted("cancel-pipes").await;
        let mut pipes = Dialogue::with(&mut home.hobnob(&["serve"]));
        let hub = pipes.child.id().unwrap();
        if matches!(way, PipeWay::LegacyCancels) {
            pipes.greet().await;
        }
        let mut before = None;
        for round in 1..=4 {
            let (id, mark) = (10 * round, mark());
            let (call, end) = match way {
                PipeWay::NativeUnsubscribes => {
                    let params = json!([round]);
                    let end = json!({"jsonrpc": "2.0", "id": id + 1, "method": "unsubscribe", "params": params});
                    (native(id, &mark), end)
                }
                PipeWay::LegacyCancels => (tool_call(id, &mark), cancel(id)),
                PipeWay::ModernCancels => (modern_call(id, &mark), cancel(id)),
            };
            pipes.send(call).await;
            until_count(&mark, |count| count >= 2).await;
            pipes.send(end).await;
            until_count(&mark, |count| count == 0).await;
            // The first time opens what is kept.
            match before {
                None => before = Some(settled(hub).await),
                Some(before) => until_again(hub, before, &format!("{way:?}")).await,
            }
        }
        // With its input closed, nothing of it is left.
        let mark = mark();
        let call = match way {
            PipeWay::NativeUnsubscribes => native(99, &mark),
            PipeWay::LegacyCancels => tool_call(99, &mark),
            PipeWay::ModernCancels => modern_call(99, &mark),
        };
        pipes.send(call).await;
        until_count(&mark, |count| count >= 2).await;
        pipes.close_stdin();
        within("the end of the hub", pipes.child.wait()).await.unwrap();
        until_count(&mark, |count| count == 0).await;
    }
}
