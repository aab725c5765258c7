//! Pipes of one project share one hub: it runs one process for each server and keeps clients apart,
//! and another process replaces it when it is killed.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::dialogue::Dialogue;
use crate::faults_client::{Client, MODERN, REVISIONS, able, text_of};
use crate::faults_setup::{ALLOW, Setup, signal, until};

const SOON: Duration = Duration::from_secs(30);

/// A client whose pipe may be relayed to a running hub.
async fn client(setup: &Setup, revision: &'static str, words: &[&str]) -> Client {
    let mut command = setup.hobnob(&[&["serve"], words].concat());
    command.env_remove("HOBNOB_NO_REUSE");
    Client::with(Dialogue::with(&mut command), revision, able()).await
}

/// Ten such clients that start at the same time, in all revisions.
async fn crowd(setup: &Setup) -> Vec<Client> {
    join_all((0..10).map(|at| client(setup, REVISIONS[at % REVISIONS.len()], &[]))).await
}

/// How many processes of this upstream run.
fn running(setup: &Setup, name: &str) -> usize {
    let journal = setup.file(&format!("{name}.journal"));
    let is_it = |it: &str| it.contains("faulty.py") && it.contains(&journal);
    let program = |it: &str| !it.contains("hobnob-supervisor") && !it.contains("__supervise");
    setup.processes().iter().filter(|it| is_it(&it.arguments) && program(&it.arguments)).count()
}

/// Which of the clients talks to the process that listens.
fn hub_of(setup: &Setup, clients: &[Client]) -> usize {
    let socket = std::fs::read_dir(setup.home.join("run")).unwrap().find_map(|file| {
        let name = file.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(".sock").map(str::to_owned)
    });
    let socket = socket.expect("a hub listens");
    let id: u32 = socket.rsplit('-').next().unwrap().parse().unwrap();
    clients.iter().position(|client| client.process() == id).expect("one of them is the hub")
}

/// The URI of the first notes that this client sees.
async fn notes_of(client: &mut Client) -> String {
    let listed = client.ask("resources/list", json!({})).await;
    let mut uris = listed["result"]["resources"].as_array().unwrap().iter().map(|it| &it["uri"]);
    uris.find_map(|it| it.as_str().filter(|it| it.contains("notes"))).unwrap().to_owned()
}

fn updated(message: &Value) -> bool {
    message["method"] == "notifications/resources/updated"
}

#[tokio::test]
async fn ten_pipes_share_one_process_for_each_server() {
    let Some(mut setup) = Setup::new("attach-crowd").await else { return };
    setup.settings(ALLOW).upstream("one", &[]).upstream("two", &[]);
    setup.write();
    let mut clients = crowd(&setup).await;
    // The counts go on from client to client: one process answers, and every call has run once.
    for tool in ["mcp__one__count", "mcp__two__count"] {
        let counts = join_all(clients.iter_mut().map(|it| it.text(tool, json!({})))).await;
        let mut counts: Vec<usize> = counts.iter().map(|it| it.parse().unwrap()).collect();
        counts.sort_unstable();
        assert_eq!(counts, (1..=10).collect::<Vec<_>>(), "{tool}");
    }
    assert_eq!((running(&setup, "one"), running(&setup, "two")), (1, 1));
    // Questions reach the client whose call asks, and its answer counts.
    for (at, client) in clients.iter_mut().enumerate() {
        client.received.clear();
        client.answering = match at % 2 {
            0 => |_, _| json!({"action": "accept", "content": {"who": "even"}}),
            _ => |_, _| json!({"action": "accept", "content": {"who": "odd"}}),
        };
    }
    let asked = [2, 3];
    for (at, said) in asked.iter().zip(["accept:even", "accept:odd"]) {
        assert_eq!(clients[*at].text("mcp__one__elicit", json!({})).await, said, "client {at}");
    }
    for (at, client) in clients.iter().enumerate() {
        let questions = client.received.iter().filter(|it| it["method"] == "elicitation/create");
        assert_eq!(questions.count(), usize::from(asked.contains(&at)), "client {at}");
    }
    // Updates reach only the client that subscribed, here one legacy client.
    let uri = notes_of(&mut clients[3]).await;
    clients[3].ask("resources/subscribe", json!({"uri": uri})).await;
    // The address is that of one of them, and the hub subscribes there after it has answered.
    let subscribed = || setup.noted("one", "subscribe") + setup.noted("two", "subscribe") > 0;
    until("the hub subscribes", SOON, subscribed).await;
    clients[5].text("mcp__one__touch", json!({})).await;
    clients[5].text("mcp__two__touch", json!({})).await;
    clients[3].notified("notifications/resources/updated").await;
    for (at, client) in clients.iter_mut().enumerate() {
        client.ask("tools/list", json!({})).await;
        let heard = client.received.iter().any(updated);
        assert!(!heard || at == 3, "client {at} did not subscribe");
    }
    for client in clients {
        client.end().await;
    }
    until("no process stays", SOON, || setup.processes().is_empty()).await;
    let left = std::fs::read_dir(setup.home.join("run")).unwrap();
    let left = left.map(|it| it.unwrap().path().extension().unwrap().to_owned());
    assert!(left.into_iter().all(|it| it == "lock"), "sockets are removed");
}

