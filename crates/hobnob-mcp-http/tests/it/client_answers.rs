//! One request, one HTTP answer: what is delivered, what is lost, and what never leaves.

use std::net::TcpListener;

use hobnob_mcp_http::client::HttpClientLimits;
use hobnob_mcp_transport::{Carrier as _, Outgoing, OutgoingKind, RequestHead, SendError};
use hobnob_mcp_types::{Method, Revision};
use serde_json::{Value, json};

use crate::client_raw::RawServer;
use crate::client_recorder::{CANARY, TestClient, assert_line};
use crate::mcp_server::{MODERN, NEWEST_LEGACY};

const RESULT: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"ok":1}}"#;

#[tokio::test]
async fn an_answer_may_be_json_or_a_stream() {
    let note = r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#;
    let stream = format!(": hi\n\nid: 1\ndata:\n\nevent: ping\ndata: x\n\ndata: {note}\n\n");
    let answer = "answer 7 {\"ok\":1}, on 7";
    let batch = format!("[{note},{RESULT}]");
    let note_received = "note notifications/progress, on 7";
    let unread = |code: &str| match code {
        "-32700" => vec!["garbage -32700, on 7"],
        _ => vec!["garbage -32600, on 7"],
    };
    let cases: Vec<(&str, String, Vec<&str>)> = vec![
        ("application/json", RESULT.into(), vec![answer]),
        ("application/json; charset=utf-8", RESULT.into(), vec![answer]),
        ("application/json", batch.clone(), vec![note_received, answer]),
        ("application/json", RESULT.replace('7', "\"7\""), vec![answer]),
        ("application/json", RESULT.replace('7', "null"), vec![answer]),
        ("text/event-stream", format!("data: {RESULT}\n\n"), vec![answer]),
        ("text/event-stream", format!("{stream}data: {RESULT}\n\n"), vec![note_received, answer]),
        ("text/event-stream", format!("data: {batch}\n\n"), vec![note_received, answer]),
        (
            "text/event-stream",
            format!("data: {RESULT}\n\ndata: {note}\n\n"),
            vec![answer, note_received],
        ),
        (
            "text/event-stream",
            format!("data: rubbish\n\ndata: {RESULT}\n\n"),
            vec!["garbage -32700, aside", answer],
        ),
        // An unreadable message counts as the answer if it looks like one; else it is ignored.
        (
            "application/json",
            r#"{"jsonrpc":"2.0","id":7,"result":{"n":NaN}}"#.into(),
            unread("-32700"),
        ),
        (
            "text/event-stream",
            "data: {\"result\":{\"a\":1,\"a\":2},\"jsonrpc\":\"2.0\",\"id\":7}\n\n".into(),
            unread("-32600"),
        ),
        (
            "text/event-stream",
            "data: {\"jsonrpc\":\"2.0\",\"result\":{\"a\":1,\"a\":2}}\n\n".into(),
            unread("-32600"),
        ),
        (
            "text/event-stream",
            format!(
                "data: {}\n\ndata: {RESULT}\n\n",
                note.replace('}', ",\"params\":{\"n\":NaN}}")
            ),
            vec!["garbage -32700, aside", answer],
        ),
        (
            "application/json",
            r#"{"jsonrpc":"2.0","id":7,"result":{"ok":"\ud83d"}}"#.into(),
            vec!["answer 7 {\"ok\":\"\\ufffd\"}, on 7"],
        ),
    ];
    for (kind, body, expected) in cases {
        let mut raw = RawServer::start().await;
        let client = TestClient::raw(&raw);
        client.call_modern(7);
        raw.next().await.reply(200, &format!("Content-Type: {kind}\r\n"), &body).await;
        assert_eq!(client.finish().await.rest(), expected, "{body}");
        assert_eq!(raw.unread(), 0, "{body}");
    }
}

