//! Tasks of 2025-11-25: the caller asks for a task, polls it, and fetches its result.

mod persisted;
mod process;
mod shared_store;
mod stored_first;

use crate::support::{Gate, Saying, greeted, greeted_with, plain_kit, server, spec, started, with};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, TaskMode, ToolError};
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitParams};
use hobnob_mcp_types::form::FormSchema;
use std::time::Duration;

const VERSION: &str = "2025-11-25";

/// Tasks are declared as soon as a tool may become one, and only to this revision.
#[tokio::test(start_paused = true)]
async fn tasks_are_declared_and_listed() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"${version}",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"${version}","capabilities":{
            "tools":{"listChanged":true},"logging":{}${tasks}},"serverInfo":"$any"}}
    "#;
    let declared = r#","tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}"#;
    for (version, tasks) in
        [("2024-11-05", ""), ("2025-03-26", ""), ("2025-06-18", ""), (VERSION, declared)]
    {
        let script = with(&[("version", version), ("tasks", tasks)], script);
        converse(&server([task_kit(&Gate::new())]), &script).await;
    }
}

/// From `working` to `completed`; the status is sent, and the result names its task.
#[tokio::test(start_paused = true)]
async fn a_task_goes_from_working_to_completed() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{"ttl":60000}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"$keep task","status":"working",
            "createdAt":"$has Z","lastUpdatedAt":"$has Z","ttl":60000,"pollInterval":"$any"}}}
        > {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":2,"result":{"taskId":${task},"status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":60000,"pollInterval":"$any"}}
        # The result waits for the end, and keeps nobody else waiting.
        > {"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":${task}}}
        !
        > {"jsonrpc":"2.0","id":4,"method":"ping"}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        do open
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":${task},
            "status":"completed","createdAt":"$any","lastUpdatedAt":"$any","ttl":60000,"pollInterval":"$any"}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"done"}],
            "_meta":{"io.modelcontextprotocol/related-task":{"taskId":${task}}}}}
        # It can be fetched again as long as it is kept.
        > {"jsonrpc":"2.0","id":5,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"done"}],
            "_meta":{"io.modelcontextprotocol/related-task":{"taskId":${task}}}}}
        > {"jsonrpc":"2.0","id":6,"method":"tasks/get","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":6,"result":{"taskId":${task},"status":"completed",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":60000,"pollInterval":"$any"}}
    "#;
    let gate = Gate::new();
    let server = server([task_kit(&gate)]);
    converse_doing(&server, &greeted(VERSION, script), |_| gate.open()).await;
    assert_eq!(gate.tally(), (1, 1, 0));
}

/// Only callers that ask for a task get one; a tool without tasks refuses to become one.
#[tokio::test(start_paused = true)]
async fn a_tool_says_whether_it_may_be_a_task() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"tools":[
            {"name":"asks","description":"$any","inputSchema":"$any","execution":{"taskSupport":"optional"}},
            {"name":"breaks","description":"$any","inputSchema":"$any","execution":{"taskSupport":"optional"}},
            {"name":"fails","description":"$any","inputSchema":"$any","execution":{"taskSupport":"optional"}},
            {"name":"may","description":"$any","inputSchema":"$any","execution":{"taskSupport":"optional"}},
            {"name":"must","description":"$any","inputSchema":"$any","execution":{"taskSupport":"required"}},
            {"name":"never","description":"$any","inputSchema":"$any"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"never","task":{}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"$has `never`"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"never"}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"here"}]}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"must"}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"$has `must`"}}
        do open
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"may"}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"done"}]}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"must","task":{}}}
        < {"jsonrpc":"2.0","id":6,"result":{"task":{"taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":3600000,"pollInterval":"$any"}}}
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
    "#;
    let gate = Gate::new();
    let server = server([task_kit(&gate)]);
    converse_doing(&server, &greeted(VERSION, script), |_| gate.open()).await;
}

