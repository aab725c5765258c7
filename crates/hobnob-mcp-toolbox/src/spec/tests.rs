//! The listed schema may be stricter than the checked one; the handler then checks the rest.

use super::{CompiledSpec, ToolSpec, ToolTypes};
use crate::NoArguments;
use serde_json::{Value, json};

#[test]
fn one_schema_is_listed_and_another_checked() {
    let loose = json!({"type": "object", "properties": {"namespace": {"type": "string"}}});
    let narrow =
        json!({"type": "object", "properties": {"namespace": {"enum": ["decisions", "patterns"]}}});
    let spec = ToolSpec::new("Tells").schema(loose.clone()).listed_schema(narrow.clone());
    let compiled = compiled(spec).expect("a sound spec");
    let listed: Value = serde_json::from_str(compiled.listing.input_schema.get()).expect("JSON");
    assert_eq!(listed, narrow);
    assert_eq!(compiled.input.schema(), &loose);
}

/// A listed schema that is invalid makes building the kit fail.
#[test]
fn a_listed_schema_is_refused_like_any_other() {
    let marked = |mark: &str| {
        let property = json!({"type": "string", "x-mcp-header": mark});
        json!({"type": "object", "properties": {"a": property}})
    };
    for (checked, listed, expected) in [
        (json!({"type": "object"}), json!({"type": "array"}), Some("must be of type object")),
        (json!({"type": "object"}), json!({"type": "object", "properties": 7}), Some("")),
        (json!({"type": "object"}), marked("Here"), Some("marks other arguments")),
        (marked("There"), marked("Here"), Some("marks other arguments")),
        (marked("Here"), marked("Here"), None),
    ] {
        let spec = ToolSpec::new("Tells").schema(checked).listed_schema(listed.clone());
        let refused = compiled(spec).err();
        assert_eq!(refused.is_some(), expected.is_some(), "{listed}");
        if let (Some(refused), Some(expected)) = (refused, expected) {
            assert!(refused.contains("tool `t`") && refused.contains(expected), "{refused}");
        }
    }
}

fn compiled(spec: ToolSpec) -> Result<CompiledSpec, String> {
    spec.compile("t", &ToolTypes::of::<NoArguments, ()>())
}
