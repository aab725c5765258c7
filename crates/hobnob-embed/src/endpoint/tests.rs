//! An endpoint against a local server: the requests it sends, and how it handles each answer.

use std::time::Duration;

use serde_json::{Value, json};

use super::{ApiKey, EndpointEmbedder, EndpointOptions};
use crate::embedder::{EmbedError, Embedder as _};
use crate::tests::loopback::{Loopback, Reply, Request};

const KEY: &str = "sk-very-secret";

fn endpoint(server: &Loopback) -> EndpointEmbedder {
    let options = EndpointOptions::new(format!("{}/v1/", server.url), "tiny");
    EndpointEmbedder::new(EndpointOptions { key: Some(ApiKey::new(KEY)), ..options }).unwrap()
}

/// Answers with one vector per text, derived from its length, in reverse order.
fn answer(request: &Request) -> Reply {
    let question: Value = serde_json::from_slice(&request.body).unwrap();
    let texts = question["input"].as_array().unwrap().iter().enumerate();
    let row = |(index, text): (usize, &Value)| {
        let length = text.as_str().unwrap().chars().count();
        json!({"object": "embedding", "index": index, "embedding": [1, length, 0]})
    };
    let data: Vec<_> = texts.map(row).rev().collect();
    Reply::new(200, "", json!({"object": "list", "data": data}).to_string())
}

/// A server that gives these answers first, then good ones.
async fn after(replies: Vec<Reply>) -> Loopback {
    let mut replies = replies.into_iter();
    Loopback::start(move |request| replies.next().unwrap_or_else(|| answer(request))).await
}

#[tokio::test]
async fn texts_go_in_batches_and_vectors_come_in_order() {
    let server = Loopback::start(answer).await;
    let endpoint = endpoint(&server);
    let host = server.url.strip_prefix("http://").unwrap();
    assert_eq!(endpoint.model().as_str(), format!("openai:{host}:tiny"));
    assert_eq!(endpoint.dimensions(), None);
    assert_eq!(endpoint.embed(vec![]).await.unwrap(), []);
    assert!(server.seen().is_empty(), "nothing to ask for");

    let texts: Vec<_> = (0..130).map(|length| "ü".repeat(length)).collect();
    let vectors = endpoint.embed(texts).await.unwrap();
    assert_eq!(vectors.len(), 130);
    for (length, vector) in vectors.iter().enumerate() {
        let [x, y, z] = *vector.as_slice() else { panic!("{vector:?}") };
        // An empty text is sent as a space, because servers reject an empty one.
        assert!((y / x - length.max(1) as f32).abs() < 1e-3 && z == 0.0, "{length}: {vector:?}");
    }
    assert_eq!(endpoint.dimensions(), Some(3));

    let seen = server.seen();
    let counts: Vec<_> = seen.iter().map(|request| inputs(request).len()).collect();
    assert_eq!(counts, [64, 64, 2]);
    for request in seen {
        let question: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(
            (&question["model"], &question["encoding_format"]),
            (&json!("tiny"), &json!("float"))
        );
        assert!(request.head.starts_with("post /v1/embeddings http/1.1\r\n"), "{}", request.head);
        assert!(request.head.contains("\r\ncontent-type: application/json\r\n"));
        assert!(request.head.contains(&format!("\r\nauthorization: bearer {KEY}\r\n")));
    }
}

fn inputs(request: &Request) -> Vec<String> {
    let mut question: Value = serde_json::from_slice(&request.body).unwrap();
    serde_json::from_value(question["input"].take()).unwrap()
}

#[tokio::test]
async fn long_texts_are_cut() {
    let server = Loopback::start(answer).await;
    endpoint(&server).embed(vec!["北".repeat(8_001), "b".repeat(8_000)]).await.unwrap();
    let [request] = &server.seen()[..] else { panic!("one request") };
    assert_eq!(inputs(request), ["北".repeat(8_000), "b".repeat(8_000)]);
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let soon = "retry-after: 0\r\n";
    let busy = |status| Reply::new(status, soon, "busy");
    // The connection that ends without an answer costs the first wait of our own policy.
    let server = after(vec![busy(429), Reply::Whole(vec![]), busy(503)]).await;
    let vectors = endpoint(&server).embed(vec!["a".into()]).await.unwrap();
    assert_eq!((vectors.len(), server.seen().len()), (1, 4));

    let server = Loopback::start(move |_| Reply::new(500, soon, "down")).await;
    let error = endpoint(&server).embed(vec!["a".into()]).await.unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { .. }), "{error}");
    assert!(error.to_string().ends_with("status 500: down"), "{error}");
    assert_eq!(server.seen().len(), 4);

    let server = Loopback::start(|_| Reply::new(429, "retry-after: 3600\r\n", "")).await;
    let error = endpoint(&server).embed(vec!["a".into()]).await.unwrap_err();
    let EmbedError::Unavailable { retry_after, .. } = error else { panic!("{error}") };
    assert_eq!(retry_after, Some(Duration::from_secs(3600)));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_refusal_is_final_and_does_not_show_the_key() {
    for (status, headers, said) in [
        (400, "", "the model is not known\n"),
        (401, "retry-after: 0\r\n", "the key sk-very-secret is wrong"),
        (302, "location: http://127.0.0.1:9/\r\n", ""),
    ] {
        let server = Loopback::start(move |_| Reply::new(status, headers, said)).await;
        let error = endpoint(&server).embed(vec!["a".into()]).await.unwrap_err();
        let text = error.to_string();
        let EmbedError::Refused { status: found, reason: said } = error else { panic!("{error}") };
        assert_eq!(found, status);
        assert!(!text.contains(KEY) && !said.is_empty() && !said.contains('\n'), "{text}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_error() {
    let row = |numbers: Value| json!({"data": [{"index": 0, "embedding": numbers}]}).to_string();
    for (what, body, why) in [
        ("no JSON", "<html>".to_owned(), "expected value"),
        ("no vector", json!({"data": []}).to_string(), "0 vectors for 1 texts"),
        ("no direction", row(json!([0, 0])), "no direction"),
        ("no end", " ".repeat((32 << 20) + 1), "too long"),
    ] {
        let server = after(vec![Reply::new(200, "", body)]).await;
        let endpoint = endpoint(&server);
        let error = endpoint.embed(vec!["a".into()]).await.unwrap_err();
        assert!(matches!(error, EmbedError::Unusable(_)), "{what}: {error}");
        assert!(error.to_string().contains(why), "{what}: {error}");
        assert_eq!(endpoint.dimensions(), None, "{what}");
        assert_eq!(server.seen().len(), 1, "{what}");
    }

    // Once known, the length of the vectors must not change.
    let other = Reply::new(200, "", row(json!([1, 2])));
    let server = after(vec![other]).await;
    let endpoint = endpoint(&server);
    endpoint.embed(vec!["a".into()]).await.unwrap();
    let error = endpoint.embed(vec!["a".into()]).await.unwrap_err();
    assert!(error.to_string().contains("3 numbers, others have 2"), "{error}");
    assert_eq!(endpoint.dimensions(), Some(2));
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let server = Loopback::start(|_| Reply::Held(vec![])).await;
    let options = EndpointOptions::new(&server.url, "tiny");
    let timeout = Duration::from_millis(50);
    let endpoint = EndpointEmbedder::new(EndpointOptions { timeout, ..options }).unwrap();
    let error = endpoint.embed(vec!["a".into()]).await.unwrap_err();
    assert!(matches!(error, EmbedError::Unavailable { retry_after: None, .. }), "{error}");
    assert!(server.seen().len() <= 1);
}
