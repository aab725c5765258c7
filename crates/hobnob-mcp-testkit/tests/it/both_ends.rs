//! A client and a server in one process: real ones, and a scripted server, in both eras.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_client::{CallFailed, Client, EraHint, ServerEvent};
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::{connect, connect_with, scripted, scripted_with};
use hobnob_mcp_toolbox::Kit;
use hobnob_mcp_types::Era;
use serde_json::{Value, json};

fn greeter() -> Server {
    let kit = Kit::plain("greetings");
    let kit = kit.tool("hello", "Greets somebody", async || "hello ".repeat(300_000));
    Server::builder("greeter", "1").kit(kit).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_client_of_a_server_in_this_process() {
    let server = greeter();
    for (hint, era) in [(EraHint::Unknown, Era::Modern), (EraHint::Legacy, Era::Legacy)] {
        let client = connect_with(&server, Client::builder().era(hint)).await.unwrap();
        assert_eq!(client.server_info().revision.era(), era);
        // More bytes than fit into the memory between them.
        let text: String = client.call("hello", &()).await.unwrap();
        assert_eq!(text.len(), 1_800_000);
        client.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_server_is_an_event() {
    let server = greeter();
    let client = connect(&server).await.unwrap();
    let mut events = client.events();
    server.shut_down().await;
    assert!(matches!(events.next().await, Some(ServerEvent::Ended(_))));
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_script_is_played_in_both_eras() {
    let script = r#"
        # Answers as the server likes.
        expect tools/call {"name": "add",
            "arguments": {"a": 1, "b": "$any"}}
        answer {"content": [{"type": "text", "text": "3"}]}
        expect tools/call {"name": "$has ad"}
        refuse -31100 not today
        notify notifications/tools/list_changed
        expect resources/read
        end
    "#;
    for era in [EraHint::Unknown, EraHint::Legacy] {
        let (client, server) = scripted_with(Client::builder().era(era), script).await.unwrap();
        let mut events = client.events();
        let sum: i64 = client.call("add", &json!({"a": 1, "b": 2})).await.unwrap();
        assert_eq!(sum, 3);
        let refused = client.call::<_, Value>("add", &()).await.unwrap_err();
        assert!(matches!(&refused, CallFailed::Refused(it) if it.message == "not today"));
        assert!(matches!(events.next().await, Some(ServerEvent::ToolsChanged)));
        let lost = client.read_text("x:y").await.unwrap_err();
        assert!(matches!(lost, CallFailed::NoAnswer(_)), "{lost:?}");
        server.finish().await;
    }
}

#[tokio::test(start_paused = true)]
#[should_panic(
    expected = "line 1: the script expects tools/list, but the client sent tools/call {\"name\":\"add\"}"
)]
async fn a_client_that_differs_fails_the_test() {
    let (client, server) = scripted("expect tools/list").await.unwrap();
    let failed = client.call::<_, Value>("add", &()).await.unwrap_err();
    assert!(failed.to_string().contains("the script expects tools/list"), "{failed}");
    let failed = client.tools().await.unwrap_err();
    assert!(failed.to_string().contains("the script expects tools/list"), "{failed}");
    server.finish().await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "the client never sent `tools/list`")]
async fn a_client_that_leaves_something_out_fails_the_test() {
    let (_client, server) = scripted("expect tools/list").await.unwrap();
    server.finish().await;
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "after the script, the client sent")]
async fn a_client_that_does_more_fails_the_test() {
    let (client, server) = scripted("").await.unwrap();
    assert!(client.tools().await.is_err());
    server.finish().await;
}