/// Invalid calls and calls of unknown tools fail before they become tasks.
#[tokio::test(start_paused = true)]
async fn unfit_arguments_never_become_a_task() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"strict","arguments":{"text":7},"task":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"arguments.text: expected string, received integer 7"}],"isError":true}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nobody","task":{}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown tool: nobody"}}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/list"}
        < {"jsonrpc":"2.0","id":3,"result":{"tasks":[]}}
    "#;
    let strict = spec("strict").tasks(TaskMode::Optional);
    let kit = Kit::plain("strict").tool("strict", strict, async |saying: Saying| Ok(saying.text));
    converse(&server([kit]), &greeted(VERSION, script)).await;
}

/// A server that declares no tasks runs the call as an ordinary one.
#[tokio::test(start_paused = true)]
async fn without_the_capability_the_wish_is_ignored() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"task":{"ttl":1}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a"}]}}
    "#;
    converse(&server([plain_kit()]), &greeted(VERSION, script)).await;
}

/// Older revisions have no tasks: the request for one is ignored, the methods are not found.
#[tokio::test(start_paused = true)]
async fn older_revisions_know_no_tasks() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"never","task":{"ttl":1}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"here"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"must","task":{"ttl":1}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"$has `must`"}}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/list"}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"method not found: tasks/list"}}
        > {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"a"}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: tasks/get"}}
    "#;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        converse(&server([task_kit(&Gate::new())]), &greeted(version, script)).await;
    }
}

/// Cancelling really stops the work; a task that has ended can no longer be cancelled.
#[tokio::test(start_paused = true)]
async fn a_task_can_be_cancelled_once() {
    let script = r#"
        > {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":${task}}}
        !
        # Cancelling the request that asks is not cancelling the task, and the other way round.
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":3,"result":{"taskId":${task},"status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        > {"jsonrpc":"2.0","id":4,"method":"tasks/cancel","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":${task},"status":"cancelled",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        < {"jsonrpc":"2.0","id":4,"result":{"taskId":${task},"status":"cancelled",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":"$any","message":"$has cancelled"}}
        do dropped
        > {"jsonrpc":"2.0","id":5,"method":"tasks/cancel","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$has cancelled"}}
        > {"jsonrpc":"2.0","id":6,"method":"tasks/get","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":6,"result":{"taskId":${task},"status":"cancelled",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
    "#;
    let gate = Gate::new();
    let server = server([task_kit(&gate)]);
    converse_doing(&server, &greeted(VERSION, &started("may", script)), |_| {
        assert_eq!(gate.tally(), (1, 0, 1));
    })
    .await;
}

/// A waiting `tasks/result` may be cancelled like any request; the task continues.
#[tokio::test(start_paused = true)]
async fn waiting_for_a_result_may_be_given_up() {
    let script = r#"
        > {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":${task}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}
        do open
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        !
        > {"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"done"}],"_meta":"$any"}}
    "#;
    let gate = Gate::new();
    let server = server([task_kit(&gate)]);
    converse_doing(&server, &greeted(VERSION, &started("may", script)), |_| gate.open()).await;
}

/// A task whose tool reported a failure has completed, with that result. A protocol error or a
/// panic makes the task fail, and `tasks/result` returns the error.
#[tokio::test(start_paused = true)]
async fn failures_of_a_task_are_those_of_its_call() {
    let script = r#"
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":${task},"status":"${status}",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        > {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":2,${end}}
    "#;
    let failed = r#""result":{"content":[{"type":"text","text":"it broke"}],"isError":true,
        "_meta":{"io.modelcontextprotocol/related-task":{"taskId":${task}}}}"#;
    let failed = failed.replace('\n', "");
    let error = r#""error":{"code":-32602,"message":"bad job"}"#;
    for (tool, status, end) in
        [("fails", "completed", failed.as_str()), ("breaks", "failed", error)]
    {
        let script = with(&[("status", status)], &script.replace("${end}", end));
        let script = greeted(VERSION, &started(tool, &script));
        converse(&server([task_kit(&Gate::new())]), &script).await;
    }
}

/// A task with a question waits; the client that waits for its result is asked.
#[tokio::test(start_paused = true)]
async fn a_task_asks_through_whoever_waits_for_its_result() {
    let script = r#"
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":${task},"status":"input_required",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        !
        > {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":2,"result":{"taskId":${task},"status":"input_required",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":"$any","pollInterval":"$any"}}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":{"mode":"form",
            "message":"Really?","requestedSchema":{"type":"object","properties":{}},
            "_meta":{"io.modelcontextprotocol/related-task":{"taskId":${task}}}}}
        > {"jsonrpc":"2.0","id":${question},"result":{"action":"accept","content":{}}}
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"agreed"}],
            "_meta":{"io.modelcontextprotocol/related-task":{"taskId":${task}}}}}
    "#;
    let script = greeted_with(VERSION, r#"{"elicitation":{}}"#, &started("asks", script));
    converse(&server([task_kit(&Gate::new())]), &script).await;
}

