//! `tools/call`: invalid calls, failing tools, panics, and calls that wait.

use crate::support::{Gate, LEGACY, greeted, modern, plain_kit, server, spec, with};
use hobnob_mcp_engine::Arrival;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{CompletionRequest, Context, Kit, KitBuilder, Structured, ToolError};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use tokio::sync::watch;

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_a_protocol_error() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nonexistent_tool"${meta}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: nonexistent_tool"}}
        # Names are exact.
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Echo"${meta}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unknown tool: Echo"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":""${meta}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown tool: "}}
    "#;
    in_all_revisions(&[plain_kit], script).await;
}

/// Parameters that are not those of a call never reach a tool, in any revision.
#[tokio::test(start_paused = true)]
async fn a_call_without_its_shape_is_a_protocol_error() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}${meta}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`params.name` must be a string"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7${meta}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"`params.name` must be a string"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":["a"]${meta}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"`params.arguments` must be an object",
            "data":{"problems":[{"path":"arguments","expected":"object","received":"array"}]}}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":"a"${meta}}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"`params.arguments` must be an object",
            "data":{"problems":[{"path":"arguments","expected":"object","received":"string"}]}}}
    "#;
    in_all_revisions(&[plain_kit], script).await;
}

/// Invalid arguments are a protocol error until 2025-06-18; since then the model can correct them
/// (SEP-1303). The text is the same: path, what was expected, what was received.
#[tokio::test(start_paused = true)]
async fn unfit_arguments_are_named_by_path() {
    let cases = [
        (
            r#"{}"#,
            "arguments.text: expected a value, received nothing",
            r#"[{"path":"arguments.text","expected":"a value","received":"nothing"}]"#,
        ),
        (
            r#"{"text":7}"#,
            "arguments.text: expected string, received integer 7",
            r#"[{"path":"arguments.text","expected":"string","received":"integer"}]"#,
        ),
        (
            r#"{"text":null}"#,
            "arguments.text: expected string, received null",
            r#"[{"path":"arguments.text","expected":"string","received":"null"}]"#,
        ),
        (
            r#"{"text":"a","colour":"red"}"#,
            r#"arguments.colour: expected no such property, received string \"red\""#,
            r#"[{"path":"arguments.colour","expected":"no such property","received":"string"}]"#,
        ),
        (
            r#"{"text":[1,2]}"#,
            "arguments.text: expected string, received array of 2",
            r#"[{"path":"arguments.text","expected":"string","received":"array"}]"#,
        ),
        (
            r#"{"Text":"a"}"#,
            "$has arguments.text: expected a value, received nothing",
            r#"[{"path":"arguments.Text","expected":"no such property","received":"string"},
                {"path":"arguments.text","expected":"a value","received":"nothing"}]"#,
        ),
    ];
    let ask = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",
            "arguments":${arguments}${meta}}}
    "#;
    let refused = r#"
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"${problem}",
            "data":{"problems":${list}}}}
    "#;
    let failed = r#"
        < {"jsonrpc":"2.0","id":1,"result":{${type}"content":[{"type":"text","text":"${problem}"}],
            "isError":true${us}}}
    "#;
    for (arguments, problem, list) in cases {
        let words = [("arguments", arguments), ("problem", problem), ("list", list)];
        for version in LEGACY {
            let answer = if version == "2025-11-25" { failed } else { refused };
            let script = with(&words, &format!("{EMPTY_LETS}{ask}{answer}"));
            converse(&server([plain_kit()]), &greeted(version, &script)).await;
        }
        let script = with(&words, &format!("{LETS}{ask}{failed}"));
        converse(&server([plain_kit()]), &modern(&script)).await;
    }
}

/// Problems in nested values, ranges and choices are reported as well.
#[tokio::test(start_paused = true)]
async fn unfit_arguments_are_named_wherever_they_are() {
    let cases = [
        (
            r#"{"count":0,"kind":"small","tags":[],"inner":{"deep":1}}"#,
            "arguments.count: expected at least 1, received integer 0",
        ),
        (
            r#"{"count":1.5,"kind":"small","tags":[],"inner":{"deep":1}}"#,
            "arguments.count: expected integer, received number 1.5",
        ),
        (
            r#"{"count":1,"kind":"tiny","tags":[],"inner":{"deep":1}}"#,
            "$has arguments.kind: expected one of",
        ),
        (
            r#"{"count":1,"kind":"small","tags":["a",2],"inner":{"deep":1}}"#,
            "arguments.tags[1]: expected string, received integer 2",
        ),
        (
            r#"{"count":1,"kind":"small","tags":[],"inner":{"deep":true}}"#,
            "arguments.inner.deep: expected integer, received boolean true",
        ),
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order","arguments":${arguments}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${problem}"}],"isError":true}}
    "#;
    for (arguments, problem) in cases {
        let script = with(&[("arguments", arguments), ("problem", problem)], script);
        converse(&server([order_kit()]), &greeted("2025-11-25", &script)).await;
    }
}

