//! Plans made from schemas, and headers made from plans.

use super::{HeaderPlan, mirror};
use serde_json::{Value, json};

fn plan(properties: Value) -> HeaderPlan {
    HeaderPlan::of(&json!({"type": "object", "properties": properties}).to_string())
}

fn headers_of(plan: &HeaderPlan) -> Vec<(String, String)> {
    let HeaderPlan::Mirror(found) = plan else { panic!("{plan:?} mirrors nothing") };
    found.iter().map(|one| (one.header.to_string(), one.path.join("/"))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn marks_are_found_with_their_place() {
    let marked = |kind: &str, name: &str| json!({"type": kind, "x-mcp-header": name});
    let cases = [
        (json!({"region": marked("string", "Region")}), vec![("Region", "region")]),
        (
            json!({"b": marked("integer", "B"), "a": marked("boolean", "A")}),
            vec![("B", "b"), ("A", "a")],
        ),
        (
            json!({"where": {"type": "object", "properties": {"a/b": marked("string", "Deep")}}}),
            vec![("Deep", "where/a/b")],
        ),
        // A property may be named like the keyword without being one.
        (json!({"x-mcp-header": marked("string", "Own")}), vec![("Own", "x-mcp-header")]),
    ];
    for (properties, expected) in cases {
        assert_eq!(headers_of(&plan(properties.clone())), pairs(&expected), "{properties}");
    }
}

#[test]
fn schemas_without_marks_have_no_plan() {
    let cases = [
        json!({}),
        json!({"a": {"type": "string"}}),
        json!({"x-mcp-header": {"type": "string"}}),
        // Data that looks like a schema is not a schema.
        json!({"a": {"type": "object", "default": {"x-mcp-header": "A"}}}),
        json!({"a": {"enum": [{"x-mcp-header": "A"}], "const": {"x-mcp-header": "A"}}}),
    ];
    for properties in cases {
        assert_eq!(plan(properties.clone()), HeaderPlan::None, "{properties}");
    }
    for text in ["", "null", "[]", "{", r#"{"type":"object"}"#] {
        assert_eq!(HeaderPlan::of(text), HeaderPlan::None, "{text}");
    }
}

#[test]
fn broken_marks_make_the_plan_invalid() {
    let mark = json!({"type": "string", "x-mcp-header": "A"});
    let cases = [
        (json!({"a": {"type": "string", "x-mcp-header": ""}}), "not a header name"),
        (json!({"a": {"type": "string", "x-mcp-header": "two words"}}), "not a header name"),
        (json!({"a": {"type": "string", "x-mcp-header": "a:b"}}), "not a header name"),
        (json!({"a": {"type": "string", "x-mcp-header": "ä"}}), "not a header name"),
        (json!({"a": {"type": "string", "x-mcp-header": 1}}), "not a header name"),
        (json!({"a": {"type": "number", "x-mcp-header": "A"}}), "not a string"),
        (json!({"a": {"type": "object", "x-mcp-header": "A"}}), "not a string"),
        (json!({"a": {"type": ["string", "null"], "x-mcp-header": "A"}}), "not a string"),
        (json!({"a": {"x-mcp-header": "A"}}), "not a string"),
        (json!({"a": mark, "b": {"type": "string", "x-mcp-header": "a"}}), "two properties claim"),
        (json!({"a": {"type": "array", "items": mark}}), "under `items`"),
        (json!({"a": {"type": "array", "prefixItems": [mark]}}), "under `prefixItems`"),
        (json!({"a": {"anyOf": [{"properties": {"b": mark}}]}}), "under `properties`"),
        (json!({"a": {"not": mark}}), "under `not`"),
        (json!({"a": {"additionalProperties": mark}}), "under `additionalProperties`"),
        (json!({"a": {"patternProperties": {".*": mark}}}), "under `patternProperties`"),
    ];
    for (properties, expected) in cases {
        let HeaderPlan::Invalid(reason) = plan(properties.clone()) else {
            panic!("{properties} passed");
        };
        assert!(reason.contains(expected), "{properties}: {reason}");
    }
    for keyword in ["oneOf", "allOf"] {
        let schema = json!({"type": "object", keyword: [{"properties": {"a": mark}}]});
        assert!(matches!(HeaderPlan::of(&schema.to_string()), HeaderPlan::Invalid(_)), "{keyword}");
    }
    for keyword in ["if", "then", "else"] {
        let schema = json!({"type": "object", keyword: {"properties": {"a": mark}}});
        assert!(matches!(HeaderPlan::of(&schema.to_string()), HeaderPlan::Invalid(_)), "{keyword}");
    }
    let defined = json!({"type": "object", "$defs": {"a": mark}});
    assert!(matches!(HeaderPlan::of(&defined.to_string()), HeaderPlan::Invalid(_)));
    let root = json!({"type": "object", "x-mcp-header": "A"});
    assert!(matches!(HeaderPlan::of(&root.to_string()), HeaderPlan::Invalid(_)));
}

#[test]
fn an_escaped_mark_is_still_a_mark() {
    let schema =
        r#"{"type":"object","properties":{"a":{"type":"string","x\u002dmcp\u002dheader":"A"}}}"#;
    assert_eq!(headers_of(&HeaderPlan::of(schema)), pairs(&[("A", "a")]));
}

#[test]
fn values_become_header_text() {
    let plan = plan(json!({
        "s": {"type": "string", "x-mcp-header": "S"},
        "i": {"type": "integer", "x-mcp-header": "I"},
        "b": {"type": "boolean", "x-mcp-header": "B"},
        "in": {"type": "object", "properties": {"d": {"type": "string", "x-mcp-header": "D"}}},
    }));
    let cases: &[(&str, &[(&str, &str)])] = &[
        (
            r#"{"s":"plain","i":7,"b":true,"in":{"d":"x"}}"#,
            &[("S", "plain"), ("I", "7"), ("B", "true"), ("D", "x")],
        ),
        (r#"{"s":"caf\u00e9 \"q\""}"#, &[("S", "café \"q\"")]),
        (r#"{"s":""}"#, &[("S", "")]),
        (r#"{"s":null,"i":null,"b":false}"#, &[("B", "false")]),
        (r#"{"i":-9007199254740991}"#, &[("I", "-9007199254740991")]),
        (r#"{"i":12345678901234567890}"#, &[("I", "12345678901234567890")]),
        (r#"{"i":5.0}"#, &[("I", "5")]),
        (r#"{"i":1e3}"#, &[("I", "1000")]),
        (r#"{"i":1.5}"#, &[("I", "1.5")]),
        (r#"{"i": 7 , "b" : true }"#, &[("I", "7"), ("B", "true")]),
        (r#"{"s":["x"],"i":{}}"#, &[]),
        (r#"{"in":"no object"}"#, &[]),
        (r#"{"d":"not at this level"}"#, &[]),
        ("{}", &[]),
        ("", &[]),
        ("[1]", &[]),
    ];
    for (arguments, expected) in cases {
        let seen: Vec<_> =
            mirror(&plan, arguments).into_iter().map(|(a, b)| (a.to_string(), b)).collect();
        assert_eq!(seen, pairs(expected), "{arguments}");
    }
}

#[test]
fn without_a_plan_nothing_is_mirrored() {
    assert!(mirror(&HeaderPlan::None, r#"{"a":1}"#).is_empty());
    assert!(mirror(&HeaderPlan::Invalid("x".into()), r#"{"a":1}"#).is_empty());
}

proptest::proptest! {
    /// Schemas and arguments are untrusted: for all of them, the names are header names.
    #[test]
    fn any_schema_and_any_arguments(
        name in "[ -~]{0,8}",
        kind in "(string|integer|boolean|object|)",
        schema in "\\PC{0,40}",
        arguments in "\\PC{0,40}",
    ) {
        let marked = json!({"type": "object", "properties": {"a": {
            "type": kind, "x-mcp-header": name, "properties": {"b": {}},
        }}});
        for schema in [marked.to_string(), format!("{schema}x-mcp-header")] {
            let plan = HeaderPlan::of(&schema);
            if let HeaderPlan::Mirror(found) = &plan {
                proptest::prop_assert!(!found.is_empty());
                for one in found {
                    proptest::prop_assert!(http::HeaderName::from_bytes(one.header.as_bytes()).is_ok());
                }
            }
            mirror(&plan, &arguments);
            mirror(&plan, &json!({"a": arguments}).to_string());
        }
    }
}