#[tokio::test]
async fn a_refusal_is_what_its_body_or_its_status_says() {
    let error = |id: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32020,"message":"no"}}}}"#)
    };
    let no_id = error("null").replace("\"id\":null,", "");
    let json = "Content-Type: application/json\r\n";
    let received = "error 7 -32020 no, on 7";
    let cases: Vec<(u16, String, String, &str)> = vec![
        (400, json.into(), error("7"), received),
        (400, json.into(), error("null"), received),
        (400, json.into(), no_id, received),
        (400, json.into(), error("\"server-error\""), received),
        (404, json.into(), error("7"), received),
        (403, json.into(), error("null"), received),
        (500, json.into(), error("7"), received),
        (400, json.into(), "{\"error\":\"x\"}".into(), "lost 7 status 400 \"{\\\"error"),
        (400, String::new(), error("7"), "lost 7 status 400 "),
        (400, String::new(), String::new(), "lost 7 status 400 \"\" None"),
        (405, String::new(), String::new(), "lost 7 status 405 "),
        (404, String::new(), "gone".into(), "lost 7 status 404 \"gone\" None"),
        (502, String::new(), format!("{CANARY}!"), "lost 7 status 502 \"[redacted]!\" None"),
        (503, "Retry-After: 3\r\n".into(), String::new(), "lost 7 status 503 \"\" Some(3s)"),
        (429, "Retry-After: 0\r\n".into(), String::new(), "lost 7 status 429 \"\" Some(0ns)"),
        (401, String::new(), String::new(), "lost 7 unauthorized None"),
        (403, String::new(), String::new(), "lost 7 unauthorized None"),
        (
            401,
            format!("{json}WWW-Authenticate: Bearer x\r\n"),
            error("null"),
            "lost 7 unauthorized Some(\"Bearer x\")",
        ),
        (
            403,
            format!("{json}WWW-Authenticate: Bearer y\r\nWWW-Authenticate: Basic\r\n"),
            error("null"),
            "lost 7 unauthorized Some(\"Bearer y, Basic\")",
        ),
        (302, "Location: /elsewhere\r\n".into(), String::new(), "lost 7 status 302 \"a redirect"),
        (200, "Content-Type: text/html\r\n".into(), "<p>".into(), "lost 7 status 200 \"<p>\" None"),
        (202, String::new(), String::new(), "lost 7 status 202 \"\" None"),
        (200, json.into(), RESULT.replace('7', "8"), "answer 8 {\"ok\":1}, on 7"),
        (200, json.into(), "rubbish".into(), "garbage -32700, on 7"),
    ];
    for (status, headers, body, expected) in cases {
        let mut raw = RawServer::start().await;
        let mut client = TestClient::raw(&raw);
        client.call_modern(7);
        raw.next().await.reply(status, &headers, &body).await;
        assert_line(&client.received.next().await, expected);
        let rest = client.finish().await.rest();
        let answered_other = expected.starts_with("answer 8");
        assert_eq!(rest.len(), usize::from(answered_other), "{status} {body}: {rest:?}");
    }
}

#[tokio::test]
async fn a_large_answer_fails_its_request_only() {
    let limits = HttpClientLimits {
        body_bytes: 1000,
        event_bytes: 1000,
        error_bytes: 1000,
        ..HttpClientLimits::default()
    };
    let mut raw = RawServer::start().await;
    let mut client = TestClient::with(&raw.url(), limits);
    let large = "x".repeat(2000);
    let kinds = ["application/json", "text/event-stream"];
    for (kind, expected) in kinds.into_iter().zip([
        "lost 7 broken: the answer is larger than",
        "lost 7 broken: server-sent event is larger than",
    ]) {
        // With an announced length, and without.
        for framing in ["Content-Length: 5000\r\n", ""] {
            client.call_modern(7);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{framing}\r\n");
            let mut asked = raw.next().await;
            asked.write(&format!("{head}data: {large}")).await;
            assert_line(&client.received.next().await, expected);
            asked.closed().await;
        }
    }
    // An endless error is cut, so it is no JSON-RPC any more.
    client.call_modern(7);
    let mut asked = raw.next().await;
    asked.write("HTTP/1.1 400 X\r\nContent-Type: application/json\r\n\r\n").await;
    asked.write(&format!("{{\"x\":\"{large}")).await;
    assert_line(&client.received.next().await, "lost 7 status 400 \"{\\\"x\\\":\\\"xxx");
    asked.closed().await;
    client.call_modern(8);
    raw.next().await.result("").await;
    assert_eq!(client.received.next().await, "answer 8 {}, on 8");
    assert_eq!(client.finish().await.rest(), [""; 0]);
}

