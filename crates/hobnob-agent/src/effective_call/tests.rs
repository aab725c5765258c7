//! Which tool a model's call runs.

use super::{CALL_TOOL, EffectiveCall};
use hobnob_llm::{ToolInput, ToolUse};

fn resolved(tool: &str, input: &str) -> Result<EffectiveCall, String> {
    let call = ToolUse {
        id: "1".into(),
        name: "as_the_model_says".into(),
        input: ToolInput::parse(input).unwrap(),
    };
    // A profile may give `call_tool` another name.
    EffectiveCall::resolve(&call, tool, |name| name == CALL_TOOL || name == "invoke")
}

#[test]
fn a_call_is_of_the_tool_that_runs() {
    let inner = r#"{"name": "mcp__a__x", "arguments": {"n": 1.10}}"#;
    for (tool, input, expected) in [
        ("mcp__a__x", r#"{"name": "y"}"#, ("mcp__a__x", r#"{"name": "y"}"#, None)),
        ("call_tool", inner, ("mcp__a__x", r#"{"n": 1.10}"#, Some("call_tool"))),
        ("invoke", inner, ("mcp__a__x", r#"{"n": 1.10}"#, Some("invoke"))),
        ("call_tool", r#"{"name": "\u0078"}"#, ("x", "{}", Some("call_tool"))),
        ("call_tool", r#"{"arguments": null, "name": "x"}"#, ("x", "{}", Some("call_tool"))),
    ] {
        let call = resolved(tool, input).unwrap();
        assert_eq!((call.tool(), call.arguments(), call.through()), expected);
        assert_eq!(&*call.as_tool_use().id, "1");
    }
}

#[test]
fn a_call_that_names_no_tool_runs_nothing() {
    for (input, words) in [
        ("{}", "missing field `name`"),
        (r#"{"name": 1}"#, "invalid type"),
        (r#"{"name": "x", "arguments": "{}"}"#, "`arguments` is not an object"),
        (r#"{"name": "x", "arguments": [{}]}"#, "`arguments` is not an object"),
        (r#"{"name": "x", "more": 1}"#, "unknown field `more`"),
        // Two readers could each use another one of the duplicates.
        (r#"{"name": "x", "name": "y"}"#, "duplicate field `name`"),
        (r#"{"name": "x", "arguments": {}, "arguments": {}}"#, "duplicate field"),
        (r#"{"name": "call_tool", "arguments": {"name": "x"}}"#, "cannot call itself"),
        (r#"{"name": "invoke", "arguments": {"name": "x"}}"#, "cannot call itself"),
    ] {
        let why = resolved("call_tool", input).unwrap_err();
        assert!(why.contains(words), "{input}: {why}");
    }
}
