//! Dropping a stream closes the connection, in every phase; the server sees it.

use hobnob_llm::{ModelEvent, Provider as _, ProviderDialect};

use crate::server::{LINES, ModelServer, Step, provider, question, stream};
use crate::streams::ALL;

#[tokio::test]
async fn a_dropped_stream_closes_the_connection() {
    for answer in &ALL {
        let mut steps = stream(answer.kind, answer.beginning, 8);
        steps.push(Step::Hold);
        let mut server = ModelServer::start(vec![steps]).await;
        let mut stream = provider(&server, answer.dialect).chat(question());
        while !matches!(stream.next().await, Some(Ok(ModelEvent::Text(_)))) {}
        drop(stream);
        server.client_gone().await;
    }
}

#[tokio::test]
async fn so_does_one_that_is_dropped_before_the_answer_begins() {
    let mut server = ModelServer::start(vec![vec![Step::Hold]]).await;
    for answer in &ALL {
        let stream = provider(&server, answer.dialect).chat(question());
        // The request has arrived, and its answer has not begun.
        while server.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        drop(stream);
        server.client_gone().await;
    }
}

#[tokio::test]
async fn a_reader_that_stops_reading_holds_the_server_back() {
    // Far more than the queue and the buffers of both sockets hold: 42 MB.
    const PIECES: usize = 700;
    let line = format!("{{\"message\":{{\"content\":\"{}\"}}}}\n", "x".repeat(60_000));
    let mut steps = vec![Step::Head(LINES)];
    steps.extend((0..PIECES).map(|_| Step::Piece(line.clone().into_bytes())));
    let server = ModelServer::start(vec![steps]).await;
    let mut stream = provider(&server, ProviderDialect::Ollama).chat(question());
    assert!(matches!(stream.next().await, Some(Ok(ModelEvent::Started { .. }))));
    let before = server.stalled().await;
    assert!(before < PIECES, "{before}");
    // Reading makes room again.
    for _ in 0..before {
        let next = stream.next().await.unwrap().unwrap();
        assert!(matches!(next, ModelEvent::Text(text) if text.len() == 60_000));
    }
    let after = server.stalled().await;
    assert!(before < after && after < PIECES + 2, "{before} {after}");
}
