//! Which tools can be offered, and which inputs are taken.

use super::{BadToolDefinition, ModelTool, ToolInput};

#[test]
fn names_and_schemas_are_checked() {
    let long = "x".repeat(65);
    for (name, schema, taken) in [
        ("shell_run", r#"{"type":"object"}"#, true),
        ("a-B_9", "{}", true),
        (&long[..64], " {} ", true),
        (&long, "{}", false),
        ("", "{}", false),
        ("bash.execute", "{}", false),
        ("größe", "{}", false),
        ("ok", "[]", false),
        ("ok", "true", false),
        ("ok", "{", false),
    ] {
        let made = ModelTool::new(name, "what it does", schema);
        assert_eq!(made.is_ok(), taken, "{name:?} {schema}");
        match made {
            Err(BadToolDefinition::Name(bad)) => assert_eq!(&*bad, name),
            Err(BadToolDefinition::Schema(_)) => assert_eq!(name, "ok"),
            Ok(tool) => assert_eq!((tool.name(), tool.schema().as_str()), (name, schema.trim())),
        }
    }
}

#[test]
fn an_input_is_one_object_and_its_text_stays() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    for (text, expected) in [
        (&*deep, None),
        (r#"{"a": 1.50}"#, Some(r#"{"a": 1.50}"#)),
        ("", Some("{}")),
        ("  ", Some("{}")),
        ("null", None),
        ("[1]", None),
        (r#"{"a":"#, None),
        ("{} {}", None),
    ] {
        assert_eq!(ToolInput::parse(text).as_ref().map(ToolInput::as_str), expected, "{text}");
    }
}
