//! The envelope's cases: what decodes to what, and what is refused with which code.

use crate::{ErrorCode, Incoming, Message, Method, MethodName, RequestId};

fn decode(text: &str) -> Result<Message, (i64, Option<String>)> {
    match Incoming::decode(text.to_owned()) {
        Ok(Incoming::One(message)) => Ok(message),
        Ok(Incoming::Many(_)) => Err((0, None)),
        Err(refused) => Err((refused.error.code.0, refused.id.map(|id| id.to_json()))),
    }
}

#[test]
fn ids_come_back_as_they_were() {
    let ids = [
        "1",
        "\"1\"",
        "0",
        "-1",
        "\"\"",
        "9007199254740993",
        "-9007199254740993",
        "123456789012345678901234567890",
        "\"ü😀\"",
        "\"a\\\"b\"",
        "-0",
        "9223372036854775807",
    ];
    for id in ids {
        let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
        let Ok(Message::Request(request)) = decode(&text) else { panic!("{id}") };
        assert_eq!(request.id.to_json(), id);
        assert_eq!(serde_json::to_string(&request.id).unwrap(), id);
        assert_eq!(serde_json::from_str::<RequestId>(id).unwrap(), request.id);
    }
    assert_ne!(RequestId::from(1), RequestId::from("1"));
    for (id, number) in [("7", Some(7)), ("-7", Some(-7)), ("+7", None), ("007", None), ("x", None)]
    {
        assert_eq!(RequestId::from(id).as_number(), number, "{id}");
    }
}

