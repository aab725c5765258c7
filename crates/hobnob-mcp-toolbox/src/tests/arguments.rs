//! Invalid arguments: what the model reads about them, and in which form, by revision.

use super::{Bench, caller};
use crate::schema::{CompiledSchema, input_schema_of};
use crate::{Kit, ToolSpec};
use hobnob_mcp_types::{Method, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[test]
fn each_problem_names_place_expectation_and_what_came() {
    let schema = json!({
        "type": "object",
        "properties": {
            "count": {"type": "integer", "minimum": 1, "maximum": 9},
            "name": {"type": ["string", "null"], "maxLength": 3},
            "mode": {"enum": ["a", "b"]},
            "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "boolean"}}}},
            "maybe": {"anyOf": [{"$ref": "#/$defs/inner"}, {"type": "null"}]},
            "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["count"],
        "additionalProperties": false,
        "$defs": {"inner": {
            "type": "object",
            "properties": {"deep": {"type": "integer"}},
            "additionalProperties": false,
        }},
    });
    let check = CompiledSchema::compile(schema.clone()).unwrap();
    let long = "x".repeat(100);
    for (value, problem) in [
        (json!({"count": 3}), None),
        (json!({"count": "x"}), Some("arguments.count: expected integer, received string \"x\"")),
        (json!({"count": 1.5}), Some("arguments.count: expected integer, received number 1.5")),
        (json!({}), Some("arguments.count: expected a value, received nothing")),
        (json!({"count": 10}), Some("arguments.count: expected at most 9, received integer 10")),
        (json!({"count": 0}), Some("arguments.count: expected at least 1, received integer 0")),
        (
            json!({"count": 1, "name": true}),
            Some("arguments.name: expected null or string, received boolean true"),
        ),
        (
            json!({"count": 1, "name": long}),
            Some(
                "arguments.name: expected at most 3 characters, \
             received string \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\"",
            ),
        ),
        (
            json!({"count": 1, "mode": "c"}),
            Some("arguments.mode: expected one of [\"a\",\"b\"], received string \"c\""),
        ),
        (
            json!({"count": 1, "list": [{}, {"x": null}]}),
            Some("arguments.list[1].x: expected boolean, received null"),
        ),
        (json!({"count": 1, "list": {}}), Some("arguments.list: expected array, received object")),
        (
            json!({"count": 1, "either": []}),
            Some(
                "arguments.either: expected a value that matches one of its alternatives, \
                 received array of 0",
            ),
        ),
        (
            json!({"count": 1, "maybe": {"deep": true, "x": 1}}),
            Some(
                "arguments.maybe.deep: expected integer, received boolean true; \
                 arguments.maybe.x: expected no such property, received integer 1",
            ),
        ),
        (
            json!({"count": 1, "maybe": "x"}),
            Some("arguments.maybe: expected object, received string \"x\""),
        ),
        (
            json!({"count": 1, "cuont": 2}),
            Some("arguments.cuont: expected no such property, received integer 2"),
        ),
        (
            json!({"count": "x", "mode": "c"}),
            Some(
                "arguments.count: expected integer, received string \"x\"; \
             arguments.mode: expected one of [\"a\",\"b\"], received string \"c\"",
            ),
        ),
    ] {
        assert_eq!(check.problem(&value, "arguments").as_deref(), problem, "{value}");
    }
}

#[test]
fn five_problems_are_enough() {
    let none =
        CompiledSchema::compile(json!({"type": "object", "additionalProperties": false})).unwrap();
    let expected = "a.x: expected no such property, received integer 1";
    assert_eq!(none.problem(&json!({"x": 1}), "a").as_deref(), Some(expected));
    let many: serde_json::Map<String, Value> =
        (0..20).map(|index| (format!("p{index}"), json!(1))).collect();
    let schema = json!({"type": "array", "items": {"type": "string"}});
    let items = CompiledSchema::compile(schema.clone()).unwrap();
    for problem in [none.problem(&many.into(), "a"), items.problem(&json!(vec![1; 20]), "a")] {
        let problem = problem.unwrap();
        assert_eq!(problem.split("; ").count(), 5, "{problem}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    /// How many.
    count: u8,
}

#[tokio::test]
async fn unfit_arguments_are_a_result_since_2025_11_25_and_an_error_before() {
    let loose = ToolSpec::new("Counts").schema(json!({"type": "object"}));
    let kit = Kit::plain("k")
        .tool("count", "Counts", |args: Count| async move { args.count.to_string() })
        .tool("loose", loose, |args: Count| async move { args.count.to_string() });
    let bench = Bench::new([kit]);
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let sorry = |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
    let wrong = "arguments.count: expected integer, received string \"x\"";
    let absent = "arguments.count: expected a value, received nothing";
    let refused = |text: &str| json!({"code": -32602, "message": text});
    for (params, revision, expected) in [
        (json!({"name": "count", "arguments": {"count": 3}}), Revision::V2024_11_05, text("3")),
        (
            json!({"name": "count", "arguments": {"count": "x"}}),
            Revision::V2026_07_28,
            sorry(wrong),
        ),
        (
            json!({"name": "count", "arguments": {"count": "x"}}),
            Revision::V2025_11_25,
            sorry(wrong),
        ),
        (
            json!({"name": "count", "arguments": {"count": "x"}}),
            Revision::V2025_06_18,
            refused(wrong),
        ),
        (json!({"name": "count"}), Revision::V2026_07_28, sorry(absent)),
        (json!({"name": "count"}), Revision::V2024_11_05, refused(absent)),
        (
            json!({"name": "loose", "arguments": {"count": 300}}),
            Revision::V2026_07_28,
            sorry("arguments: invalid value: integer `300`, expected u8"),
        ),
        (
            json!({"name": "count", "arguments": []}),
            Revision::V2026_07_28,
            refused("`params.arguments` must be an object"),
        ),
        (json!({"name": "count", "arguments": null}), Revision::V2026_07_28, sorry(absent)),
        (json!({"name": "none"}), Revision::V2026_07_28, refused("Unknown tool: none")),
        (json!({}), Revision::V2026_07_28, refused("`params.name` must be a string")),
    ] {
        let mut call = super::call(Method::ToolsCall, params.clone());
        call.caller = caller(revision, json!({}));
        assert_eq!(bench.shown(call).await, expected, "{params} {revision}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Outer {
    /// Perhaps some.
    inner: Option<Count>,
}

#[test]
fn problems_inside_an_optional_struct_name_their_place() {
    let check = CompiledSchema::compile(input_schema_of::<Outer>().unwrap()).unwrap();
    for (inner, problem) in [
        (json!({"count": 1}), None),
        (json!({}), Some("a.inner.count: expected a value, received nothing")),
        (json!({"count": "x"}), Some("a.inner.count: expected integer, received string \"x\"")),
        (json!("x"), Some("a.inner: expected object, received string \"x\"")),
    ] {
        let value = json!({"inner": inner});
        assert_eq!(check.problem(&value, "a").as_deref(), problem, "{value}");
        let decoded = serde_json::from_value::<Outer>(value.clone());
        let fits = decoded.is_ok_and(|outer| outer.inner.is_none_or(|inner| inner.count == 1));
        assert_eq!(fits, problem.is_none(), "{value}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Pick {
    /// How many.
    count: u8,
    /// Perhaps a word.
    word: Option<String>,
    /// Perhaps more.
    more: Option<Box<More>>,
}

#[derive(Deserialize, JsonSchema)]
struct More {
    /// Perhaps a word.
    word: Option<String>,
}

#[tokio::test]
async fn what_is_left_out_may_be_written_as_null() {
    let kit = Kit::plain("k").tool("pick", "Picks", |args: Pick| async move {
        let word = args.more.and_then(|more| more.word).or(args.word);
        format!("{} {word:?}", args.count)
    });
    let bench = Bench::new([kit]);
    for (arguments, expected) in [
        (json!({"count": 1, "word": null}), "1 None"),
        (json!({"count": 1, "word": "x", "more": null}), "1 Some(\"x\")"),
        (json!({"count": 1, "more": {"word": null}}), "1 None"),
        (json!({"count": null}), "arguments.count: expected integer, received null"),
        (json!({"count": 1, "other": null}), "expected no such property"),
        (json!({"count": "x", "word": null}), "arguments.count: expected integer"),
    ] {
        let call = super::call(Method::ToolsCall, json!({"name": "pick", "arguments": arguments}));
        let shown = bench.shown(call).await;
        let text = shown["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(expected), "{arguments}: {text}");
    }
}
