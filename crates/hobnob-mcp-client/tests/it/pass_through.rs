//! What passes through a client unchanged, and what belongs to one hop and does not pass.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use crate::script::{Opening, Scene};
use crate::support::{LEGACY, MODERN, Noting, call};
use hobnob_mcp_client::{ExecutionMode, ForwardOptions, Forwarded, Rename};
use hobnob_mcp_engine::{Answer, Call, CallTrace, Notes, Outcome};
use hobnob_mcp_types::trace_context::{SpanId, TraceParent};
use hobnob_mcp_types::{Method, Revision};
use serde_json::{Value, json};
use std::num::NonZeroU64;
use std::sync::Arc;

/// Members in an unusual spelling and an unusual order.
const ODD: &str = r#""zebra":1,"arguments":{"b":1.0,"a":[1e400,-0,12345678901234567890123],"t":"\u00e9\/","nested":{"z":{},"y":null}},"name":"odd","Ärger":"ß","vendor.x":[ 1 , 2 ]"#;

/// The span of a caller.
const TRACEPARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

async fn exchange(
    revision: Revision,
    params: &str,
    forward: ForwardOptions<'_>,
    notes: &Notes,
    result: &str,
) -> (String, Answer) {
    exchange_of(revision, &call(Method::ToolsCall, params), forward, notes, result).await
}