#[test]
fn refusals_name_the_right_code() {
    let huge =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{}\",\"method\":\"ping\"}}", "x".repeat(2000));
    let cases: &[(&str, ErrorCode, Option<&str>)] = &[
        ("{", ErrorCode::PARSE, None),
        ("nonsense", ErrorCode::PARSE, None),
        ("5", ErrorCode::INVALID_REQUEST, None),
        ("{}", ErrorCode::INVALID_REQUEST, None),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, ErrorCode::INVALID_REQUEST, Some("1")),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, ErrorCode::INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, ErrorCode::INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":1e3,"method":"ping"}"#, ErrorCode::INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, ErrorCode::INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, ErrorCode::INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":7,"method":7}"#, ErrorCode::INVALID_REQUEST, Some("7")),
        (r#"{"jsonrpc":"2.0","id":7}"#, ErrorCode::INVALID_REQUEST, Some("7")),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","method":"b"}"#,
            ErrorCode::INVALID_REQUEST,
            Some("7"),
        ),
        (r#"{"jsonrpc":"2.0","id":7,"id":7,"method":"a"}"#, ErrorCode::INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":7,"result":{"n":NaN}}"#, ErrorCode::PARSE, Some("7")),
        (r#"{"jsonrpc":"2.0","result":{"a":"\ud8"},"id":7}"#, ErrorCode::PARSE, Some("7")),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","Method":"b"}"#,
            ErrorCode::INVALID_REQUEST,
            Some("7"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","METHOD":"b"}"#,
            ErrorCode::INVALID_REQUEST,
            Some("7"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","param\u017f":{}}"#,
            ErrorCode::INVALID_REQUEST,
            Some("7"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","method\u0000":"b"}"#,
            ErrorCode::INVALID_REQUEST,
            Some("7"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":""}}"#,
            ErrorCode::INVALID_REQUEST,
            Some("7"),
        ),
        (r#"{"jsonrpc":"2.0","id":7,"error":{"code":"x"}}"#, ErrorCode::INVALID_REQUEST, Some("7")),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"name":"x","name":"y"}}"#,
            ErrorCode::INVALID_REQUEST,
            Some("7"),
        ),
        (&huge, ErrorCode::INVALID_REQUEST, None),
    ];
    for (text, code, id) in cases {
        let (found, echoed) = decode(text).expect_err(text);
        assert_eq!((found, echoed.as_deref()), (code.0, *id), "{text}");
    }
}

/// Only lone surrogates are replaced, as other implementations do; the rest of the text stays.
#[test]
fn halves_of_surrogate_pairs_are_replaced() {
    let cases = [
        (r#""\ud800""#, r#""\ufffd""#, 1),
        (r#""a\uDFFFb\ud83d\ude00\ud83dz""#, r#""a\ufffdb\ud83d\ude00\ufffdz""#, 2),
        (r#""\udc00\ud800""#, r#""\ufffd\ufffd""#, 2),
        (r#""\ud800\ud800\udc00""#, r#""\ufffd\ud800\udc00""#, 1),
        (r#"{"\ud800":"\\ud800"}"#, r#"{"\ufffd":"\\ud800"}"#, 1),
        (r#""\\\ud800é""#, r#""\\\ufffdé""#, 1),
    ];
    for (given, expected, count) in cases {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{given}}}"#);
        let mut replaced = 0;
        let decoded = Incoming::decode_bytes_noting(text.as_bytes(), |n| replaced = n);
        let Ok(Incoming::One(Message::Response(response))) = decoded else { panic!("{given}") };
        assert_eq!((&*response.outcome.unwrap(), replaced), (expected, count), "{given}");
        let Ok(Incoming::Many(batch)) = Incoming::decode(format!("[{text}]")) else { panic!() };
        assert!(batch.split(1).unwrap()[0].is_ok(), "{given}");
    }
    // Two keys that differ only in lone surrogates become equal, and are refused as duplicates.
    let text = r#"{"jsonrpc":"2.0","id":1,"result":{"\ud800":1,"\udfff":2}}"#;
    assert_eq!(decode(text).expect_err(text).0, ErrorCode::INVALID_REQUEST.0);
}

#[test]
fn parameters_stay_text() {
    let text = r#"{"params":{"name":"echo","arguments":{"b":1.10,"a":12345678901234567890}},"method":"tools/call","id":1,"jsonrpc":"2.0"}"#;
    let Ok(Message::Request(request)) = decode(text) else { panic!() };
    assert_eq!(request.method, MethodName::Known(Method::ToolsCall));
    assert_eq!(request.params.string("name").unwrap(), "echo");
    assert_eq!(request.params.get("arguments"), Some(r#"{"b":1.10,"a":12345678901234567890}"#));
    assert_eq!(request.params.without(&["arguments"]), r#"{"name":"echo"}"#);
    assert!(request.params.check().is_ok());
    for params in
        [r#"{"Name":"x"}"#, r#"{"NAME":"x","name":"y"}"#, r#"{"na\u006de":"x"}"#, "[1]", "7"]
    {
        let text = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}"
        );
        let Ok(Message::Request(request)) = decode(&text) else { panic!("{params}") };
        assert!(request.params.check().is_err(), "{params}");
    }
}

#[test]
fn batches_are_opened_on_demand() {
    let split = |text: &str, max: usize| match Incoming::decode(text.to_owned()) {
        Ok(Incoming::Many(batch)) => {
            batch.split(max).map(|all| all.len()).map_err(|refused| refused.error.code)
        }
        _ => panic!("not a batch: {text}"),
    };
    let one = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(split(&format!("[{one}]"), 100), Ok(1));
    assert_eq!(split(&format!("[{one},{one},7]"), 100), Ok(3));
    assert_eq!(split("[]", 100), Err(ErrorCode::INVALID_REQUEST));
    assert_eq!(split("[", 100), Err(ErrorCode::PARSE));
    assert_eq!(
        split(&format!("[{}]", vec!["1"; 101].join(",")), 100),
        Err(ErrorCode::INVALID_REQUEST)
    );
}

#[test]
fn the_method_table_is_exact_in_both_directions() {
    for method in Method::ALL {
        assert_eq!(Method::parse(method.as_str()), Some(*method));
        assert!(method.facts().since <= method.facts().until);
    }
}
