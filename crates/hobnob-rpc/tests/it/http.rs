//! The native RPC over HTTP: a stream for clients that accept one, a single response for others.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::test_view::{Listening, TIMEOUT, connect_with_small_buffer, hash_of, listen, until};
use hobnob_mcp_http::{HttpLimits, HttpOptions};
use hobnob_rpc::RpcLimits;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

const BOTH: &str = "Accept: application/json, text/event-stream\r\n";
const JSON: &str = "Accept: application/json\r\n";

/// A connection on which a request was sent, and the text read from it.
struct Exchange {
    stream: TcpStream,
    text: String,
}

impl Exchange {
    /// Posts a body with these header lines.
    async fn post(view: &Listening, headers: &str, body: &str) -> Self {
        let stream = TcpStream::connect(view.address).await.unwrap();
        Self::post_on(stream, view, headers, body).await
    }

    async fn post_on(mut stream: TcpStream, view: &Listening, headers: &str, body: &str) -> Self {
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{headers}\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            view.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        Self { stream, text: String::new() }
    }

    /// Reads until this text has arrived.
    async fn until(&mut self, wanted: &str) {
        let reading = async {
            let mut buffer = [0; 4096];
            while !self.text.contains(wanted) {
                let count = self.stream.read(&mut buffer).await.unwrap();
                assert_ne!(count, 0, "`{wanted}` never came: {}", self.text);
                self.text.push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        };
        assert!(timeout(TIMEOUT, reading).await.is_ok(), "`{wanted}` did not come: {}", self.text);
    }

    /// Reads to the end; returns the response without chunk sizes and dates.
    async fn end(mut self) -> String {
        let reading = self.stream.read_to_string(&mut self.text);
        timeout(TIMEOUT, reading).await.unwrap().unwrap();
        let is_chunked = self.text.contains("\r\ntransfer-encoding: chunked\r\n");
        assert!(!is_chunked || self.text.ends_with("\r\n0\r\n\r\n"), "cut off: {}", self.text);
        let lines = self.text.split("\r\n").filter(|line| {
            let is_size = !line.is_empty() && line.bytes().all(|it| it.is_ascii_hexdigit());
            !is_size && !line.starts_with("date:")
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn ask(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

async fn view() -> Listening {
    listen(RpcLimits::default(), HttpOptions::default()).await
}

#[tokio::test]
async fn events_are_a_stream_that_begins_at_once() {
    let view = view().await;
    let body = ask("bash.execute", &json!(["say one\nwait\nsay two"]));
    let mut exchange = Exchange::post(&view, BOTH, &body).await;
    exchange.until(r#""data":"one\n""#).await;
    // The producer still waits, so this event was sent before its end.
    assert_eq!(view.stage.running(), 1);
    view.stage.open_gate();
    let hash = hash_of("bash.execute");
    let event = |sequence: u32, result: &str| {
        format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"bash.execute\",\"params\":{{\"subscription\":1,\
             \"result\":{result},\"sequence\":{sequence},\"provenance\":[\"substrate\",\"bash\"],\
             \"hash\":\"{hash}\"}}}}\n\n\n"
        )
    };
    let expected = [
        "HTTP/1.1 200 OK\ncontent-type: text/event-stream\ncache-control: no-cache\n\
         x-accel-buffering: no\nconnection: close\ntransfer-encoding: chunked\n\n\
         data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1}\n\n\n"
            .to_owned(),
        event(1, r#"{"type":"start"}"#),
        event(2, r#"{"type":"stdout","data":"one\n"}"#),
        event(3, r#"{"type":"stdout","data":"two\n"}"#),
        event(4, r#"{"type":"complete","exit_code":0}"#),
    ];
    assert_eq!(exchange.end().await.trim_end(), expected.concat().trim_end());
}

#[tokio::test]
async fn whoever_reads_no_stream_gets_everything_in_one_response() {
    let view = view().await;
    let body = ask("bash.execute", &json!(["say one\nfail no"]));
    let text = Exchange::post(&view, JSON, &body).await.end().await;
    assert!(text.starts_with("HTTP/1.1 200 OK\ncontent-type: application/json\n"), "{text}");
    let answer: Value = serde_json::from_str(text.split_once("\n\n").unwrap().1).unwrap();
    let events = answer["result"]["events"].as_array().unwrap();
    let results: Vec<&Value> = events.iter().map(|event| &event["result"]).collect();
    assert_eq!(
        json!(results),
        json!([{"type": "start"}, {"type": "stdout", "data": "one\n"}, {"type": "error", "message": "no"}])
    );
    assert_eq!(events[2]["sequence"], 3);
    assert_eq!(answer["result"]["subscription"], 1);

    // More events than one response can hold.
    let body = ask("bash.execute", &json!(["flood 10000"]));
    let text = Exchange::post(&view, JSON, &body).await.end().await;
    assert!(text.len() < 5 << 20, "{} bytes", text.len());
    let end = &text[text.len() - 400..];
    assert!(end.contains("accept text/event-stream") && end.contains(r#""type":"error""#), "{end}");
    view.stage.until_running(0).await;
}

#[tokio::test]
async fn what_is_only_an_answer_is_json() {
    let view = view().await;
    let text = Exchange::post(&view, BOTH, &ask("echo.hash", &json!(["once"]))).await.end().await;
    assert!(text.contains("content-type: application/json"), "{text}");
    assert!(
        text.ends_with(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":"{}"}}"#,
            hash_of("echo.once")
        )),
        "{text}"
    );
    for (method, params, status) in [
        ("bash.exceute", json!([]), "HTTP/1.1 404 Not Found"),
        ("bash.execute", json!([1, 2, 3]), "HTTP/1.1 400 Bad Request"),
    ] {
        let text = Exchange::post(&view, BOTH, &ask(method, &params)).await.end().await;
        assert!(text.starts_with(status), "{method}: {text}");
    }
    // A legacy client takes any status other than 200 for a broken transport.
    let headers = format!("{BOTH}Mcp-Session-Id: none\r\n");
    let text = Exchange::post(&view, &headers, &ask("nonsense", &json!({}))).await.end().await;
    assert!(text.starts_with("HTTP/1.1 200 OK") && text.contains("-32601"), "{text}");
    // MCP on the same address still needs its session.
    let text = Exchange::post(&view, BOTH, &ask("tools/list", &json!({}))).await.end().await;
    assert!(text.contains("server not initialized"), "{text}");
}

#[tokio::test]
async fn a_client_that_goes_away_ends_its_call() {
    let view = view().await;
    for accepts in [BOTH, JSON] {
        let body = ask("bash.execute", &json!(["say one\nwait"]));
        let exchange = Exchange::post(&view, accepts, &body).await;
        view.stage.until_running(1).await;
        drop(exchange);
        view.stage.until_running(0).await;
    }
}

/// The call ends while its client does not read, and the client learns why when it reads again.
#[tokio::test]
async fn a_stalled_reader_finds_the_error_at_the_end_of_its_stream() {
    let limits = RpcLimits { slow_reader: Duration::from_millis(50), ..RpcLimits::default() };
    let view = listen(limits, HttpOptions::default()).await;
    let stream = connect_with_small_buffer(view.address).await;
    // More than the buffers of both sockets and Hobnob's own hold.
    let body = ask("bash.execute", &json!(["flood 20000"]));
    let exchange = Exchange::post_on(stream, &view, BOTH, &body).await;
    let emitted = || view.stage.emitted.load(Ordering::SeqCst);
    until("the call began", || 0 < emitted()).await;
    view.stage.until_running(0).await;
    assert!(emitted() < 20_000, "all events went somewhere");
    let text = exchange.end().await;
    let events: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
        .filter(|message: &Value| message["method"] == "bash.execute")
        .collect();
    for (event, sequence) in events.iter().zip(1..) {
        assert_eq!(event["params"]["sequence"], sequence);
    }
    let last = &events.last().unwrap()["params"]["result"];
    assert_eq!(last["type"], "error", "{last}");
    let message = last["message"].as_str().unwrap();
    assert!(message.starts_with("the client reads too slowly"), "{message}");
    assert_eq!(events.len(), emitted() + 2, "events were lost");
}

/// Otherwise the error would be dropped with its connection.
#[test]
fn a_stalled_reader_has_time_to_read_the_error() {
    let grace =
        HttpLimits::default().write_stall.checked_sub(RpcLimits::default().slow_reader).unwrap();
    assert!(Duration::from_secs(30) <= grace, "{grace:?}");
}

#[tokio::test]
async fn the_guard_is_the_same() {
    let view = view().await;
    let body = ask("bash.execute", &json!(["say one"]));
    let headers = format!("{BOTH}Origin: https://evil.example\r\n");
    let text = Exchange::post(&view, &headers, &body).await.end().await;
    assert!(text.starts_with("HTTP/1.1 403 Forbidden"), "{text}");
    assert_eq!(view.stage.running(), 0);
}
