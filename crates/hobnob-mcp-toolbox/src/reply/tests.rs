//! The JSON of a successful result, and the oldest revision that understands it.

use super::{IntoToolResult, Structured, TextWithData, ToolReply, outcome};
use crate::schema::CompiledSchema;
use hobnob_mcp_engine::Outcome;
use hobnob_mcp_types::Revision;
use serde_json::json;

#[test]
fn success_is_written_out() {
    for (text, data, floor, expected) in [
        (
            "a \"b\"",
            None,
            Revision::V2024_11_05,
            r#"{"content":[{"type":"text","text":"a \"b\""}],"isError":false}"#,
        ),
        (
            "one",
            Some(r#"{"n":1}"#),
            Revision::V2025_06_18,
            r#"{"content":[{"type":"text","text":"one"}],"structuredContent":{"n":1},"isError":false}"#,
        ),
        (
            "none",
            Some("[]"),
            Revision::V2026_07_28,
            r#"{"content":[{"type":"text","text":"none"}],"structuredContent":[],"isError":false}"#,
        ),
    ] {
        let reply = ToolReply::TextAndData {
            text: text.into(),
            data: data.map(str::to_owned),
            is_error: false,
        };
        match outcome(Ok(reply), None, "t") {
            Ok(Outcome::Complete(answer)) => {
                assert_eq!(answer.body, expected);
                assert_eq!(answer.floor, floor, "{expected}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Like any other data, that of a success must fit what the tool declares.
#[test]
fn the_data_of_a_success_fits_its_schema_or_is_our_fault() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let check = CompiledSchema::compile(schema.clone()).expect("a schema");
    for (data, fits) in [(Some(r#"{"n":1}"#), true), (Some(r#"{"n":"x"}"#), false), (None, false)] {
        let reply = ToolReply::TextAndData {
            text: "t".into(),
            data: data.map(str::to_owned),
            is_error: false,
        };
        assert_eq!(outcome(Ok(reply), Some(&check), "t").is_ok(), fits, "{data:?}");
    }
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Sold {
    pieces: u32,
}

#[test]
fn a_text_of_its_own_goes_beside_the_data() {
    let reply =
        TextWithData { text: "one piece".to_owned(), data: Sold { pieces: 1 }, is_error: true };
    match reply.into_tool_result() {
        Ok(ToolReply::TextAndData { text, data, is_error: true }) => {
            assert_eq!((text.as_str(), data.as_deref()), ("one piece", Some(r#"{"pieces":1}"#)));
        }
        other => panic!("{other:?}"),
    }
    let schema = TextWithData::<Sold>::output_schema();
    assert!(schema.is_some() && schema == Structured::<Sold>::output_schema());
}
