//! Positions count required properties first.

use super::named_arguments;
use crate::directory::{MethodDirectory, MethodEntry};
use serde_json::{Value, json};

/// The arguments of a method with this schema, or the error.
fn named(schema: &Value, params: &str) -> Result<String, String> {
    let definition = json!({"inputSchema": schema}).to_string();
    let entry =
        MethodEntry { service: "s".into(), method: "m".into(), tool: "s_m".into(), definition };
    let directory = MethodDirectory::new([entry]);
    named_arguments(directory.method("s.m").unwrap(), params).map_err(|it| it.message.into_owned())
}

#[test]
fn positions_become_names() {
    let chat = json!({
        "properties": {"max_turns": {}, "session_name": {}, "query": {}},
        "required": ["session_name", "query"],
    });
    let none = json!({"type": "object"});
    for (schema, params, expected) in [
        (&chat, r#"["a","b"]"#, Ok(r#"{"session_name":"a","query":"b"}"#)),
        (&chat, r#"["a", "b", 3]"#, Ok(r#"{"session_name":"a","query":"b","max_turns":3}"#)),
        (&chat, "[]", Ok("{}")),
        (&chat, r#"{"query": "b"}"#, Ok(r#"{"query": "b"}"#)),
        (&chat, r#"[{"x":[1]}]"#, Ok(r#"{"session_name":{"x":[1]}}"#)),
        (&none, "[]", Ok("{}")),
        (&none, "{}", Ok("{}")),
        (&none, "[1]", Err("s.m takes no parameters")),
        (&chat, "[1,2,3,4]", Err("s.m takes at most 3 parameters: session_name, query, max_turns")),
        (&chat, "7", Err("`params` must be an array or an object")),
    ] {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(named(schema, params), expected, "{params}");
    }
}
