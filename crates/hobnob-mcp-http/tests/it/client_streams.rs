//! Streams that break: resumed exactly where they broke (legacy), or reported as broken.

use std::time::Duration;

use hobnob_mcp_transport::Carrier as _;
use hobnob_mcp_types::Revision;
use tokio::time::Instant;

use crate::client_raw::{CHUNKED, RawServer, STREAM};
use crate::client_recorder::{TestClient, assert_line};

fn note(number: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"data":{number}}}}}"#)
}

const RESULT: &str = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;

#[tokio::test]
async fn a_broken_stream_is_taken_up_after_its_last_whole_event() {
    // The connection may end within a chunk, within an event, or properly.
    let cuts = ["5\r\nda", "a\r\nid: 9\ndata\r\n", "f\r\nid: 9\ndata: {\"j\r\n", "0\r\n\r\n"];
    for cut in cuts {
        let mut raw = RawServer::start().await;
        let mut client = TestClient::raw(&raw);
        client.call(7);
        let mut asked = raw.next().await;
        asked.write(CHUNKED).await;
        asked.chunk(&format!("retry: 10\nid: 1\ndata: {}\n\n", note(1))).await;
        asked.chunk(&format!("id: 2\ndata: {}\n\n", note(2))).await;
        asked.answer(cut).await;
        let mut again = raw.next().await;
        assert_eq!(again.line(), "GET /mcp?key=canary-key");
        assert_eq!(again.header("last-event-id"), Some("2"));
        assert_eq!(again.header("accept"), Some("text/event-stream"));
        assert_eq!(again.header("content-length"), None);
        again.write(CHUNKED).await;
        again.chunk(&format!("id: 3\ndata: {}\n\n", note(3))).await;
        again.answer(cut).await;
        let mut last = raw.next().await;
        assert_eq!(last.header("last-event-id"), Some("3"));
        last.write(STREAM).await;
        last.answer(&format!("id: 4\ndata: {RESULT}\n\n")).await;
        for number in 1..=3 {
            let expected = format!("note notifications/message {number}, on 7");
            assert_eq!(client.received.next().await, expected);
        }
        assert_eq!(client.received.next().await, "answer 7 {}, on 7");
        assert_eq!(client.finish().await.rest(), [""; 0], "{cut:?}");
        assert_eq!(raw.unread(), 0, "{cut:?}");
    }
}

#[tokio::test]
async fn the_wait_that_the_server_asks_for_is_kept() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    client.call(7);
    let asked = raw.next().await;
    let closed = Instant::now();
    asked.answer(&format!("{STREAM}id: 1\nretry: 500\ndata: \n\n")).await;
    let again = raw.next().await;
    let waited = again.at - closed;
    assert!(waited >= Duration::from_millis(500), "{waited:?}");
    again.answer(&format!("{STREAM}data: {RESULT}\n\n")).await;
    assert_eq!(client.received.next().await, "answer 7 {}, on 7");
}

#[tokio::test]
async fn what_cannot_be_taken_up_is_broken() {
    // A modern stream is never resumed; a legacy stream only with an event id.
    for (modern, events) in [(true, "id: 1\ndata: \n\n"), (false, "data: \n\n"), (false, "id: 9")] {
        let mut raw = RawServer::start().await;
        let mut client = TestClient::raw(&raw);
        if modern {
            client.call_modern(7)
        } else {
            client.call(7)
        }
        raw.next().await.answer(&format!("{STREAM}retry: 0\n{events}")).await;
        assert_line(&client.received.next().await, "lost 7 broken: ");
        assert_eq!(client.finish().await.rest(), [""; 0], "{events:?}");
        assert_eq!(raw.unread(), 0, "{events:?}");
    }
}

#[tokio::test]
async fn a_server_that_will_not_continue_is_believed() {
    // Even a forgotten session must not look as if the request had not run.
    for status in [204, 400, 401, 403, 404, 405, 410] {
        let mut raw = RawServer::start().await;
        let mut client = TestClient::raw(&raw);
        client.call(7);
        raw.next().await.answer(&format!("{STREAM}retry: 0\nid: 1\ndata: \n\n")).await;
        raw.next().await.reply(status, "", "").await;
        let expected =
            format!("lost 7 broken: the stream broke and was not continued: HTTP {status}");
        assert_eq!(client.received.next().await, expected);
        client.finish().await;
        assert_eq!(raw.unread(), 0, "{status}");
    }
}

#[tokio::test]
async fn a_server_in_trouble_is_asked_five_times() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    client.call(7);
    raw.next().await.answer(&format!("{STREAM}retry: 0\nid: 1\ndata: \n\n")).await;
    for _ in 0..4 {
        raw.next().await.reply(503, "", "").await;
    }
    raw.next().await.answer("").await;
    assert_line(
        &client.received.next().await,
        "lost 7 broken: the stream broke and was not continued: ",
    );
    client.finish().await;
    assert_eq!(raw.unread(), 0);
}

#[tokio::test]
async fn a_waiting_exchange_can_be_let_go() {
    let mut raw = RawServer::start().await;
    let client = TestClient::raw(&raw);
    client.call(7);
    raw.next().await.answer(&format!("{STREAM}retry: 60000\nid: 1\ndata: \n\n")).await;
    client.carrier.abandon(&7.into());
    assert_eq!(client.finish().await.rest(), [""; 0]);
    assert_eq!(raw.unread(), 0);
}

#[tokio::test]
async fn an_answer_on_the_standing_stream_ends_its_exchange() {
    let mut raw = RawServer::start().await;
    let mut client = TestClient::raw(&raw);
    client.carrier.greeted(Revision::NEWEST_LEGACY);
    let mut standing = raw.next().await;
    standing.write(STREAM).await;
    client.call(7);
    let mut asked = raw.next().await;
    asked.write(STREAM).await;
    standing.write(&format!("data: {RESULT}\n\n")).await;
    assert_eq!(client.received.next().await, "answer 7 {}, aside");
    asked.closed().await;
    client.carrier.close();
    assert_eq!(client.finish().await.rest(), [""; 0]);
}