#[tokio::test]
async fn the_client_distinguishes_a_request_never_sent_from_one_that_may_have_run() {
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = nobody.local_addr().expect("its address");
    drop(nobody);
    let mut client = TestClient::to(&format!("http://{address}/mcp?key=canary-key"));
    client.call_modern(1);
    assert_line(&client.received.next().await, "lost 1 unsent: ");
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    for beginning in ["", "HTTP/1.1 200 OK\r\n", "rubbish\r\n\r\n"] {
        client.call_modern(2);
        raw.next().await.answer(beginning).await;
        assert_line(&client.received.next().await, "lost 2 broken: ");
    }
    client.call_modern(3);
    let half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{";
    raw.next().await.answer(half).await;
    assert_line(&client.received.next().await, "lost 3 broken: ");
    assert_eq!(client.finish().await.rest(), [""; 0]);
}

#[tokio::test]
async fn redirects_keep_to_their_origin() {
    let mut raw = RawServer::start().await;
    let mut elsewhere = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    // Within the origin, method, body and headers go along.
    client.call_modern(1);
    raw.next().await.reply(307, "Location: /there\r\n", "").await;
    let again = raw.next().await;
    assert_eq!(again.line(), "POST /there");
    assert_eq!(again.header("authorization"), Some(CANARY));
    assert_eq!(again.message()["id"], 1);
    assert_eq!(again.header("referer"), None);
    again.result("").await;
    assert_eq!(client.received.next().await, "answer 1 {}, on 1");
    // Not to another origin, not with another method, not in circles.
    for status in [301, 302, 303, 307, 308] {
        client.call_modern(2);
        let location = format!("Location: http://{}/mcp?key=canary-key\r\n", elsewhere.address);
        raw.next().await.reply(status, &location, "").await;
        let line = client.received.next().await;
        assert_line(&line, &format!("lost 2 status {status} \"a redirect to http://127.0.0.1:"));
    }
    client.call_modern(3);
    for _ in 0..4 {
        raw.next().await.reply(308, "Location: /there\r\n", "").await;
    }
    assert_line(&client.received.next().await, "lost 3 status 308 ");
    assert_eq!((raw.unread(), elsewhere.unread()), (0, 0));
}

#[tokio::test]
async fn a_modern_request_says_itself_in_its_headers() {
    let mut raw = RawServer::start().await;
    let client = TestClient::raw(&raw);
    let head = RequestHead {
        id: 7.into(),
        method: Method::ToolsCall,
        revision: Some(Revision::NEWEST),
        name: Some("grüezi".into()),
        mirrored: vec![("Region".into(), "eu".into()), ("Empty".into(), " ".into())],
    };
    client.send(7.into(), head, &json!({}));
    let asked = raw.next().await;
    assert_eq!(asked.line(), "POST /mcp?key=canary-key");
    for (name, value) in [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?Z3LDvGV6aQ==?="),
        ("mcp-param-region", "eu"),
        ("mcp-param-empty", "=?base64?IA==?="),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("authorization", CANARY),
    ] {
        assert_eq!(asked.header(name), Some(value), "{name}");
    }
    let mut names = asked.names();
    names.retain(|name| !name.starts_with("mcp-"));
    names.sort();
    let plain = ["accept", "authorization", "content-length", "content-type", "host", "user-agent"];
    assert_eq!(names, plain);
    asked.result("Mcp-Session-Id: not-for-us\r\nSet-Cookie: a=b\r\n").await;
    client.finish().await;
}

#[tokio::test]
async fn a_legacy_request_names_its_revision_where_that_has_a_header() {
    let mut raw = RawServer::start().await;
    let client = TestClient::raw(&raw);
    for revision in Revision::ALL {
        client.request(1, Method::ToolsList, &json!({}), Some(revision));
        let asked = raw.next().await;
        let expected = (revision.as_str() >= "2025-06-18").then_some(revision.as_str());
        assert_eq!(asked.header("mcp-protocol-version"), expected, "{revision}");
        let modern = revision.as_str() == MODERN;
        assert_eq!(asked.header("mcp-method").is_some(), modern, "{revision}");
        asked.result("").await;
    }
    client.initialize(2, NEWEST_LEGACY);
    assert_eq!(raw.next().await.header("mcp-protocol-version"), None);
}

#[tokio::test]
async fn a_name_that_is_no_header_is_not_sent() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    let head = RequestHead {
        id: 7.into(),
        method: Method::ToolsCall,
        revision: Some(Revision::NEWEST),
        name: None,
        mirrored: vec![("a b".into(), String::new())],
    };
    client.send(7.into(), head, &json!({}));
    assert_line(&client.received.next().await, "lost 7 unsent: `a b`");
    assert_eq!(raw.unread(), 0);
}

