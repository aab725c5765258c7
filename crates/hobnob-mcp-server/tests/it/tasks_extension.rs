//! Tasks of the modern extension: the server decides, the client polls and updates.

use crate::support::{Gate, greeted, modern, plain_kit, server, spec, started_modern, with};
use crate::tasks::task_kit;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, TaskMode};

#[tokio::test(start_paused = true)]
async fn the_extension_is_declared() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":"$any",
            "capabilities":{"tools":{"listChanged":true},"logging":{},
                "extensions":{"io.modelcontextprotocol/tasks":{}}},
            "ttlMs":0,"cacheScope":"private",${us}}}
    "#;
    converse(&server([task_kit(&Gate::new())]), &modern(script)).await;
}

/// From `working` to `completed`, flat; the result is part of the task.
#[tokio::test(start_paused = true)]
async fn a_call_may_be_answered_with_a_task() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may",${can wait}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"$keep task","status":"working",
            "createdAt":"$has Z","lastUpdatedAt":"$has Z","ttlMs":3600000,"pollIntervalMs":"$any",${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","taskId":${task},"status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":3600000,"pollIntervalMs":"$any",${us}}}
        do open
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":3600000,"pollIntervalMs":"$any",
            "result":{"content":[{"type":"text","text":"done"}]},${us}}}
        # Nobody is notified who did not listen, and the legacy methods are not here.
        !
        > {"jsonrpc":"2.0","id":4,"method":"tasks/result","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: tasks/result"}}
        > {"jsonrpc":"2.0","id":5,"method":"tasks/list","params":{${can wait}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"method not found: tasks/list"}}
    "#;
    let gate = Gate::new();
    let server = server([task_kit(&gate)]);
    converse_doing(&server, &modern(script), |_| gate.open()).await;
}

/// A client that does not declare the extension in the request itself never gets a task.
#[tokio::test(start_paused = true)]
async fn a_task_needs_the_extension_in_that_very_request() {
    let script = r#"
        do open
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may",${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}],${us}}}
        # The wish of 2025-11-25 means nothing here.
        do open
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"may","task":{"ttl":1},${me}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"done"}],${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"must",${me}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32021,"message":"$any",
            "data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"must",${can wait}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"task","taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${us}}}
        > {"jsonrpc":"2.0","id":5,"method":"tasks/get","params":{"taskId":${task},${me}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32021,"message":"$any",
            "data":{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}
        > {"jsonrpc":"2.0","id":6,"method":"tasks/update","params":{"taskId":${task},"inputResponses":{},${me}}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32021,"message":"$any","data":"$any"}}
        > {"jsonrpc":"2.0","id":7,"method":"tasks/cancel","params":{"taskId":${task},${me}}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32021,"message":"$any","data":"$any"}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"never",${can wait}}}
        < {"jsonrpc":"2.0","id":8,"result":{"resultType":"complete","content":[{"type":"text","text":"here"}],${us}}}
    "#;
    let gate = Gate::new();
    let server = server([task_kit(&gate)]);
    converse_doing(&server, &modern(script), |_| gate.open()).await;
}

/// A task whose tool reported a failure has completed; a protocol error makes it fail.
#[tokio::test(start_paused = true)]
async fn a_task_shows_how_it_ended() {
    let script = r#"
        do nothing
        > {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","taskId":${task},"status":"${status}",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${end},${us}}}
    "#;
    let failed = r#""result":{"content":[{"type":"text","text":"it broke"}],"isError":true}"#;
    let error = r#""error":{"code":-32602,"message":"bad job"}"#;
    for (tool, status, end) in [("fails", "completed", failed), ("breaks", "failed", error)] {
        let script = with(&[("status", status), ("end", end)], script);
        converse_doing(&server([task_kit(&Gate::new())]), &started_modern(tool, &script), |_| ())
            .await;
    }
}

/// A task that asks: its questions are part of it, and `tasks/update` answers them.
#[tokio::test(start_paused = true)]
async fn a_task_asks_and_is_updated() {
    let script = r#"
        do nothing
        > {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","taskId":${task},"status":"input_required",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",
            "inputRequests":{"sure":{"method":"elicitation/create","params":{"mode":"form",
                "message":"Really?","requestedSchema":{"type":"object","properties":{}}}}},${us}}}
        # Keys that are not open are ignored, and the task still waits.
        > {"jsonrpc":"2.0","id":3,"method":"tasks/update","params":{"taskId":${task},
            "inputResponses":{"other":{"action":"accept"}},${can wait}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete",${us}}}
        > {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","taskId":${task},"status":"input_required",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",
            "inputRequests":{"sure":"$any"},${us}}}
        > {"jsonrpc":"2.0","id":5,"method":"tasks/update","params":{"taskId":${task},
            "inputResponses":{"sure":{"action":"accept","content":{}}},${can wait}}}
        < {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete",${us}}}
        do nothing
        > {"jsonrpc":"2.0","id":6,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":6,"result":{"resultType":"complete","taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",
            "result":{"content":[{"type":"text","text":"agreed"}]},${us}}}
        # Too late, but no harm.
        > {"jsonrpc":"2.0","id":7,"method":"tasks/update","params":{"taskId":${task},
            "inputResponses":{"sure":{"action":"decline"}},${can wait}}}
        < {"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",${us}}}
        > {"jsonrpc":"2.0","id":8,"method":"tasks/update","params":{"taskId":${task},"inputResponses":7,${can wait}}}
        < {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"$has inputResponses"}}
    "#;
    converse_doing(&server([task_kit(&Gate::new())]), &started_modern("asks", script), |_| ())
        .await;
}

