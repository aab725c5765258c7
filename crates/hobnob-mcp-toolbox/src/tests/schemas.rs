//! Schemas derived from types, in the form that models see.

use crate::schema::{CompiledSchema, input_schema_of, output_schema_of};
use crate::{Kit, NoArguments, ToolSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Search {
    /// What to look for.
    query: String,
    /// How many at most.
    limit: Option<u32>,
    /// How sure to be.
    threshold: f64,
    /// When.
    window: Window,
}

/// A stretch of time.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Window {
    /// Seconds back.
    seconds: u64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Shape {
    /// Round.
    Circle {
        /// From the middle.
        radius: f64,
    },
    /// As wide as high.
    Square(Side),
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Side {
    /// Of one side.
    length: f64,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Mute {
    words: String,
    /// Described.
    fine: bool,
    inner: Vec<Window>,
}

#[test]
fn derived_schemas_are_plain_closed_and_described() {
    let schema = input_schema_of::<Search>().unwrap();
    let expected = json!({
        "type": "object",
        "properties": {
            "query": {"description": "What to look for.", "type": "string"},
            "limit": {"description": "How many at most.", "type": "integer", "minimum": 0},
            "threshold": {"description": "How sure to be.", "type": "number"},
            "window": {
                "description": "When.",
                "type": "object",
                "properties": {
                    "seconds": {"description": "Seconds back.", "type": "integer", "minimum": 0}
                },
                "required": ["seconds"],
                "additionalProperties": false,
            },
        },
        "required": ["query", "threshold", "window"],
        "additionalProperties": false,
    });
    assert_eq!(schema, expected);
    // The order of keys matters: a model's prompt cache compares text.
    assert_eq!(schema.to_string(), input_schema_of::<Search>().unwrap().to_string());
    assert!(
        schema.to_string().starts_with(r#"{"type":"object","properties":{"query""#),
        "{schema}"
    );
}

#[test]
fn schemas_that_need_an_object_get_one() {
    for (schema, expected) in [
        (
            input_schema_of::<NoArguments>(),
            Ok(json!({
                "type": "object", "properties": {}, "required": [], "additionalProperties": false
            })),
        ),
        (input_schema_of::<Value>(), Ok(json!({"type": "object", "additionalProperties": true}))),
        (
            input_schema_of::<String>(),
            Err(r#"arguments must be an object, not "string""#.to_owned()),
        ),
        (
            output_schema_of::<Vec<bool>>(),
            Ok(json!({"type": "array", "items": {"type": "boolean"}})),
        ),
    ] {
        assert_eq!(schema, expected);
    }
}

#[test]
fn variants_stay_usable_when_everything_is_closed() {
    let schema = input_schema_of::<Shape>().unwrap();
    let check = CompiledSchema::compile(schema.clone()).unwrap();
    for (value, fits) in [
        (json!({"kind": "circle", "radius": 1.5}), true),
        (json!({"kind": "square", "length": 2}), true),
        (json!({"kind": "circle", "radius": 1.5, "length": 2}), false),
        (json!({"kind": "square", "length": 2, "width": 2}), false),
        (json!({"kind": "triangle"}), false),
    ] {
        let decoded = serde_json::from_value::<Shape>(value.clone());
        assert_eq!(check.problem(&value, "arguments").is_none(), fits, "{value} {schema}");
        assert!(decoded.is_ok() || !fits, "{value}");
    }
    assert_eq!(schema["oneOf"][0]["properties"]["kind"]["description"], "Always `circle`.");
}

#[test]
fn undescribed_properties_are_named() {
    let made = Kit::plain("k").tool("mute", "Says nothing", |_: Mute| async move { Ok(()) });
    assert_eq!(
        super::refusal(made),
        "tool `mute`: properties `words`, `inner` have no description (a doc comment)"
    );
}

#[test]
fn written_schemas_are_taken_as_they_are_or_refused() {
    let deep = (0..70).fold(
        json!({"type": "string"}),
        |inner, _| json!({"type": "object", "properties": {"a": inner}}),
    );
    let wide: serde_json::Map<String, Value> =
        (0..10_001).map(|index| (format!("p{index}"), json!({}))).collect();
    for (schema, refusal) in [
        (
            json!({"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "T", "properties": {"n": {"type": "integer", "format": "int32"}}}),
            None,
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"type": "string"}}}),
            None,
        ),
        (
            json!({"type": "object", "properties": {"a": {"const": {"$ref": "https://x.test"}}}}),
            None,
        ),
        (json!({"type": "string"}), Some("tool `t`: the schema must be of type object")),
        (json!(true), Some("tool `t`: the schema must be of type object")),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "https://x.test/a"}}}),
            Some("tool `t`: `$ref` points outside the schema: https://x.test/a"),
        ),
        (deep, Some("tool `t`: the schema is nested deeper than 64 levels")),
        (
            json!({"type": "object", "properties": wide}),
            Some("tool `t`: the schema has more than 10000 parts"),
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "text"}}}),
            Some("tool `t`: the schema does not compile"),
        ),
        (
            json!({"type": "object", "properties": {"a": {"pattern": "("}}}),
            Some("tool `t`: the schema does not compile"),
        ),
    ] {
        let spec = ToolSpec::new("Takes anything").schema(schema.clone());
        let made = Kit::plain("k").tool("t", spec, |_: Value| async {});
        match refusal {
            None => {
                let kit = made.build().unwrap();
                let listing: Value = serde_json::from_str(&kit.tools[0].1.listing).unwrap();
                assert_eq!(listing["inputSchema"].to_string(), schema.to_string());
            }
            Some(words) => {
                let error_text = super::refusal(made);
                assert!(error_text.starts_with(words), "{error_text}");
            }
        }
    }
}

#[test]
fn a_schema_that_is_compiled_late_says_the_same() {
    let late = CompiledSchema::deferred(json!({"type": "object", "required": ["name"]})).unwrap();
    for _ in 0..2 {
        assert_eq!(late.problem(&json!({"name": 1}), "arguments"), None);
        let problem = late.problem(&json!({}), "arguments").expect("a problem");
        assert_eq!(problem, "arguments.name: expected a value, received nothing");
    }
    let wrong = CompiledSchema::deferred(json!({"type": "nonsense"})).unwrap();
    let problem = wrong.problem(&json!({}), "arguments").expect("a problem");
    assert!(problem.starts_with("the schema does not compile"), "{problem}");
}

/// How certain an answer is.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Surety {
    /// No doubt.
    High,
    /// Some doubt.
    Low,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Way {
    There,
    Back,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Choosing {
    /// How sure to be.
    surety: Option<Surety>,
    /// Where to.
    way: Option<Way>,
    /// Words.
    words: Option<Vec<String>>,
    /// When.
    window: Option<Window>,
    /// Always there.
    name: String,
}

#[test]
fn choices_are_enums_and_what_is_optional_has_one_type() {
    let schema = input_schema_of::<Choosing>().unwrap();
    let of = |name: &str| schema["properties"][name].clone();
    let surety = "How sure to be (high: No doubt; low: Some doubt)";
    assert_eq!(
        of("surety"),
        json!({"description": surety, "type": "string", "enum": ["high", "low"]})
    );
    assert_eq!(
        of("way"),
        json!({"description": "Where to.", "type": "string", "enum": ["there", "back"]})
    );
    let words = json!({"description": "Words.", "type": "array", "items": {"type": "string"}});
    assert_eq!(of("words"), words);
    assert_eq!(
        (&of("window")["type"], &of("window")["description"]),
        (&json!("object"), &json!("When."))
    );
    assert_eq!(schema["required"], json!(["name"]));
}
