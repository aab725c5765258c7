//! What one process changes, another's client receives: updates of what it subscribed to, and new
//! lists.

use std::collections::VecDeque;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::net::TcpStream;

use crate::memory_client::{Client, ClientAbilities, Era, authority, modern_meta, post};
use crate::program::{listening, within};
use crate::seed_wire::{Home, ServerTransport};

const LIST_CHANGED: &str = "notifications/resources/list_changed";
const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
const UPDATED: &str = "notifications/resources/updated";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";

const DECISIONS: &str = "memory://project/decisions";
const READY: &str = "tasks://ready";

/// The changes that a listener subscribes to.
fn wanted() -> Value {
    json!({"resourcesListChanged": true, "promptsListChanged": true, "resourceSubscriptions": [
        DECISIONS, READY, "memory://project/config", "memory://user", "memory://topics"]})
}

/// A client on a pipe that listens in the era's own way.
async fn listener(home: &Home, era: Era) -> Client {
    let mut client = Client::open(home, ServerTransport::Stdio, era).await;
    match era {
        Era::Legacy => {
            for uri in wanted()["resourceSubscriptions"].as_array().unwrap() {
                client.result("resources/subscribe", json!({"uri": uri})).await;
            }
        }
        Era::Modern => {
            let id = client.send("subscriptions/listen", json!({"notifications": wanted()})).await;
            let said = client.notified(ACKNOWLEDGED, |_| true).await;
            assert_eq!(said["params"]["notifications"], wanted(), "{said}");
            assert_eq!(subscription(&said), json!(id), "{said}");
        }
    }
    client
}

