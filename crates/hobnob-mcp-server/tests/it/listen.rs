//! `subscriptions/listen`: acknowledged first, every message tagged, only what was asked for.

use crate::changes::act;
use crate::features::library_kit;
use crate::support::{Gate, greeted, modern, server, spec, with};
use crate::tasks::task_kit;
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{Kit, TaskMode};

/// What `${tag …}` stands for: the `_meta` of every message of the listen with that id.
const TAGS: &str = r#"
    let tag 1 = "_meta":{"io.modelcontextprotocol/subscriptionId":1}
    let tag a = "_meta":{"io.modelcontextprotocol/subscriptionId":"a"}
    let every = "toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true
"#;

fn listening(script: &str) -> String {
    modern(&format!("{TAGS}{script}"))
}

/// The acknowledgement comes first and lists what is honoured. The changes follow, tagged with the
/// id of the request in its original type.
#[tokio::test(start_paused = true)]
async fn a_listener_gets_what_it_asked_for() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{
            "notifications":{${every},"resourceSubscriptions":["test://hello"]},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{
            "notifications":{${every},"resourceSubscriptions":["test://hello"]},${tag 1}}}
        !
        do add tools
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${tag 1}}}
        do add resources
        < {"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{${tag 1}}}
        do add prompts
        < {"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{${tag 1}}}
        do touch test://hello
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://hello",${tag 1}}}
        do touch test://bytes
        !
    "#;
    let server = server([library_kit()]);
    converse_doing(&server, &listening(script), |deed| act(&server, deed)).await;
}

/// Changes that the client did not ask for are not sent, kind by kind.
#[tokio::test(start_paused = true)]
async fn a_listener_gets_nothing_else() {
    let kinds = [
        ("toolsListChanged", "add tools", "notifications/tools/list_changed"),
        ("resourcesListChanged", "add resources", "notifications/resources/list_changed"),
        ("promptsListChanged", "add prompts", "notifications/prompts/list_changed"),
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{"notifications":{"${kind}":true},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{
            "notifications":{"${kind}":true},${tag a}}}
        do others
        !
        do mine
        < {"jsonrpc":"2.0","method":"${method}","params":{${tag a}}}
        !
    "#;
    for (kind, mine, method) in kinds {
        let server = server([library_kit()]);
        let script = with(&[("kind", kind), ("method", method)], script);
        converse_doing(&server, &listening(&script), |deed| match deed {
            "mine" => act(&server, mine),
            _ => {
                act(&server, "touch test://hello");
                for (_, other, _) in kinds.iter().filter(|(_, deed, _)| *deed != mine) {
                    act(&server, other);
                }
            }
        })
        .await;
    }
}

/// Only what the server offers is honoured; an empty filter is honoured, too.
#[tokio::test(start_paused = true)]
async fn only_what_is_offered_is_honoured() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{
            "notifications":{${every},"resourceSubscriptions":["test://hello"],"taskIds":["nobody"]},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{
            "notifications":{"toolsListChanged":true},${tag 1}}}
        > {"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{"notifications":{},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},${tag a}}}
        do add tools
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${tag 1}}}
        !
    "#;
    let server = server([]);
    converse_doing(&server, &listening(script), |deed| act(&server, deed)).await;
}

#[tokio::test(start_paused = true)]
async fn a_listen_without_its_shape_is_refused() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{${params}${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$any"}}
        !
    "#;
    for params in [
        "",
        r#""notifications":7,"#,
        r#""notifications":{"toolsListChanged":"yes"},"#,
        r#""notifications":{"resourceSubscriptions":"test://a"},"#,
    ] {
        let script = with(&[("params", params)], script);
        converse(&server([]), &listening(&script)).await;
    }
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has protocolVersion"}}
    "#;
    converse(&server([]), script).await;
}

/// On a pipe, cancelling a listen's id ends it: no more messages, and the id is free.
#[tokio::test(start_paused = true)]
async fn a_cancelled_listen_is_silent() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},${tag 1}}}
        > {"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},${tag a}}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$has still being answered"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        do add tools
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${tag a}}}
        !
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
    "#;
    let server = server([]);
    converse_doing(&server, &listening(script), |deed| act(&server, deed)).await;
}