async fn exchange_of(
    revision: Revision,
    call: &Call,
    forward: ForwardOptions<'_>,
    notes: &Notes,
    result: &str,
) -> (String, Answer) {
    let Scene { mut script, remote, .. } = Opening::new().open(revision).await;
    let mut line = String::new();
    let serve = async {
        line = script.line().await;
        let id = serde_json::from_str::<Value>(&line).map(|asked| asked["id"].clone());
        let id = id.unwrap_or_else(|_| json!(2));
        script.send_line(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
    };
    let (done, ()) = tokio::join!(remote.forward(call, &forward, notes), serve);
    match done.unwrap() {
        Forwarded::Outcome(Outcome::Complete(answer)) => (line, answer),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn parameters_pass_byte_for_byte() {
    let params = format!("{{{ODD}}}");
    let silent = Notes::silent();
    let (line, _) = exchange(LEGACY, &params, ForwardOptions::default(), &silent, "{}").await;
    let whole = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{{ODD},"_meta":{{"progressToken":2}}}}}}"#
    );
    assert_eq!(line, whole);
    let (line, _) = exchange(MODERN, &params, ForwardOptions::default(), &silent, "{}").await;
    let begins =
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{{ODD},"_meta":{{"#);
    assert!(line.starts_with(&begins), "{line}");
}

#[tokio::test(start_paused = true)]
async fn results_pass_byte_for_byte() {
    let silent = Notes::silent();
    for revision in [LEGACY, MODERN] {
        let result = format!("{{{ODD}}}");
        let (_, answer) =
            exchange(revision, "{}", ForwardOptions::default(), &silent, &result).await;
        assert_eq!(answer.body, result);
        assert!(answer.meta.is_none());
        assert_eq!(answer.floor, revision);
        // Members for this hop are removed; all others stay unchanged and in place.
        let hop = format!(
            r#"{{"_meta":{{"vendor/x":1.50,"io.modelcontextprotocol/serverInfo":{{"name":"s","version":"1"}},"io.modelcontextprotocol/related-task":{{"taskId":"t"}}}},"resultType":"complete",{ODD},"ttlMs":5,"cacheScope":"public"}}"#
        );
        let (_, answer) = exchange(revision, "{}", ForwardOptions::default(), &silent, &hop).await;
        assert_eq!(answer.body, result);
        assert_eq!(answer.meta.unwrap().get(), r#"{"vendor/x":1.50}"#);
        assert!(answer.cache.is_none(), "a tool's answer is never cached");
    }
}

#[tokio::test(start_paused = true)]
async fn meta_of_others_passes_and_meta_of_a_hop_does_not() {
    let meta = json!({
        "traceparent": TRACEPARENT,
        "tracestate": "rojo=1",
        "vendor/x": {"deep": [1]},
        "progressToken": "theirs",
        "io.modelcontextprotocol/protocolVersion": "1999-01-01",
        "io.modelcontextprotocol/clientInfo": {"name": "somebody", "version": "9"},
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}},
        "io.modelcontextprotocol/logLevel": "debug",
        "io.modelcontextprotocol/related-task": {"taskId": "x"},
        "io.modelcontextprotocol/subscriptionId": "s",
    });
    let params = json!({"name": "x", "_meta": meta, "task": {"ttl": 1}, "inputResponses": {},
        "requestState": "theirs"})
    .to_string();
    for revision in [LEGACY, MODERN] {
        for wants_notes in [false, true] {
            let (noting, _noted) = Noting::notes();
            let notes = if wants_notes { noting } else { Notes::silent() };
            let (line, _) =
                exchange(revision, &params, ForwardOptions::default(), &notes, "{}").await;
            let asked: Value = serde_json::from_str(&line).unwrap();
            let mut wanted = json!({
                "traceparent": TRACEPARENT, "tracestate": "rojo=1", "vendor/x": {"deep": [1]}});
            // Progress lets the call take longer, even if the caller does not want it.
            wanted["progressToken"] = asked["id"].clone();
            if revision == MODERN {
                wanted["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
                wanted["io.modelcontextprotocol/clientInfo"] =
                    json!({"name": "tester", "version": "1"});
                wanted["io.modelcontextprotocol/clientCapabilities"] = json!({
                    "roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}},
                    "extensions": {"io.modelcontextprotocol/tasks": {}},
                });
            }
            assert_eq!(asked["params"], json!({"name": "x", "_meta": wanted}));
        }
    }
}

/// The context that the server gets in `_meta`: its `traceparent` and its `tracestate`.
async fn context_of(revision: Revision, call: &Call) -> [Value; 2] {
    let silent = Notes::silent();
    let (line, _) = exchange_of(revision, call, ForwardOptions::default(), &silent, "{}").await;
    let asked: Value = serde_json::from_str(&line).unwrap();
    ["traceparent", "tracestate"].map(|key| asked["params"]["_meta"][key].clone())
}

#[tokio::test(start_paused = true)]
async fn a_malformed_context_does_not_pass() {
    for (parent, state, passes) in [
        (json!(TRACEPARENT), json!("rojo=1"), [true, true]),
        (json!(TRACEPARENT), json!("\u{7}"), [true, false]),
        (json!(TRACEPARENT), json!({}), [true, false]),
        (json!(TRACEPARENT), json!("a=b,".repeat(200)), [true, false]),
        (json!("00-ab-cd-01"), json!("rojo=1"), [false, false]),
        (json!(format!("{TRACEPARENT}-more")), json!("rojo=1"), [false, false]),
        (json!([TRACEPARENT]), json!("rojo=1"), [false, false]),
    ] {
        let params =
            json!({"name": "x", "_meta": {"traceparent": parent, "tracestate": state}}).to_string();
        for revision in [LEGACY, MODERN] {
            let got = context_of(revision, &call(Method::ToolsCall, &params)).await;
            assert_eq!(got.map(|it| !it.is_null()), passes, "{params}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_span_of_a_traced_call_replaces_its_callers_context() {
    let from = TraceParent::parse(TRACEPARENT).unwrap();
    let trace = CallTrace {
        trace: from.trace,
        parent: Some(from.span),
        server_span: SpanId::new(NonZeroU64::MAX),
        client_span: SpanId::new(NonZeroU64::MIN),
        flags: from.flags,
        tracestate: Some("rojo=1".into()),
    };
    let meta = json!({"traceparent": TRACEPARENT, "tracestate": "other=2"});
    for params in [json!({"name": "x", "_meta": meta}), json!({"name": "x"})] {
        let mut traced = call(Method::ResourcesRead, &params.to_string());
        traced.caller.trace = Some(Arc::new(trace.clone()));
        for revision in [LEGACY, MODERN] {
            let parent = "00-0af7651916cd43dd8448eb211c80319c-0000000000000001-01";
            assert_eq!(context_of(revision, &traced).await, [json!(parent), json!("rojo=1")]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_gateway_may_rename_and_ask_for_a_task() {
    let silent = Notes::silent();
    let params = r#"{"a":1,"name":"server__tool","b":2}"#;
    let rename = || Some(Rename { key: "name", value: r#""tool""# });
    let forward = ForwardOptions { rename: rename(), ..ForwardOptions::default() };
    let (line, _) = exchange(LEGACY, params, forward, &silent, "{}").await;
    assert!(
        line.ends_with(r#""params":{"a":1,"name":"tool","b":2,"_meta":{"progressToken":2}}}"#),
        "{line}"
    );
    let as_task = || ForwardOptions {
        rename: rename(),
        mode: ExecutionMode::Task,
        ..ForwardOptions::default()
    };
    let (line, _) = exchange(LEGACY, params, as_task(), &silent, "{}").await;
    assert!(line.ends_with(r#""b":2,"task":{},"_meta":{"progressToken":2}}}"#), "{line}");
    // Only in 2025-11-25 can the caller ask for a task.
    for revision in [Revision::V2025_06_18, MODERN] {
        let (line, _) = exchange(revision, params, as_task(), &silent, "{}").await;
        let asked: Value = serde_json::from_str(&line).unwrap();
        assert!(asked["params"].get("task").is_none(), "{line}");
    }
}