/// Requests have one limit, and messages without an answer have another: an answer or a
/// cancellation is sent even if there is no room for another request.
#[tokio::test]
async fn no_more_than_a_bounded_number_is_under_way() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    let request = |id: i64| {
        let head = RequestHead {
            id: id.into(),
            method: Method::Ping,
            revision: None,
            name: None,
            mirrored: Vec::new(),
        };
        let text = json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string();
        Outgoing { text, kind: OutgoingKind::Request(head) }
    };
    let remark = || Outgoing {
        text: json!({"jsonrpc": "2.0", "method": "x"}).to_string(),
        kind: OutgoingKind::OneWay { revision: None },
    };
    let full = (0..).find_map(|id| client.carrier.send(request(id)).err().map(|error| (id, error)));
    assert_eq!(full, Some((1024, SendError::Full)));
    assert_eq!(client.carrier.send(remark()), Ok(()));
    // None of them has been sent yet, since the test has not awaited anything.
    (0..1024).for_each(|id| client.carrier.abandon(&id.into()));
    raw.next().await.reply(202, "", "").await;
    crate::client::wait_for("room", async {
        while client.carrier.send(request(2000)).is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    raw.next().await.result("").await;
    assert_line(&client.received.next().await, "answer 2000 ");
    let full =
        (0..).find_map(|count| client.carrier.send(remark()).err().map(|error| (count, error)));
    assert!(full.is_some_and(|(count, error)| count <= 1024 && error == SendError::Full));
    client.carrier.close();
}

#[tokio::test]
async fn letting_a_request_go_closes_its_connection() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    let heads = ["", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: hi\n\n"];
    for head in heads {
        client.call_modern(1);
        client.call_modern(2);
        let (mut first, second) = (raw.next().await, raw.next().await);
        let (id, other) = (first.message()["id"].clone(), second.message()["id"].clone());
        first.write(head).await;
        client.carrier.abandon(&id_of(&id));
        first.closed().await;
        // The other request goes on.
        second.result("").await;
        assert_eq!(client.received.next().await, format!("answer {other} {{}}, on {other}"));
        client.carrier.abandon(&id_of(&other));
    }
    assert_eq!(client.finish().await.rest(), [""; 0]);
}

fn id_of(id: &Value) -> hobnob_mcp_types::RequestId {
    id.as_i64().unwrap_or_default().into()
}

#[tokio::test]
async fn after_the_end_nothing_is_sent_and_nothing_received() {
    let mut raw = RawServer::start().await;
    let client = TestClient::raw(&raw);
    client.call_modern(1);
    let asked = raw.next().await;
    client.carrier.close();
    client.carrier.close();
    asked.closed().await;
    let message = Outgoing { text: "{}".into(), kind: OutgoingKind::OneWay { revision: None } };
    assert_eq!(client.carrier.send(message), Err(SendError::Ended));
    assert_eq!(client.finish().await.rest(), [""; 0]);
    assert_eq!(raw.unread(), 0, "without a session there is nothing to delete");
}
