//! Malformed and ambiguous messages (T04, T05, T11): each is refused by itself, none makes the
//! server fail, and a well-behaved client never notices.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use serde_json::{Value, json};

use crate::client::{Connection, TestRequest};
use crate::mcp_server::{
    LegacySession, MODERN, NEWEST_LEGACY, TestOptions, TestServer, initialize, modern_meta,
    notification, request, said,
};

/// A small pseudo-random generator with the same numbers in every run.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn roll(&mut self, sides: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

const FRAGMENTS: [&str; 24] = [
    "null",
    "true",
    "-1",
    "1e999",
    "0.5",
    "18446744073709551616",
    "\"\"",
    "[]",
    "{}",
    "[[[[[[[[",
    "}",
    "]",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\u{0}",
    "\u{feff}",
    "\u{1f600}",
    ":",
    ",",
    "//",
    "\"jsonrpc\":\"2.0\",",
    "\"id\":2,",
];

/// Damages a text in one to four places.
fn mutate(random: &mut RandomNumbers, text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.roll(4) {
        let at = random.roll(bytes.len() + 1);
        let end = (at + random.roll(12)).min(bytes.len());
        match random.roll(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..end, random.pick(&FRAGMENTS).bytes())),
            3 => drop(bytes.splice(at..at, random.pick(&FRAGMENTS).bytes())),
            4 => {
                let copy = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, copy));
            }
            _ if at < bytes.len() => bytes[at] = random.roll(256) as u8,
            _ => {}
        }
    }
    bytes
}

/// Replaces one to three values by values of other types, so that the text stays JSON.
fn distort(random: &mut RandomNumbers, text: &str) -> Vec<u8> {
    let mut value: Value = serde_json::from_str(text).unwrap();
    for _ in 0..=random.roll(3) {
        let mut place = &mut value;
        loop {
            let count = match &*place {
                Value::Array(items) => items.len(),
                Value::Object(members) => members.len(),
                _ => 0,
            };
            if count == 0 || random.roll(4) == 0 {
                break;
            }
            let chosen = random.roll(count);
            place = match place {
                Value::Array(items) => &mut items[chosen],
                Value::Object(members) => members.values_mut().nth(chosen).unwrap(),
                other => other,
            };
        }
        *place = match random.roll(8) {
            0 => Value::Null,
            1 => json!(-1.5),
            2 => json!(u64::MAX),
            3 => json!([]),
            4 => json!({}),
            5 => json!("x"),
            6 => json!("tools/list"),
            _ => json!([{"a": [null]}]),
        };
    }
    value.to_string().into_bytes()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_damaged_messages_harms_nobody() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let batches = LegacySession::open(&server, "2025-03-26").await;
    let control = LegacySession::open(&server, NEWEST_LEGACY).await;
    let echo = json!({"name": "echo", "arguments": {"text": "a"}});
    let mut stateless = echo.clone();
    stateless["_meta"] = modern_meta();
    let texts = [
        request(1, "tools/call", echo.clone()).to_string(),
        request("x", "tools/call", stateless).to_string(),
        request(2, "resources/read", json!({"uri": "test://one"})).to_string(),
        initialize(NEWEST_LEGACY, &json!({"sampling": {}})).to_string(),
        notification("notifications/cancelled", json!({"requestId": 1})).to_string(),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"a": [1, 2]}}).to_string(),
        json!([request(1, "tools/call", echo), request(2, "ping", json!({}))]).to_string(),
    ];
    let mut random = RandomNumbers(0x5eed);
    let mut connection = Connection::connect(server.address).await;
    let mut statuses = std::collections::BTreeMap::new();
    for turn in 0..4_000 {
        let text = &texts[turn % texts.len()];
        let damage = if turn % 2 == 0 { mutate } else { distort };
        let body = damage(&mut random, text);
        let http_request = match random.roll(6) {
            0..=2 => session.named(TestRequest::post(&body)),
            3 => batches.named(TestRequest::post(&body)),
            4 => TestRequest::post(&body)
                .header("MCP-Protocol-Version", MODERN)
                .header("Mcp-Method", "tools/call"),
            _ => TestRequest::post(&body),
        };
        let answer = connection.request(&http_request).await;
        let status = answer.status;
        let shown = || body.escape_ascii().to_string();
        assert!(matches!(status, 200 | 202 | 400 | 404), "{status} for {}", shown());
        *statuses.entry(status).or_insert(0) += 1;
        let streamed = answer.is_stream();
        let (text, kept) = answer.text_and_connection().await;
        if !streamed && status != 202 {
            let answer: Value = serde_json::from_str(&text).unwrap();
            let one = if answer.is_array() { &answer[0] } else { &answer };
            assert_eq!(one["jsonrpc"], "2.0", "{text} for {}", shown());
        }
        connection = kept;
        if turn % 500 == 0 {
            assert_eq!(said(&control.echo(turn, "control").await), "control");
        }
    }
    // The damaged messages must have got further than the first check.
    assert!([200, 202, 400].iter().all(|status| statuses.get(status) > Some(&50)), "{statuses:?}");
}