/// Cancelling is acknowledged and stops the work; a second time it changes nothing.
#[tokio::test(start_paused = true)]
async fn a_task_can_be_cancelled() {
    let script = r#"
        # The request is over: its id no longer means the task.
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        do running
        > {"jsonrpc":"2.0","id":2,"method":"tasks/cancel","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",${us}}}
        do stopped
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","taskId":${task},"status":"cancelled",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${us}}}
        > {"jsonrpc":"2.0","id":4,"method":"tasks/cancel","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete",${us}}}
    "#;
    let gate = Gate::new();
    let server = server([task_kit(&gate)]);
    converse_doing(&server, &started_modern("may", script), |deed| match deed {
        "running" => assert_eq!(gate.tally(), (1, 0, 0)),
        _ => assert_eq!(gate.tally(), (1, 0, 1)),
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_task_is_a_bad_parameter() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"${method}","params":{"taskId":"nonsense",${can wait}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has `nonsense`"}}
        > {"jsonrpc":"2.0","id":2,"method":"${method}","params":{${can wait}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"`params.taskId` must be a string"}}
    "#;
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let script = with(&[("method", method)], script);
        converse(&server([task_kit(&Gate::new())]), &modern(&script)).await;
    }
}

/// A server that does not declare the extension has none of its methods, for any client.
#[tokio::test(start_paused = true)]
async fn without_the_extension_there_are_no_methods() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"${method}","params":{"taskId":"a","inputResponses":{},${can wait}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: ${method}"}}
        > {"jsonrpc":"2.0","id":2,"method":"${method}","params":{${me}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"method not found: ${method}"}}
    "#;
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let script = with(&[("method", method)], script);
        converse(&server([plain_kit()]), &modern(&script)).await;
    }
}

/// A legacy session owns its tasks: a modern request on the same pipe does not see them.
#[tokio::test(start_paused = true)]
async fn tasks_of_the_two_eras_are_apart() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"$keep old","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"may",${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"$keep new","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${old},${can wait}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"$has no task"}}
        > {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":${new}}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"$has no task"}}
        > {"jsonrpc":"2.0","id":5,"method":"tasks/list"}
        < {"jsonrpc":"2.0","id":5,"result":{"tasks":["$any"]}}
    "#;
    converse(&server([task_kit(&Gate::new())]), &modern(&greeted("2025-11-25", script))).await;
}

/// The handler decides: it continues as a task if the caller can take one, else in the call.
#[tokio::test(start_paused = true)]
async fn a_handler_may_go_on_as_a_task() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chosen",${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"long"}],${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chosen",${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${us}}}
        do nothing
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",
            "result":{"content":[{"type":"text","text":"long"}]},${us}}}
    "#;
    converse_doing(&server([chosen_kit()]), &modern(script), |_| ()).await;
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chosen"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"long"}]}}
    "#;
    converse(&server([chosen_kit()]), &greeted("2025-03-26", script)).await;
}

fn chosen_kit() -> KitBuilder {
    let chosen = spec("chosen").tasks(TaskMode::Chosen);
    Kit::plain("chosen").tool("chosen", chosen, async |context: Context| {
        context.start_task(async |_| Ok("long")).await
    })
}