/// Two concurrent listens are notified of the same change, each under its own id.
#[tokio::test(start_paused = true)]
async fn listens_do_not_share() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},${tag 1}}}
        > {"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{
            "notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://hello"]},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{
            "notifications":{"toolsListChanged":true,"resourceSubscriptions":["test://hello"]},${tag a}}}
        do add tools
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${tag 1}}}
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${tag a}}}
        do touch test://hello
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://hello",${tag a}}}
        !
    "#;
    let server = server([library_kit()]);
    converse_doing(&server, &listening(script), |deed| act(&server, deed)).await;
}

/// When the server stops, every listen gets its final message.
#[tokio::test(start_paused = true)]
async fn a_listen_ends_with_a_result_when_the_server_stops() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},${tag 1}}}
        do stop
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",${tag 1}}}
    "#;
    let server = server([]);
    converse_doing(&server, &listening(script), |_| server.stop()).await;
}

/// A listen ends when the input ends.
#[tokio::test(start_paused = true)]
async fn a_listen_does_not_outlive_its_pipe() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":"$any"}
        end
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",${tag 1}}}
    "#;
    converse(&server([]), &listening(script)).await;
}

/// Listens are limited in number and size; a refused listen takes no place.
#[tokio::test(start_paused = true)]
async fn listens_are_bounded() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{
            "resourceSubscriptions":["test://a","test://b","test://c"]},${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has more than 2"}}
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":"$any"}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{},${me}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-31001,"message":"$has try again later"}}
        # Other requests have places of their own.
        > {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":3,"result":"$any"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        do nothing
        > {"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{"notifications":{},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":"$any"}
    "#;
    let limits = Limits { listens: 1, subscriptions: 2, ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = server.kit(library_kit()).build().expect("a server");
    converse_doing(&server, &listening(script), |_| ()).await;
}

/// A task in the filter is sent in full whenever it changes.
#[tokio::test(start_paused = true)]
async fn a_task_can_be_listened_for() {
    let script = r#"
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"may",${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${us}}}
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{
            "notifications":{"taskIds":[${task},"nobody"]},${can wait}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{
            "notifications":{"taskIds":[${task}]},${tag 1}}}
        do open
        < {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",
            "result":{"content":[{"type":"text","text":"done"}]},${tag 1}}}
        !
    "#;
    let gate = Gate::new();
    let server = server([task_kit(&gate)]);
    converse_doing(&server, &listening(script), |_| gate.open()).await;
}

/// For a task with a large result only the status is sent; the client fetches the result.
#[tokio::test(start_paused = true)]
async fn a_large_result_is_not_sent_but_fetched() {
    let script = r#"
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"large",${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"task","taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${us}}}
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{
            "notifications":{"taskIds":[${task}]},${can wait}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":"$any"}
        do open
        < {"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",${tag 1}}}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any","pollIntervalMs":"$any",
            "result":{"content":[{"type":"text","text":"$has xxx"}]},${us}}}
        !
    "#;
    let gate = Gate::new();
    let held = gate.clone();
    let large = spec("large").tasks(TaskMode::Optional);
    let kit = Kit::plain("large").tool("large", large, move || {
        let gate = held.clone();
        async move {
            gate.pass().await;
            Ok("x".repeat(256 << 10))
        }
    });
    converse_doing(&server([kit]), &listening(script), |_| gate.open()).await;
}

/// A legacy session on the same pipe gets its own notifications, without a tag.
#[tokio::test(start_paused = true)]
async fn both_eras_are_notified_on_one_pipe() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":"$any"}
        do add tools
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
        < {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{${tag 1}}}
        !
    "#;
    let server = server([]);
    let script = listening(&greeted("2025-11-25", script));
    converse_doing(&server, &script, |deed| act(&server, deed)).await;
}