/// A tool without arguments may be called without any.
#[tokio::test(start_paused = true)]
async fn a_call_without_arguments_is_a_call_with_none() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"${meta}}}
        < {"jsonrpc":"2.0","id":1,"result":{${type}"content":[]${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nothing","arguments":{}${meta}}}
        < {"jsonrpc":"2.0","id":2,"result":{${type}"content":[]${us}}}
    "#;
    in_all_revisions(&[order_kit], script).await;
}

/// The two kinds of errors: a tool that ran and failed is a result.
#[tokio::test(start_paused = true)]
async fn a_failing_tool_is_a_result() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail"${meta}}}
        < {"jsonrpc":"2.0","id":1,"result":{${type}
            "content":[{"type":"text","text":"error: task not found: task_xyz"}],"isError":true${us}}}
    "#;
    in_all_revisions(&[plain_kit], script).await;
}

/// Only the caller learns of a panic, without its message, and no other call is affected.
#[tokio::test(start_paused = true)]
async fn a_panicking_tool_ends_only_its_own_call() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"${meta}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"crash"${meta}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"internal error"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"crash"${meta}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"internal error"}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"text":"on"}${meta}}}
        < {"jsonrpc":"2.0","id":4,"result":{${type}"content":[{"type":"text","text":"on"}]${us}}}
        do open
        < {"jsonrpc":"2.0","id":1,"result":{${type}"content":[{"type":"text","text":"through"}]${us}}}
    "#;
    for script in revisions(script) {
        let gate = Gate::new();
        let server = server([plain_kit(), gate.kit()]);
        converse_doing(&server, &script, |_| gate.open()).await;
        assert_eq!(gate.tally(), (1, 1, 0));
    }
}

/// A panic in a resource, a prompt, a completion or a blocking tool is caught in the same way.
#[tokio::test(start_paused = true)]
async fn a_panic_anywhere_is_an_internal_error() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://crash"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}
        > {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"crash","arguments":{}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"internal error"}}
        > {"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{
            "ref":{"type":"ref/prompt","name":"crash"},"argument":{"name":"a","value":""}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"internal error"}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"blocking_crash"}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error"}}
        > {"jsonrpc":"2.0","id":5,"method":"ping"}
        < {"jsonrpc":"2.0","id":5,"result":{}}
    "#;
    converse(&server([crashing_kit()]), &greeted("2025-06-18", script)).await;
}

/// A slow tool delays neither `ping` nor another call.
#[tokio::test(start_paused = true)]
async fn a_slow_tool_delays_nothing() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        !
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"a"}]}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":4,"result":"$any"}
        do open
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"through"}]}}
    "#;
    for version in LEGACY {
        let gate = Gate::new();
        let server = server([plain_kit(), gate.kit()]);
        converse_doing(&server, &greeted(version, script), |_| gate.open()).await;
    }
}

/// Calls that are running when the input ends are finished.
#[tokio::test(start_paused = true)]
async fn calls_begun_before_the_end_are_still_answered() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        end
        do open
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"through"}]}}
    "#;
    let gate = Gate::new();
    let server = server([gate.kit()]);
    converse_doing(&server, &greeted("2025-11-25", script), |_| gate.open()).await;
    assert_eq!(gate.tally(), (1, 1, 0));
}

/// A call that never ends is cancelled some time after the input has ended.
#[tokio::test(start_paused = true)]
async fn calls_that_never_end_are_dropped_at_last() {
    let gate = Gate::new();
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        end
        !
    "#;
    converse(&server([gate.kit()]), &greeted("2025-11-25", script)).await;
    assert_eq!(gate.tally(), (1, 0, 1));
}

/// A result that contradicts its tool's output schema is the server's fault, not the model's.
#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_its_schema_is_an_internal_error() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"liar"${meta}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}
    "#;
    in_all_revisions(&[order_kit], script).await;
}