/// Which request a note belongs to.
fn subscription(note: &Value) -> Value {
    note["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone()
}

fn is_about(uri: &str) -> impl Fn(&Value) -> bool {
    move |params| params["uri"] == uri
}

/// Runs a command, which must succeed and does not talk to the listeners.
async fn run(home: &Home, folder: &str, words: &[&str]) {
    let mut command = home.hobnob(words);
    let folder = home.0.join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    let running = command.current_dir(folder).stdin(Stdio::null()).output();
    let output = within("the command's end", running).await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {said}");
}

#[tokio::test]
async fn changes_of_another_process_are_received() {
    for era in Era::ALL {
        let home = Home::new("changes");
        let mut here = listener(&home, era).await;
        let mut there = Client::open(&home, ServerTransport::Stdio, Era::Modern).await;

        let memory = json!({"content": "Use PostgreSQL", "namespace": "decisions"});
        let id = there.call("memory_capture", memory).await["id"].clone();
        let received = here.notified(UPDATED, is_about(DECISIONS)).await;
        assert_eq!(subscription(&received).is_null(), era == Era::Legacy, "{received}");
        assert_eq!(here.data(DECISIONS).await["memories"][0]["id"], id);
        // A namespace that was not in use before is listed now.
        here.notified(LIST_CHANGED, |_| true).await;
        let uris = here.listed("resources/list", "resources", "uri").await;
        assert!(uris.contains(&DECISIONS.to_owned()), "{uris:?}");

        let other = json!({"id": id, "content": "Use SQLite"});
        there.call("memory_update", other).await;
        here.notified(UPDATED, is_about(DECISIONS)).await;
        there.call("memory_delete", json!({"id": id})).await;
        here.notified(UPDATED, is_about(DECISIONS)).await;
        assert_eq!(here.data(DECISIONS).await["count"], 0);
        // Now that it is empty it is not listed any more.
        here.notified(LIST_CHANGED, |_| true).await;
        let uris = here.listed("resources/list", "resources", "uri").await;
        assert!(!uris.contains(&DECISIONS.to_owned()), "{uris:?}");

        let prompt = json!({"name": "greet", "template": "Hello {{who}}"});
        there.call("memory_prompt_save", prompt).await;
        here.notified(PROMPTS_CHANGED, |_| true).await;
        let names = here.listed("prompts/list", "prompts", "name").await;
        assert!(names.contains(&"my_greet".to_owned()), "{names:?}");
        there.call("memory_prompt_delete", json!({"name": "greet"})).await;
        here.notified(PROMPTS_CHANGED, |_| true).await;
        let names = here.listed("prompts/list", "prompts", "name").await;
        assert!(!names.contains(&"my_greet".to_owned()), "{names:?}");

        let task = there.call("tasks_create", json!({"description": "Sweep"})).await["id"].clone();
        here.notified(UPDATED, is_about(READY)).await;
        assert_eq!(here.data(READY).await["count"], 1);
        there.call("tasks_claim", json!({"id": task})).await;
        here.notified(UPDATED, is_about(READY)).await;
        assert_eq!(here.data(READY).await["count"], 0);
        here.end().await;
        there.end().await;
    }
}

#[tokio::test]
async fn changes_of_a_command_are_received_and_those_of_another_project_are_not() {
    for era in Era::ALL {
        let home = Home::new("changes-cli");
        let mut here = listener(&home, era).await;
        run(&home, "project", &["memory", "capture", "Use tabs", "-n", "decisions"]).await;
        here.notified(UPDATED, is_about(DECISIONS)).await;
        here.notified(UPDATED, is_about("memory://topics")).await;
        run(&home, "other", &["memory", "capture", "Use spaces", "-n", "decisions"]).await;
        run(&home, "other", &["memory", "capture", "Port 80", "-n", "config"]).await;
        run(&home, "other", &["tasks", "add", "Paint the other house"]).await;
        run(&home, "other", &["memory", "capture", "Likes tea", "--scope", "user"]).await;
        // Changes arrive in their order, so what was not received before this is never received.
        here.notified(UPDATED, is_about("memory://user")).await;
        for uri in [DECISIONS, "memory://project/config", READY] {
            assert!(!here.has_received(|note| note["params"]["uri"] == uri), "{uri}");
        }
        run(&home, "project", &["tasks", "add", "Paint this house"]).await;
        here.notified(UPDATED, is_about(READY)).await;
        assert!(!here.has_received(|note| note["params"]["uri"] == DECISIONS));
        here.end().await;
    }
}

/// A modern client's stream over HTTP.
struct Stream {
    lines: Lines<BufReader<TcpStream>>,
    received: VecDeque<Value>,
}

impl Stream {
    async fn listen(url: &str) -> Self {
        let params = json!({"notifications": wanted(), "_meta": modern_meta(&json!({}))});
        let request =
            json!({"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": params});
        let stream = post(authority(url), &request, "application/json, text/event-stream").await;
        let mut stream = Self { lines: BufReader::new(stream).lines(), received: VecDeque::new() };
        stream.notified(ACKNOWLEDGED, |_| true).await;
        stream
    }

    async fn notified(&mut self, method: &str, fits: impl Fn(&Value) -> bool) {
        let is_it = |note: &Value| note["method"] == method && fits(&note["params"]);
        let notified = async {
            loop {
                if let Some(at) = self.received.iter().position(is_it) {
                    self.received.remove(at);
                    return;
                }
                let line = self.lines.next_line().await.unwrap().expect("a line");
                let data = line.strip_prefix("data:").filter(|data| !data.trim().is_empty());
                self.received.extend(data.map(|data| serde_json::from_str::<Value>(data).unwrap()));
            }
        };
        within(method, notified).await;
    }
}

#[tokio::test]
async fn changes_of_other_clients_and_processes_are_received_over_http() {
    let home = Home::new("changes-http");
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let mut received = Stream::listen(&server.url).await;
    for era in Era::ALL {
        let mut beside = Client::at(&server.url, era, ClientAbilities::nothing()).await;
        let content = format!("Said in {}", era.revision());
        let memory = json!({"content": content, "namespace": "decisions"});
        beside.call("memory_capture", memory).await;
        received.notified(UPDATED, is_about(DECISIONS)).await;
        let prompt = json!({"name": format!("of-{}", era.revision()), "template": "Hello"});
        beside.call("memory_prompt_save", prompt).await;
        received.notified(PROMPTS_CHANGED, |_| true).await;
    }
    run(&home, "project", &["memory", "capture", "Said elsewhere", "-n", "decisions"]).await;
    received.notified(UPDATED, is_about(DECISIONS)).await;
    run(&home, "project", &["tasks", "add", "Sweep"]).await;
    received.notified(UPDATED, is_about(READY)).await;
}
