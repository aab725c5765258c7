//! Arguments repeated in headers: which schemas may mark them, and which requests agree.

use super::{Bench, call_of, refusal};
use crate::{Kit, KitBuilder, ToolSpec};
use hobnob_mcp_engine::MirroredParam;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

fn marked(properties: Value) -> KitBuilder {
    let schema = json!({"type": "object", "properties": properties});
    let spec = ToolSpec::new("Takes arguments").schema(schema);
    Kit::plain("k").tool("t", spec, |_: Value| async move { "ran" })
}

#[test]
fn marks_out_of_place_are_refused() {
    for (properties, error_text) in [
        (
            json!({"a": {"type": "string", "x-mcp-header": ""}}),
            "tool `t`: `x-mcp-header` of property `a` must be a header name",
        ),
        (
            json!({"a": {"type": "string", "x-mcp-header": "two words"}}),
            "tool `t`: `x-mcp-header` of property `a` must be a header name",
        ),
        (
            json!({"a": {"type": "string", "x-mcp-header": 1}}),
            "tool `t`: `x-mcp-header` of property `a` must be a header name",
        ),
        (
            json!({"a": {"type": "number", "x-mcp-header": "A"}}),
            "tool `t`: property `a` has `x-mcp-header` and must be a string, an integer or a boolean",
        ),
        (
            json!({"a": {"x-mcp-header": "A"}}),
            "tool `t`: property `a` has `x-mcp-header` and must be a string, an integer or a boolean",
        ),
        (
            json!({"a": {"type": "string", "x-mcp-header": "Same"},
                "b": {"type": "string", "x-mcp-header": "sAME"}}),
            "tool `t`: `x-mcp-header` `same` is used twice",
        ),
        (
            json!({"a": {"type": "array", "items": {"type": "string", "x-mcp-header": "A"}}}),
            "tool `t`: `x-mcp-header` may only be on properties reached through `properties` alone",
        ),
        (
            json!({"a": {"anyOf": [{"properties": {"b": {"type": "string", "x-mcp-header": "A"}}}]}}),
            "tool `t`: `x-mcp-header` may only be on properties reached through `properties` alone",
        ),
    ] {
        assert_eq!(refusal(marked(properties)), error_text);
    }
}

/// Arguments, headers by name (`None` cannot be decoded), and the expected problem.
type Case<'a> = (Value, &'a [(&'a str, Option<&'a str>)], Option<&'a str>);

#[tokio::test]
async fn headers_and_arguments_must_agree() {
    let kit = marked(json!({
        "text": {"type": "string", "x-mcp-header": "Text"},
        "size": {"type": "integer", "x-mcp-header": "Size"},
        "inner": {"type": "object", "properties": {
            "flag": {"type": "boolean", "x-mcp-header": "Flag"}}},
        "free": {},
    }));
    let bench = Bench::new([kit]);
    let cases: &[Case<'_>] = &[
        (json!({}), &[], None),
        (json!({"free": 1}), &[("unknown", Some("x"))], None),
        (json!({"text": "a"}), &[("text", Some("a"))], None),
        (
            json!({"text": "a"}),
            &[("text", Some("b"))],
            Some("text differs from the argument it repeats"),
        ),
        (json!({"text": "a"}), &[], Some("text is missing")),
        (json!({"text": "a"}), &[("text", None)], Some("text cannot be decoded")),
        (
            json!({"text": "a"}),
            &[("text", Some("a")), ("text", Some("b"))],
            Some("text differs from the argument it repeats"),
        ),
        (json!({}), &[("text", Some("a"))], Some("text repeats an argument that is not there")),
        (json!({}), &[("text", None)], Some("text repeats an argument that is not there")),
        (json!({"size": 42}), &[("size", Some("42"))], None),
        (json!({"size": 42}), &[("size", Some("42.0"))], None),
        (json!({"size": 42.0}), &[("size", Some("42"))], None),
        (
            json!({"size": -1}),
            &[("size", Some("1"))],
            Some("size differs from the argument it repeats"),
        ),
        (
            json!({"size": 9007199254740993_i64}),
            &[("size", Some("9007199254740992"))],
            Some("size differs from the argument it repeats"),
        ),
        (json!({"inner": {"flag": true}}), &[("flag", Some("true"))], None),
        (
            json!({"inner": {"flag": true}}),
            &[("flag", Some("True"))],
            Some("flag differs from the argument it repeats"),
        ),
        (json!({"inner": {"flag": false}}), &[], Some("flag is missing")),
    ];
    for (arguments, headers, problem) in cases {
        let headers = headers.iter().map(|(name, value)| MirroredParam {
            name: (*name).into(),
            value: value.map(Into::into),
        });
        let mut call = call_of("t", arguments.clone());
        call.mirrored = Some(headers.collect());
        let shown = bench.shown(call).await;
        let expected = match problem {
            None => json!({"content": [{"type": "text", "text": "ran"}]}),
            Some(problem) => {
                json!({"code": -32020, "message": format!("the header Mcp-Param-{problem}")})
            }
        };
        assert_eq!(shown, expected, "{arguments}");
        // A transport without headers compares nothing.
        let plain = bench.shown(call_of("t", arguments.clone())).await;
        assert_eq!(plain, json!({"content": [{"type": "text", "text": "ran"}]}));
    }
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Region {
    /// Where.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
}

#[test]
fn a_derived_mark_has_one_plain_type() {
    let kit = Kit::plain("k").tool("t", "Goes there", |_: Region| async {}).build().unwrap();
    let listing: Value = serde_json::from_str(&kit.tools[0].1.listing).unwrap();
    let region = &listing["inputSchema"]["properties"]["region"];
    assert_eq!(
        *region,
        json!({"description": "Where.", "type": "string", "x-mcp-header": "Region"})
    );
}