/// A tool may fail with an error code of its own.
#[tokio::test(start_paused = true)]
async fn a_tool_may_fail_as_a_protocol_error() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"refuse"${meta}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid namespace: unknown"}}
    "#;
    in_all_revisions(&[order_kit], script).await;
}

/// Texts that are empty for legacy requests and contain what every modern message must have.
const EMPTY_LETS: &str = "let meta =\nlet type =\nlet us =\n";
const LETS: &str = "let meta = ,${me}\nlet type = \"resultType\":\"complete\",\nlet us = ,${us}\n";

/// The same script in each revision.
fn revisions(script: &str) -> Vec<String> {
    let legacy = LEGACY.iter().map(|version| greeted(version, &format!("{EMPTY_LETS}{script}")));
    legacy.chain([modern(&format!("{LETS}{script}"))]).collect()
}

/// Calls know the order in which they came in, no matter which of them runs first.
#[tokio::test(start_paused = true)]
async fn calls_that_run_backwards_know_their_order() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"turn","arguments":{"number":1}${meta}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"turn","arguments":{"number":2}${meta}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"turn","arguments":{"number":3}${meta}}}
        < {"jsonrpc":"2.0","id":3,"result":"$any"}
        < {"jsonrpc":"2.0","id":2,"result":"$any"}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
    "#;
    for script in revisions(script) {
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        converse(&server([backwards_kit(&arrivals)]), &script).await;
        let arrivals = arrivals.lock();
        assert!(arrivals.len() == 3 && arrivals.is_sorted_by(|one, next| one > next));
    }
}

/// A kit with the tool `turn`, whose calls 1 to 3 end in reverse order.
fn backwards_kit(arrivals: &Arc<Mutex<Vec<Arrival>>>) -> KitBuilder {
    let (arrivals, next) = (Arc::clone(arrivals), watch::Sender::new(3));
    Kit::plain("backwards").tool("turn", spec("turn"), move |turn: Turn, context: Context| {
        let (arrivals, next) = (Arc::clone(&arrivals), next.clone());
        async move {
            drop(next.subscribe().wait_for(|next| *next == turn.number).await);
            arrivals.lock().push(context.caller().arrival);
            next.send_modify(|next| *next -= 1);
            Ok("done")
        }
    })
}

/// Which of several calls it is.
#[derive(Debug, Deserialize, JsonSchema)]
struct Turn {
    /// The first is 1.
    number: u32,
}

async fn in_all_revisions(kits: &[fn() -> KitBuilder], script: &str) {
    for script in revisions(script) {
        converse(&server(kits.iter().map(|kit| kit())), &script).await;
    }
}

/// An order.
#[derive(Debug, Deserialize, JsonSchema)]
struct Order {
    /// How many.
    #[schemars(range(min = 1))]
    #[serde(rename = "count")]
    _count: u32,
    /// The kind of the order.
    #[serde(rename = "kind")]
    _kind: Size,
    /// Words on it.
    #[serde(rename = "tags")]
    _tags: Vec<String>,
    /// More of it.
    #[serde(rename = "inner")]
    _inner: Inner,
}

/// A size.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

/// Something inside.
#[derive(Debug, Deserialize, JsonSchema)]
struct Inner {
    /// How deep.
    #[serde(rename = "deep")]
    _deep: u32,
}

fn order_kit() -> KitBuilder {
    let sum = json!({"type": "object", "properties": {"sum": {"type": "integer"}}});
    Kit::plain("orders")
        .tool("order", spec("order"), async |_: Order| Ok("ordered"))
        .tool("nothing", spec("nothing"), async || Ok(()))
        .tool("liar", spec("liar").output_schema(sum), async || Structured(json!({"sum": "many"})))
        .tool("refuse", spec("refuse"), async || {
            Err::<String, _>(ToolError::params("Invalid namespace: unknown"))
        })
}

fn crashing_kit() -> KitBuilder {
    Kit::plain("crashing")
        .resource("test://crash", "crash", async || -> String { panic!("a bug") })
        .prompt("crash", "Crashes.", async |_: Crash| -> String { panic!("a bug") })
        .complete("crash", "a", async |_: CompletionRequest| -> Vec<String> { panic!("a bug") })
        .blocking_tool("blocking_crash", spec("blocking_crash"), || -> String { panic!("a bug") })
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the prompt crashes before it looks at it")]
struct Crash {
    /// Any.
    a: Option<String>,
}