/// Messages that are wrong in one point, and the error code for each.
fn malformed() -> Vec<(&'static str, String, i64)> {
    let with = |id: &str, method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#)
    };
    let id = |id: &str| with(id, "\"ping\"", "{}");
    let long = format!("\"{}\"", "x".repeat(1 << 20));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    vec![
        ("id null", id("null"), -32600),
        ("id fraction", id("1.5"), -32600),
        ("id exponent", id("1e3"), -32600),
        ("id list", id("[1]"), -32600),
        ("id object", id("{}"), -32600),
        ("id true", id("true"), -32600),
        ("id of a mebibyte", id(&long), -32600),
        ("method number", with("1", "7", "{}"), -32600),
        ("method null", with("1", "null", "{}"), -32600),
        ("params too deep", with("1", "\"ping\"", &deep), -32700),
        ("deep alone", deep.clone(), -32600),
        ("half an escape", with("1", "\"pi\\ud8ng\"", "{}"), -32700),
        (
            "result and error",
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"a"}}"#.into(),
            -32600,
        ),
        (
            "result and method",
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#.into(),
            -32600,
        ),
        ("result without id", r#"{"jsonrpc":"2.0","result":{}}"#.into(), -32600),
        ("version as a number", r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#.into(), -32600),
        ("two messages", format!("{}{}", id("1"), id("2")), -32700),
        ("a comment", format!("{}//", id("1")), -32700),
    ]
}

#[tokio::test]
async fn each_malformed_message_is_refused_with_its_code() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    for (name, body, code) in malformed() {
        let modern = TestRequest::post(&body)
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Method", "ping");
        for http_request in
            [session.named(TestRequest::post(&body)), modern, TestRequest::post(&body)]
        {
            let answer = http_request.send(server.address).await;
            assert_eq!(answer.status, 400, "{name}");
            assert_eq!(answer.json().await["error"]["code"], code, "{name}");
        }
    }
    // The request's own era decides whether its parameters fit.
    for params in [json!(7), json!("a"), json!(true), json!([1])] {
        let body = request(1, "tools/list", params);
        let answer = session.send(&body).await;
        assert_eq!(answer.status, 200, "{body}");
        assert_eq!(answer.json().await["error"]["code"], -32602, "{body}");
        let modern = TestRequest::post(body.to_string())
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Method", "tools/list");
        let answer = modern.send(server.address).await;
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.json().await["error"]["code"], -32602, "{body}");
    }
    // A method name of a mebibyte is only unknown.
    let long = request(1, &"x".repeat(1 << 20), json!({}));
    let answer = session.send(&long).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json().await["error"]["code"], -32601);
}

/// Messages that two readers could read in two ways; `forbidden` must never run.
fn ambiguous_messages() -> Vec<(&'static str, String)> {
    let run_steps = r#"{"who":"forbidden","steps":[]}"#;
    let call = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
    };
    let echo = r#""arguments":{"text":"a"}"#;
    vec![
        (
            "two names",
            call(&format!(r#"{{"name":"echo","name":"run_steps","arguments":{run_steps}}}"#)),
        ),
        (
            "two arguments",
            call(&format!(r#"{{"name":"run_steps",{echo},"arguments":{run_steps}}}"#)),
        ),
        (
            "an escaped second name",
            call(&format!(r#"{{"name":"echo","n\u0061me":"run_steps","arguments":{run_steps}}}"#)),
        ),
        (
            "two methods",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{{"name":"run_steps","arguments":{run_steps}}}}}"#
            ),
        ),
        (
            "two params",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo",{echo}}},"params":{{"name":"run_steps","arguments":{run_steps}}}}}"#
            ),
        ),
        (
            "two ids",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{{"name":"run_steps","arguments":{run_steps}}}}}"#
            ),
        ),
        (
            "method in capitals",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call","params":{{"name":"run_steps","arguments":{run_steps}}}}}"#
            ),
        ),
        (
            "Method alone",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{{"name":"run_steps","arguments":{run_steps}}}}}"#
            ),
        ),
        (
            "long s",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{{"name":"run_steps","arguments":{run_steps}}},"params":{{"name":"echo",{echo}}}}}"#
            ),
        ),
        (
            "method with NUL",
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"ping","method\u0000":"tools/call","params":{{"name":"run_steps","arguments":{run_steps}}}}}"#
            ),
        ),
        (
            "name in capitals",
            call(&format!(r#"{{"name":"echo","Name":"run_steps","arguments":{run_steps}}}"#)),
        ),
    ]
}

#[tokio::test]
async fn a_message_with_two_meanings_runs_nothing() {
    let mut server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    for (name, body) in ambiguous_messages() {
        let answer = session.named(TestRequest::post(&body)).send(server.address).await;
        assert!(matches!(answer.status, 200 | 400), "{name}: {}", answer.status);
        let answer = answer.json().await;
        // Either the message is refused, or every reader takes it for the harmless one.
        let harmless = ["method with NUL"].contains(&name) && answer["result"] == json!({});
        assert!(answer["error"]["code"].is_i64() || harmless, "{name}: {answer}");
        assert_eq!(server.unread_events(), [], "{name}");
    }
    let names = ["echo\\u0000", "ECHO", "echo ", " echo", "\\u0065cho\\u200b", "e\u{441}ho"];
    for name in names {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#
        );
        let answer =
            session.named(TestRequest::post(&body)).send(server.address).await.json().await;
        assert_eq!(answer["error"]["code"], -32602, "{name}");
    }
}

#[tokio::test]
async fn a_body_without_end_costs_no_more_than_the_limit() {
    let mut options = TestOptions::default();
    options.http.limits.body = 64 * 1024;
    let server = TestServer::with(options).await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    // Announced, and never sent: the answer must not wait for it.
    let http_request = session.named(TestRequest::post(""));
    let chunk = format!("20000\r\n{}", " ".repeat(0x20000));
    let cases = [("Content-Length", "1073741824", ""), ("Transfer-Encoding", "chunked", &*chunk)];
    for (framing, value, beginning) in cases {
        let mut connection = Connection::connect(server.address).await;
        connection.send(&http_request.clone().unfinished(framing, value, beginning)).await;
        assert_eq!(connection.answer().await.status, 413, "{framing}");
    }
    assert_eq!(said(&session.echo(1, "alive").await), "alive");
}
