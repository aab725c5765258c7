//! `notifications/cancelled`: the work stops and sends nothing more.

use crate::support::{Gate, LEGACY, greeted, greeted_with, modern, plain_kit, server, spec};
use hobnob_mcp_testkit::transcript::converse_doing;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, ToolError};
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::logging::LoggingLevel;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// The future is dropped, so the work has really stopped, and no answer follows.
#[tokio::test(start_paused = true)]
async fn a_cancelled_call_stops_and_is_not_answered() {
    let script = r#"
        > {"jsonrpc":"2.0","id":"123","method":"tools/call","params":{"name":"wait"}}
        do begun
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"123",
            "reason":"User requested cancellation"}}
        do dropped
        !
        do open
        !
        > {"jsonrpc":"2.0","id":"124","method":"ping"}
        < {"jsonrpc":"2.0","id":"124","result":{}}
    "#;
    for version in LEGACY {
        watch(&greeted(version, script)).await;
    }
    let script = script.replace(r#""name":"wait""#, r#""name":"wait",${me}"#);
    watch(&modern(&script)).await;
}

/// Runs a script against a gate; at each `do` line it checks the state of the only call.
async fn watch(script: &str) {
    let gate = Gate::new();
    converse_doing(&server([gate.kit()]), script, |deed| match deed {
        "begun" => assert_eq!(gate.tally(), (1, 0, 0)),
        "dropped" => assert_eq!(gate.tally(), (1, 0, 1)),
        "open" => gate.open(),
        other => panic!("{other}"),
    })
    .await;
    assert_eq!(gate.tally(), (1, 0, 1));
}

/// Only the call that is named stops: `1` is not `"1"`.
#[tokio::test(start_paused = true)]
async fn only_the_call_that_is_named_stops() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        > {"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"wait"}}
        do begun
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}
        do dropped
        do open
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"through"}]}}
    "#;
    let gate = Gate::new();
    converse_doing(&server([gate.kit()]), &greeted("2025-06-18", script), |deed| match deed {
        "begun" => assert_eq!(gate.tally(), (2, 0, 0)),
        "dropped" => assert_eq!(gate.tally(), (2, 0, 1)),
        _ => gate.open(),
    })
    .await;
    assert_eq!(gate.tally(), (2, 1, 1));
}

/// A cancellation of an unknown or finished request, or without an id, is ignored.
#[tokio::test(start_paused = true)]
async fn senseless_cancellations_are_ignored() {
    let script = r#"
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"again"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}
        > {"jsonrpc":"2.0","method":"notifications/cancelled"}
        !
        # The id is free again, and what was said about its first use means nothing to the second.
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"b"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"b"}]}}
    "#;
    for version in LEGACY {
        converse_doing(&server([plain_kit()]), &greeted(version, script), |_| ()).await;
    }
}

/// `initialize` must not be cancelled: such a cancellation is ignored.
#[tokio::test(start_paused = true)]
async fn the_handshake_cannot_be_cancelled() {
    let script = r#"
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}
        > {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"${version}",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}
        < {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"${version}",
            "capabilities":"$any","serverInfo":"$any"}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
    "#;
    for version in LEGACY {
        let script = format!("let version = {version}\n{script}");
        converse_doing(&server([plain_kit()]), &script, |_| ()).await;
    }
}

/// Cancelling a call that waits for the client's answer also cancels its question.
#[tokio::test(start_paused = true)]
async fn a_cancelled_call_takes_its_question_back() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${question}}}
        # An answer that crosses it on its way is ignored.
        > {"jsonrpc":"2.0","id":${question},"result":{"action":"accept","content":{}}}
        !
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
    "#;
    for version in ["2025-06-18", "2025-11-25"] {
        let script = greeted_with(version, r#"{"elicitation":{}}"#, script);
        converse_doing(&server([asking_kit()]), &script, |_| ()).await;
    }
}

/// A blocking tool cannot be stopped, but it sends nothing after its call was cancelled.
#[tokio::test(start_paused = true)]
async fn a_blocking_tool_sends_nothing_after_its_call_is_cancelled() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"block","_meta":{"progressToken":1}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"release"}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"released"}]}}
        !
    "#;
    converse_doing(&server([blocking_kit()]), &greeted("2025-11-25", script), |_| ()).await;
}

fn asking_kit() -> KitBuilder {
    Kit::plain("asking").tool("ask", spec("ask"), async |context: Context| {
        context.elicit_with("name", ElicitParams::form("Who?", FormSchema::new()))?;
        Ok("answered")
    })
}

/// `block` reports progress, blocks until `release` is called, and reports again before it ends.
fn blocking_kit() -> KitBuilder {
    let (go, wait) = sync_channel::<()>(1);
    let (end, done) = sync_channel::<()>(1);
    let (wait, done) = (Mutex::new(wait), Arc::new(Mutex::new(done)));
    Kit::plain("blocking")
        .blocking_tool(
            "block",
            spec("block"),
            move |context: Context| -> Result<String, ToolError> {
                context.progress(1.0, None, None);
                wait.lock().recv().expect("a word");
                context.progress(2.0, None, None);
                context.log(LoggingLevel::Error, &"too late");
                end.send(()).expect("a tool that listens");
                Ok("done".into())
            },
        )
        .tool("release", spec("release"), move || {
            let (go, done) = (go.clone(), Arc::clone(&done));
            async move {
                go.send(()).expect("a tool that waits");
                done.lock().recv().expect("a tool that ends");
                Ok("released")
            }
        })
}
