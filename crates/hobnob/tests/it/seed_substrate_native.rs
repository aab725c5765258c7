//! Native calls in the profile `substrate`: a subscription, then one message for each event, on
//! pipes, over HTTP and on a WebSocket.
//!
//! The program that runs waits for the test, so an event that arrives before was not held back.

use futures_util::SinkExt as _;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use crate::memory_client::websocket_of;
use crate::native_rpc::{NativeWay, post};
use crate::program::{listening, within};
use crate::seed_substrate::{GrantedHome, PROFILE, greeted, request};
use crate::seed_wire::{Home, ServerTransport, Wire};

/// What the description's `ls` prints, with a wait in between.
const WAITING: &str = "echo file1.txt; while ! test -e go; do sleep 0.01; done; echo file2.txt";

/// The description's stream: its members, and what Hobnob adds to each.
async fn check_stream(way: &mut NativeWay, granted: &GrantedHome) {
    let answer = way.next().await;
    let subscription = answer["result"].clone();
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 1, "result": subscription}));
    assert!(subscription.is_u64(), "{answer}");
    for (sequence, expected) in [
        json!({"type": "start"}),
        json!({"type": "stdout", "data": "file1.txt\n"}),
        json!({"type": "stdout", "data": "file2.txt\n"}),
        json!({"type": "complete", "exit_code": 0}),
    ]
    .into_iter()
    .enumerate()
    {
        if sequence == 2 {
            std::fs::write(granted.folder.join("go"), "").unwrap();
        }
        let message = way.next().await;
        let params = &message["params"];
        let expected = json!({
            "subscription": subscription,
            "result": expected,
            "sequence": sequence + 1,
            "provenance": ["substrate", "bash"],
            "hash": params["hash"],
        });
        assert_eq!((&message["method"], params), (&json!("bash.execute"), &expected));
        assert!(params["hash"].is_string(), "{message}");
    }
    std::fs::remove_file(granted.folder.join("go")).unwrap();
}

#[tokio::test]
async fn events_of_a_command_come_as_they_happen() {
    let granted = GrantedHome::new("substrate-native").await;
    let call = request(1, "bash.execute", json!([WAITING])).to_string();
    let mut serve = granted.home.hobnob(&["serve", "--profile", PROFILE]).spawn().unwrap();
    let mut stdin = serve.stdin.take().unwrap();
    stdin.write_all(format!("{call}\n").as_bytes()).await.unwrap();
    check_stream(&mut NativeWay::lines(serve.stdout.take().unwrap()), &granted).await;
    drop(stdin);
    within("its end", serve.wait()).await.unwrap();

    let words = ["serve", "--profile", PROFILE, "--http", "127.0.0.1:0"];
    let server = listening(granted.home.hobnob(&words)).await;
    let stream = post(&server.url, &call).await;
    check_stream(&mut NativeWay::lines(stream), &granted).await;

    let (mut socket, _) = connect_async(websocket_of(&server.url)).await.unwrap();
    socket.send(Message::text(call)).await.unwrap();
    check_stream(&mut NativeWay::Socket(Box::new(socket)), &granted).await;
}

/// The events of a native call, its end last.
async fn events(wire: &mut Wire, method: &str, params: Value) -> Vec<Value> {
    let (_, answer) = wire.ask(request(1, method, params)).await;
    assert!(answer["result"].is_u64(), "{method}: {answer}");
    let mut events = Vec::new();
    loop {
        let event = wire.next().await["params"]["result"].clone();
        let is_last = event["type"] == "complete" || event["type"] == "error";
        events.push(event);
        if is_last {
            return events;
        }
    }
}

/// The same services, another delivery.
#[tokio::test]
async fn a_chat_is_a_stream_and_a_result() {
    let granted = GrantedHome::new("substrate-native-chat").await;
    let mut wire = Wire::open(&granted.home, ServerTransport::Stdio, Some(PROFILE)).await;
    let made = events(&mut wire, "claudecode.create", json!(["my-session"])).await;
    assert_eq!(made[0]["type"], "complete", "{made:?}");
    let came = events(&mut wire, "claudecode.chat", json!(["my-session", "tool"])).await;
    let kinds: Vec<&str> = came.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["start", "content", "tool_use", "content", "complete"], "{came:?}");
    assert_eq!((&came[1]["text"], &came[3]["text"]), (&json!("Files: "), &json!("\n\ntwo.")));
    assert_eq!(came[2]["tool_name"], "Bash");
    assert_eq!(came[2]["input"], json!({"command": "ls"}));
    let missing = events(&mut wire, "claudecode.chat", json!(["none", "Hello, world!"])).await;
    let error = json!({"type": "error", "message": "Session 'none' not found"});
    assert_eq!(missing.last(), Some(&error));
}

#[tokio::test]
async fn names_are_looked_up_in_the_order_of_the_description() {
    let home = Home::new("substrate-names");
    let mut wire = greeted(&home, ServerTransport::Stdio, "2024-11-05").await;
    for method in ["echo.echo", "echo_echo"] {
        let came = events(&mut wire, method, json!({"message": "hi", "count": 2})).await;
        let expected = [
            json!({"type": "start"}),
            json!({"type": "content", "text": "hi\n"}),
            json!({"type": "content", "text": "hi"}),
            json!({"type": "complete", "count": 2}),
        ];
        assert_eq!(came, expected, "{method}");
    }
    // A method of MCP comes before everything else.
    let (_, pong) = wire.ask(request(7, "ping", json!({}))).await;
    assert_eq!(pong["result"], json!({}));
    for (method, said) in [
        (
            "echo.ehco",
            "service `echo` has no method `echo.ehco`; it has: echo; did you mean `echo.echo`?",
        ),
        ("echo", "`echo` is a service; it has: echo"),
        ("ehco.something", "did you mean `echo`? It has: echo"),
        ("nothing.like_it", "there are the services: arbor, "),
    ] {
        let (_, refused) = wire.ask(request(2, method, json!([]))).await;
        let error = &refused["error"];
        let message = error["message"].as_str().unwrap();
        assert!(error["code"] == -32601 && message.contains(said), "{method}: {refused}");
    }
}