/// A client that refuses the question gets the error that an ordinary call would get.
#[tokio::test(start_paused = true)]
async fn a_refused_question_fails_whoever_waits() {
    let script = r#"
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"error":{"code":-1,"message":"nobody is there"}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"$has nobody is there"}}
        # The question is still open; the next one who waits is asked again.
        > {"jsonrpc":"2.0","id":4,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"result":{"action":"decline"}}
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"not agreed"}],"_meta":"$any"}}
    "#;
    let script = greeted_with(VERSION, r#"{"elicitation":{}}"#, &started("asks", script));
    converse(&server([task_kit(&Gate::new())]), &script).await;
}

/// When a task ends, the wait for its result ends, and its open question is cancelled.
#[tokio::test(start_paused = true)]
async fn a_task_that_ends_takes_its_question_back() {
    let script = r#"
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        > {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/cancel","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        < {"jsonrpc":"2.0","id":3,"result":"$any"}
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${question}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"$has was cancelled"}}
        !
    "#;
    let script = greeted_with(VERSION, r#"{"elicitation":{}}"#, &started("asks", script));
    converse(&server([task_kit(&Gate::new())]), &script).await;
}

/// Two clients that wait are both asked; the first answer is enough.
#[tokio::test(start_paused = true)]
async fn one_answer_is_enough_for_all_who_wait() {
    let script = r#"
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        > {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":"$keep first","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":"$keep second","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${first},"result":{"action":"accept","content":{}}}
        # The status, the other question taken back, and both results, in whatever order they wake.
        < "$any"
        < "$any"
        < "$any"
        < "$any"
        !
    "#;
    let script = greeted_with(VERSION, r#"{"elicitation":{}}"#, &started("asks", script));
    converse(&server([task_kit(&Gate::new())]), &script).await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_task_is_a_bad_parameter() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"${method}","params":{"taskId":"nonsense"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has `nonsense`"}}
        > {"jsonrpc":"2.0","id":2,"method":"${method}","params":{}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"`params.taskId` must be a string"}}
    "#;
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let script = with(&[("method", method)], script);
        converse(&server([task_kit(&Gate::new())]), &greeted(VERSION, &script)).await;
    }
}

/// A task is kept as long as the caller asks, up to the server's limit.
#[tokio::test(start_paused = true)]
async fn a_task_is_kept_as_long_as_agreed() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":${task}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"$any","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":${ttl},"pollInterval":"$any"}}}
    "#;
    let limits = Limits { task_ttl: Duration::from_secs(100), ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = server.kit(task_kit(&Gate::new())).build().expect("a server");
    let wishes = [
        (r#"{"ttl":5000}"#, "5000"),
        (r#"{"ttl":100000}"#, "100000"),
        (r#"{"ttl":99999999999}"#, "100000"),
        (r#"{"ttl":null}"#, "100000"),
        ("{}", "100000"),
    ];
    for (task, ttl) in wishes {
        let script = with(&[("task", task), ("ttl", ttl)], script);
        converse(&server, &greeted(VERSION, &script)).await;
    }
    // A task with a time to live of zero is dropped at once, together with its work.
    let gate = Gate::new();
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{"ttl":0}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"$keep task","status":"working",
            "createdAt":"$any","lastUpdatedAt":"$any","ttl":0,"pollInterval":"$any"}}}
        do nothing
        > {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"$has no task"}}
        !
    "#;
    let server = crate::support::server([task_kit(&gate)]);
    converse_doing(&server, &greeted(VERSION, script), |_| ()).await;
    assert_eq!(gate.tally(), (1, 0, 1));
}

