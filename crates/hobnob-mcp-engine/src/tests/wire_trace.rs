//! The shapes in the wire trace: enough to follow a conversation, and never a value.

use crate::redacted;
use crate::wire_trace::shown_path;
use serde_json::{Value, json};

#[test]
fn shapes_show_how_a_message_is_built() {
    let cases = [
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fs_search","arguments":{"limit":3,"deep":true,"none":null}}}"#,
            r#"{"jsonrpc":string(3),"id":7,"method":"tools/call","params":{"name":string(9),"arguments":{"limit":number,"deep":boolean,"none":null}}}"#,
        ),
        (
            r#"{"id":"call-1","error":{"code":-32602,"message":"no","data":{"problems":[{"path":"a"},{"path":"b"}]}}}"#,
            r#"{"id":"call-1","error":{"code":-32602,"message":string(2),"data":{"problems":[2: {"path":string(1)}]}}}"#,
        ),
        (
            r#"{"method":"made/up","id":"0123456789abcdef"}"#,
            r#"{"method":string(7),"id":string(16)}"#,
        ),
        (
            r#"{"params":{"two words":1,"":2,"sk-12345678":3}}"#,
            r#"{"params":{key(9):number,key(0):number,key(11):number}}"#,
        ),
        ("[1,2]", "[2: number]"),
        ("[]", "[0]"),
        ("", "nothing"),
        ("{", "{}"),
    ];
    for (given, expected) in cases {
        assert_eq!(redacted(given), expected, "{given}");
    }
}

#[test]
fn values_never_appear() {
    let canary = "canary";
    let secret = || Value::from(format!("{canary} \u{1b}[31m\r\n4711"));
    let message = json!({
        "jsonrpc": secret(), "id": secret(), "method": secret(), "result": secret(),
        "params": {
            "name": secret(), "uri": secret(), "_meta": {"progressToken": secret()},
            "arguments": [secret(), {"env": {"TOKEN": secret()}}],
            "canary 4711 4712": 1,
        },
        "error": {"code": secret(), "message": secret(), "data": secret()},
    });
    let shape = redacted(&message.to_string());
    assert!(!shape.contains(canary), "{shape}");
    assert!(shape.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{shape}");
    assert!(!shape.contains("4711"), "{shape}");
}

#[test]
fn shapes_are_bounded() {
    let wide: serde_json::Map<String, Value> =
        (0..5000).map(|number| (format!("key{number}"), json!({"a": {"b": number}}))).collect();
    let deep = (0..100).fold(json!(1), |inside, _| json!({"in": [inside]}));
    for message in [json!(wide), json!({"params": wide}), json!({"params": deep}), json!([wide])] {
        let shape = redacted(&message.to_string());
        assert!(shape.len() <= 2060, "{} bytes", shape.len());
    }
    let shape = redacted(&json!({ "params": deep }).to_string());
    assert!(shape.matches("in").count() <= 6, "{shape}");
    assert!(redacted(&json!({ "a": wide }).to_string()).contains("4968 more"));
}

#[test]
fn keys_that_a_caller_made_up_show_their_length_only() {
    for (path, shown) in [
        ("arguments.filter[0].name", "arguments.filter[0].name"),
        ("arguments.rows[12][3]", "arguments.rows[12][3]"),
        ("arguments.a4111111111111111", "arguments.key(17)"),
        ("arguments.a4111111111111111[0]", "arguments.key(20)"),
        ("arguments.my secret", "arguments.key(9)"),
        ("arguments.x[my secret]", "arguments.key(12)"),
    ] {
        assert_eq!(shown_path(path), shown);
    }
}