#[tokio::test]
async fn a_hub_that_is_killed_is_replaced_and_calls_under_way_fail() {
    let Some(mut setup) = Setup::new("attach-killed").await else { return };
    setup.settings(ALLOW).upstream("one", &[]);
    setup.write();
    let mut clients = crowd(&setup).await;
    let uri = notes_of(&mut clients[3]).await;
    for round in 0..2 {
        let hub = hub_of(&setup, &clients);
        // The client that subscribed must not be the hub, which is killed.
        let subscriber = usize::from(hub == 0);
        let legacy = if REVISIONS[subscriber % REVISIONS.len()] == MODERN { 2 } else { subscriber };
        clients[legacy].ask("resources/subscribe", json!({"uri": uri})).await;
        // A hub subscribes after it has answered, once for all clients.
        let subscribed = || setup.noted("one", "subscribe");
        until("the hub subscribes", SOON, || subscribed() > round).await;
        let napper = (0..clients.len()).find(|at| *at != hub && *at != legacy).unwrap();
        let nap = clients[napper].send_call("mcp__one__nap", json!({"seconds": 600})).await;
        until("the call has begun", SOON, || setup.received("one", "tools/call") > round).await;
        signal("KILL", clients[hub].process());
        drop(clients.remove(hub));
        let at = |index: usize| if index > hub { index - 1 } else { index };
        let failed = clients[at(napper)].response(nap).await;
        assert_eq!(failed["error"]["code"], -31003, "{failed}");
        assert!(text_of(&failed).contains("has ended"), "{failed}");
        for client in &mut clients {
            // A client that asks before its relay notices gets an error, and asks again.
            let mut answer = client.call("mcp__one__echo", json!({"text": "x"})).await;
            if answer["error"]["code"] == -31003 {
                answer = client.call("mcp__one__echo", json!({"text": "x"})).await;
            }
            assert!(answer["result"]["content"].is_array(), "{answer}");
        }
        until("one process for the server", SOON, || running(&setup, "one") == 1).await;
        let hub = hub_of(&setup, &clients);
        assert!(hub < clients.len());
        // A session goes on as it was.
        until("the next hub subscribes", SOON, || subscribed() > round + 1).await;
        clients[at(legacy)].received.retain(|it| !updated(it));
        let other = usize::from(at(legacy) == 0);
        clients[other].text("mcp__one__touch", json!({})).await;
        clients[at(legacy)].notified("notifications/resources/updated").await;
    }
    for client in clients {
        client.end().await;
    }
    until("no process stays", SOON, || setup.processes().is_empty()).await;
}

#[tokio::test]
async fn the_hub_leaves_and_its_clients_stay() {
    let Some(mut setup) = Setup::new("attach-leaves").await else { return };
    setup.settings(ALLOW).upstream("one", &[]);
    setup.write();
    let hub = client(&setup, "2025-11-25", &[]).await;
    let mut other = client(&setup, "2025-06-18", &[]).await;
    assert_eq!(other.text("mcp__one__count", json!({})).await, "1");
    hub.end().await;
    other.notified("notifications/tools/list_changed").await;
    assert_eq!(other.text("mcp__one__count", json!({})).await, "1", "a new process");
    let mut third = client(&setup, MODERN, &[]).await;
    assert_eq!(third.text("mcp__one__count", json!({})).await, "2", "the same process");
    third.end().await;
    other.end().await;
}

#[tokio::test]
async fn only_equal_settings_are_shared() {
    let Some(mut setup) = Setup::new("attach-alone").await else { return };
    let mut entry = setup.entry("one", &[]);
    entry["env"] = json!({"TOKEN": "${ATTACH_TOKEN:-none}"});
    setup.settings(ALLOW).server("one", entry);
    setup.write();
    let mut hub = client(&setup, "2025-11-25", &[]).await;
    assert_eq!(hub.text("mcp__one__count", json!({})).await, "1");
    let mut same = client(&setup, "2025-11-25", &[]).await;
    assert_eq!(same.text("mcp__one__count", json!({})).await, "2");
    // By an option, with a variable of another value, and with another project.
    let mut alone = client(&setup, "2025-11-25", &["--no-attach"]).await;
    assert_eq!(alone.text("mcp__one__count", json!({})).await, "1");
    alone.end().await;
    let mut command = setup.hobnob(&["serve"]);
    command.env_remove("HOBNOB_NO_REUSE").env("ATTACH_TOKEN", "other");
    let mut alone = Client::with(Dialogue::with(&mut command), "2025-11-25", able()).await;
    assert_eq!(alone.text("mcp__one__count", json!({})).await, "1");
    alone.end().await;
    let home = setup.home.to_str().unwrap().to_owned();
    let mut alone = client(&setup, "2025-11-25", &["--project", &home]).await;
    assert_eq!(alone.text("mcp__one__count", json!({})).await, "1");
    alone.end().await;
    // By a setting.
    setup.settings(&format!("[gateway]\nattach = false\n{ALLOW}"));
    setup.write();
    let mut alone = client(&setup, "2025-11-25", &[]).await;
    assert_eq!(alone.text("mcp__one__count", json!({})).await, "1");
    alone.end().await;
    assert_eq!(same.text("mcp__one__count", json!({})).await, "3");
    same.end().await;
    hub.end().await;
}