/// The list is paged, and contains only the session's own tasks.
#[tokio::test(start_paused = true)]
async fn tasks_are_listed_in_pages() {
    let create = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":"$any"}}
    "#;
    let list = r#"
        > {"jsonrpc":"2.0","id":2,"method":"tasks/list"}
        < {"jsonrpc":"2.0","id":2,"result":{"tasks":["$keep a","$keep b"],"nextCursor":"$keep next"}}
        > {"jsonrpc":"2.0","id":3,"method":"tasks/list","params":{"cursor":${next}}}
        < {"jsonrpc":"2.0","id":3,"result":{"tasks":["$keep c"]}}
        > {"jsonrpc":"2.0","id":4,"method":"tasks/list","params":{"cursor":"%%%"}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"$has `params.cursor`"}}
        # The same list again is the same.
        > {"jsonrpc":"2.0","id":5,"method":"tasks/list","params":{}}
        < {"jsonrpc":"2.0","id":5,"result":{"tasks":[${a},${b}],"nextCursor":${next}}}
    "#;
    let other = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tasks/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"tasks":[]}}
    "#;
    let limits = Limits { page: 2, ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = server.kit(task_kit(&Gate::new())).build().expect("a server");
    let script = greeted(VERSION, &format!("{}{list}!", create.repeat(3)));
    let other = greeted(VERSION, &format!("!\n{other}"));
    tokio::join!(converse(&server, &script), converse(&server, &other));
}

/// The end of a session ends its tasks.
#[tokio::test(start_paused = true)]
async fn tasks_end_with_their_session() {
    let gate = Gate::new();
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":"$any"}}
        !
    "#;
    converse(&server([task_kit(&gate)]), &greeted(VERSION, script)).await;
    hobnob_mcp_testkit::transcript::quiet().await;
    assert_eq!(gate.tally(), (1, 0, 1));
}

/// The number of tasks is limited; ended tasks make room for new ones.
#[tokio::test(start_paused = true)]
async fn tasks_are_bounded() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":1,"result":{"task":"$any"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":2,"result":{"task":"$any"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-31001,"message":"$has too many tasks"}}
        do open
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"may","task":{}}}
        < {"jsonrpc":"2.0","id":4,"result":{"task":"$any"}}
    "#;
    let gate = Gate::new();
    let limits = Limits { tasks: 2, ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = server.kit(task_kit(&gate)).build().expect("a server");
    converse_doing(&server, &greeted(VERSION, script), |_| gate.open()).await;
}

/// Tools of each task mode; `may` waits at a gate.
pub(crate) fn task_kit(gate: &Gate) -> KitBuilder {
    let gate = gate.clone();
    Kit::plain("tasks")
        .tool("never", spec("never"), async || Ok("here"))
        .tool("may", spec("may").tasks(TaskMode::Optional), move || {
            let gate = gate.clone();
            async move {
                gate.pass().await;
                Ok("done")
            }
        })
        .tool("must", spec("must").tasks(TaskMode::Required), async || Ok("done"))
        .tool("fails", spec("fails").tasks(TaskMode::Optional), async || {
            Err::<String, _>(ToolError::failed("it broke"))
        })
        .tool("breaks", spec("breaks").tasks(TaskMode::Optional), async || {
            Err::<String, _>(ToolError::params("bad job"))
        })
        .tool("asks", spec("asks").tasks(TaskMode::Optional), async |context: Context| {
            let question = ElicitParams::form("Really?", FormSchema::new());
            let answer = context.elicit_with("sure", question)?;
            let agreed = answer.action == ElicitAction::Accept;
            Ok(if agreed { "agreed" } else { "not agreed" })
        })
}
