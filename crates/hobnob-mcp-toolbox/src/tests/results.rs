//! Handlers' results as callers get them, and the oldest revision that understands each.

use super::{Bench, call_of};
use crate::schema::output_schema_of;
use crate::{IntoToolResult, Kit, Structured, ToolError, ToolSpec};
use hobnob_mcp_engine::{CallError, Outcome};
use hobnob_mcp_types::content::{Content, TextContent};
use hobnob_mcp_types::resources::{Resource, ResourceContents};
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_mcp_types::{ErrorCode, Method, Revision, RpcError};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

fn returning<T: IntoToolResult>(make: fn() -> Result<T, ToolError>) -> Bench {
    Bench::new([Kit::plain("k").tool("t", "Returns it", move || async move { make() })])
}

#[tokio::test]
async fn results_know_the_oldest_revision_that_takes_them() {
    use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
    let image = json!({"type": "image", "data": "AA==", "mimeType": "image/png"});
    let text = json!({"type": "text", "text": "a"});
    for (bench, floor, expected) in [
        (returning(|| Ok("a")), V2024_11_05, json!({"content": [text]})),
        (
            returning(|| Ok("a\"\n\u{1}é".to_owned())),
            V2024_11_05,
            json!({"content": [{"type": "text", "text": "a\"\n\u{1}é"}]}),
        ),
        (returning(|| Ok(())), V2024_11_05, json!({"content": []})),
        (
            returning(|| Ok(Content::image("AA==", "image/png"))),
            V2024_11_05,
            json!({"content": [image]}),
        ),
        (
            returning(|| Ok(vec![Content::text("a"), Content::audio("AA==", "audio/wav")])),
            V2025_03_26,
            json!({"content": [text, {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}]}),
        ),
        (
            returning(|| Ok(Content::link(Resource::new("a:b", "b")))),
            V2025_06_18,
            json!({"content": [{"type": "resource_link", "uri": "a:b", "name": "b"}]}),
        ),
        (
            returning(|| Ok(Content::resource(ResourceContents::text("a:b", "text/plain", "c")))),
            V2024_11_05,
            json!({"content": [{"type": "resource",
                "resource": {"uri": "a:b", "mimeType": "text/plain", "text": "c"}}]}),
        ),
        (
            returning(|| {
                let meta = to_raw_value(&json!({"a": 1})).ok();
                Ok(Content::Text(TextContent { text: "a".into(), annotations: None, meta }))
            }),
            V2025_06_18,
            json!({"content": [{"type": "text", "text": "a", "_meta": {"a": 1}}]}),
        ),
        (
            returning(|| {
                let icon = serde_json::from_value(json!({"src": "https://x.test/i.png"}))?;
                Ok(Content::link(Resource { icons: vec![icon], ..Resource::new("a:b", "b") }))
            }),
            V2025_11_25,
            json!({"content": [{"type": "resource_link", "uri": "a:b", "name": "b",
            "icons": [{"src": "https://x.test/i.png"}]}]}),
        ),
        (
            returning(|| Ok(Structured(json!({"n": 1})))),
            V2025_06_18,
            json!({"content": [{"type": "text", "text": "{\"n\":1}"}], "structuredContent": {"n": 1}}),
        ),
        (
            returning(|| Ok(Structured(vec![1, 2]))),
            V2026_07_28,
            json!({"content": [{"type": "text", "text": "[1,2]"}], "structuredContent": [1, 2]}),
        ),
        (
            returning(|| Ok(CallToolResult::structured(to_raw_value(&json!(null))?))),
            V2026_07_28,
            json!({"content": [{"type": "text", "text": "null"}], "structuredContent": null}),
        ),
        (
            returning(|| Err::<(), _>(ToolError::failed("no luck"))),
            V2024_11_05,
            json!({"content": [{"type": "text", "text": "no luck"}], "isError": true}),
        ),
    ] {
        match bench.ask(Method::ToolsCall, json!({"name": "t"})).await {
            Ok(Outcome::Complete(answer)) => {
                assert_eq!(serde_json::from_str::<Value>(&answer.body).unwrap(), expected);
                assert_eq!(answer.floor, floor, "{expected}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn metadata_travels_beside_the_body() {
    let bench = returning(|| {
        Ok(CallToolResult {
            meta: to_raw_value(&json!({"a": 1})).ok(),
            ..CallToolResult::text("a")
        })
    });
    match bench.ask(Method::ToolsCall, json!({"name": "t"})).await {
        Ok(Outcome::Complete(answer)) => {
            assert_eq!(answer.meta.unwrap().get(), r#"{"a":1}"#);
            assert_eq!(answer.body, r#"{"content":[{"type":"text","text":"a"}]}"#);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn errors_keep_their_kind() {
    let failure =
        |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
    for (bench, expected) in [
        (
            returning(|| Ok("x".parse::<u8>()?.to_string())),
            failure("invalid digit found in string"),
        ),
        (
            returning(|| Err::<(), _>(CallError::params("not that").into())),
            json!({"code": -32602, "message": "not that"}),
        ),
        (
            returning(|| Err::<(), _>(RpcError::new(ErrorCode(-32605), "a secret").into())),
            json!({"code": -32605, "message": "a secret"}),
        ),
        (
            returning(|| Err::<(), _>(ToolError::params("nor that"))),
            json!({"code": -32602, "message": "nor that"}),
        ),
    ] {
        assert_eq!(bench.shown(call_of("t", json!({}))).await, expected);
    }
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    /// In degrees.
    temperature: f64,
}

#[tokio::test]
async fn structured_results_fit_their_schema_or_are_our_fault() {
    let internal = json!({"code": -32603, "message": "internal error"});
    fn declared<T: IntoToolResult>(make: fn() -> Result<T, ToolError>) -> Bench {
        let schema = output_schema_of::<Weather>().unwrap();
        let spec = ToolSpec::new("Tells the weather").output_schema(schema);
        Bench::new([Kit::plain("k").tool("t", spec, move || async move { make() })])
    }
    for (bench, expected) in [
        (
            declared(|| Ok(Structured(Weather { temperature: 1.5 }))),
            json!({"content": [{"type": "text", "text": "{\"temperature\":1.5}"}],
                "structuredContent": {"temperature": 1.5}}),
        ),
        (declared(|| Ok(Structured(json!({"temperature": "warm"})))), internal.clone()),
        (declared(|| Ok("warm")), internal.clone()),
        (declared(|| Ok(CallToolResult::text("warm"))), internal),
        (
            declared(|| Err::<(), _>(ToolError::failed("no sky"))),
            json!({"content": [{"type": "text", "text": "no sky"}], "isError": true}),
        ),
    ] {
        assert_eq!(bench.shown(call_of("t", json!({}))).await, expected);
    }
    let typed = returning(|| Ok(Structured(Weather { temperature: 1.5 })));
    let listed = typed.shown(super::call(Method::ToolsList, json!({}))).await;
    assert_eq!(
        listed["tools"][0]["outputSchema"],
        json!({
            "type": "object",
            "properties": {"temperature": {"description": "In degrees.", "type": "number"}},
            "required": ["temperature"],
            "additionalProperties": false,
        })
    );
}

#[tokio::test]
async fn blocking_tools_get_a_thread_of_their_own() {
    let kit = Kit::plain("k")
        .blocking_tool("t", "Blocks", || format!("{:?}", std::thread::current().id()));
    let bench = Bench::new([kit]);
    let shown = bench.shown(call_of("t", json!({}))).await;
    let here = format!("{:?}", std::thread::current().id());
    let there = shown["content"][0]["text"].as_str().unwrap();
    assert!(there.starts_with("ThreadId") && there != here, "{shown}");
}
