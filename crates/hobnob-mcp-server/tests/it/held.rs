//! What a service keeps open for its question: when it is closed, kept or withdrawn.

use crate::probe_service::probe;
use crate::support::{greeted_with, modern, started, started_modern};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_testkit::transcript::converse_doing;

const BOTH: &str = r#"{"roots":{},"elicitation":{}}"#;

async fn play(script: &str) {
    let (server, probe) = probe(Limits::default());
    converse_doing(&server, script, |deed| probe.act(deed)).await;
}

/// The call of `hold` and its question, whose id is kept as `form`.
const ASKED: &str = r#"
    > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold"}}
    < {"jsonrpc":"2.0","id":"$keep form","method":"elicitation/create","params":"$any"}
    do received .
"#;

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_lets_go() {
    let script = r#"
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${form}}}
        do received gone
    "#;
    play(&greeted_with("2025-06-18", BOTH, &format!("{ASKED}{script}"))).await;
}

#[tokio::test(start_paused = true)]
async fn an_answered_call_goes_on_first() {
    let script = r#"
        > {"jsonrpc":"2.0","id":${form},"result":{"action":"accept"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"answered"}]}}
    "#;
    play(&greeted_with("2025-06-18", BOTH, &format!("{ASKED}{script}"))).await;
}

/// The service withdraws its question, and is called again without an answer.
#[tokio::test(start_paused = true)]
async fn a_question_is_taken_back() {
    let script = r#"
        do withdraw it
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${form}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"went on without you"}]}}
    "#;
    play(&greeted_with("2025-06-18", BOTH, &format!("{ASKED}{script}"))).await;
}

/// A modern client answers with another request, so the end of this request closes nothing.
#[tokio::test(start_paused = true)]
async fn a_modern_question_outlives_its_request() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hold",${can ask}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required",
            "inputRequests":"$any","requestState":"$keep state",${us}}}
        do received .
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hold",
            "requestState":${state},"inputResponses":{"form":{"action":"accept"}},${can ask}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",
            "content":[{"type":"text","text":"answered"}],${us}}}
        do received .
    "#;
    play(&modern(script)).await;
}

/// A waiting task closes what it holds when it is cancelled; a withdrawn question lets it go on.
#[tokio::test(start_paused = true)]
async fn a_task_holds_too() {
    let stopped = r#"
        do received .
        > {"jsonrpc":"2.0","id":2,"method":"tasks/cancel","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",${us}}}
        do received gone
    "#;
    play(&started_modern("hold", stopped)).await;
    let taken_back = r#"
        do received .
        do withdraw it
        > {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","taskId":${task},
            "status":"completed","createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any",
            "pollIntervalMs":"$any","result":{"content":[{"type":"text",
            "text":"went on without you"}]},${us}}}
    "#;
    play(&started_modern("hold", taken_back)).await;
}

/// A task learns what its caller cannot be asked, just as a call does.
#[tokio::test(start_paused = true)]
async fn a_task_learns_what_cannot_be_asked() {
    let script = r#"
        do received .
        > {"jsonrpc":"2.0","id":2,"method":"tasks/update","params":{"taskId":${task},
            "inputResponses":{"form":{"action":"accept"}},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",${us}}}
        do received .
        > {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","taskId":${task},
            "status":"completed","createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any",
            "pollIntervalMs":"$any","result":{"content":[{"type":"text","text":
            "form: answered, roots: -32021 the client did not declare a capability this needs, held"}]},
            ${us}}}
    "#;
    play(&started_modern("insist", script)).await;
}

/// 2025-11-25: if a client refuses a task's question, its other questions stay open.
#[tokio::test(start_paused = true)]
async fn a_task_learns_of_a_refusal() {
    let script = r#"
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        > {"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":${task}}}
        < {"jsonrpc":"2.0","id":"$keep form","method":"elicitation/create","params":"$any"}
        < {"jsonrpc":"2.0","id":"$keep roots","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${form},"error":{"code":-1,"message":"no"}}
        > {"jsonrpc":"2.0","id":${roots},"result":{"roots":[]}}
        < {"jsonrpc":"2.0","method":"notifications/tasks/status","params":"$any"}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text",
            "text":"form: -1 no, roots: answered, held"}],"_meta":"$any"}}
    "#;
    play(&greeted_with("2025-11-25", BOTH, &started("insist", script))).await;
}

/// An upstream server may ask more often than a tool of this server.
#[tokio::test(start_paused = true)]
async fn many_rounds_of_a_server_behind() {
    let round = r#"
        < {"jsonrpc":"2.0","id":"$keep roots","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${roots},"result":{"roots":[]}}
    "#;
    let begin = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"often"}}"#;
    let end =
        r#"< {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"enough"}]}}"#;
    let script = format!("{begin}\n{}\n{end}", round.repeat(50));
    play(&greeted_with("2025-06-18", BOTH, &script)).await;
}

/// The `_meta` of a result is also part of a task's result.
#[tokio::test(start_paused = true)]
async fn a_tasks_result_keeps_its_meta() {
    let script = r#"
        do received .
        > {"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"taskId":${task},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","taskId":${task},
            "status":"completed","createdAt":"$any","lastUpdatedAt":"$any","ttlMs":"$any",
            "pollIntervalMs":"$any","result":{"content":[{"type":"text","text":"ours"}],
            "_meta":{"a.example/label":7}},${us}}}
    "#;
    play(&started_modern("labelled", script)).await;
}

/// Progress only grows, even if an upstream server reports less, and over all rounds.
#[tokio::test(start_paused = true)]
async fn progress_never_goes_back() {
    let script = r#"
        let progress = "jsonrpc":"2.0","method":"notifications/progress"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wavering",
            "_meta":{"progressToken":"p"}}}
        < {${progress},"params":{"progressToken":"p","progress":1}}
        < {${progress},"params":{"progressToken":"p","progress":3}}
        < {"jsonrpc":"2.0","id":"$keep roots","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${roots},"result":{"roots":[]}}
        < {${progress},"params":{"progressToken":"p","progress":4}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}
    "#;
    play(&greeted_with("2025-06-18", BOTH, script)).await;
}
