//! When a request is retried, and when not.

use std::time::Duration;

use hobnob_llm::{HttpProvider, KeySource, ProviderError, ProviderOptions};
use hobnob_web_client::RetryPolicy;
use tokio::net::TcpListener;

use crate::server::{ModelServer, Step, ask, is_finished, options, provider, status, text, whole};
use crate::streams::{ALL, ANTHROPIC, CHAT};

const HOUR: Duration = Duration::from_secs(3_600);

fn with_retry(options: ProviderOptions, retry: RetryPolicy) -> HttpProvider {
    HttpProvider::new(ProviderOptions { retry, ..options })
}

#[tokio::test]
async fn what_passes_is_asked_again_and_the_answer_comes_once() {
    let busy = r#"{"error":{"message":"Busy","type":"x"}}"#;
    for answer in ALL {
        let early = whole(answer.kind, ANTHROPIC.error, 9);
        let passing = [
            status(429, "", busy),
            status(500, "", ""),
            status(503, "", "<html>"),
            status(529, "", busy),
            status(408, "", ""),
            // Closed without an answer, after half a head, and after a head without a body.
            vec![Step::Raw(Vec::new())],
            vec![Step::Raw(b"HTTP/1.1 20".to_vec())],
            vec![Step::Head(answer.kind)],
            vec![Step::Head(answer.kind), Step::End],
        ];
        // An error as the first event of the stream, in the format of one dialect.
        let early = (answer.dialect == ANTHROPIC.dialect).then_some(early);
        for first in passing.into_iter().chain(early) {
            let good = whole(answer.kind, &answer.whole(), 64);
            let server = ModelServer::start(vec![first, good]).await;
            let (events, error) = ask(&provider(&server, answer.dialect)).await;
            assert_eq!((text(&events), error), ("Grüße 😀!".into(), None));
            assert!(is_finished(&events));
            let seen = server.seen();
            assert_eq!(seen.len(), 2);
            assert_eq!(seen[0].body, seen[1].body);
        }
    }
}

#[tokio::test]
async fn the_wait_that_the_provider_asks_for_is_kept() {
    // Without the header, the wait would be at least half an hour.
    let slow = RetryPolicy { first: HOUR, longest: HOUR, ..RetryPolicy::default() };
    let good = whole(CHAT.kind, &CHAT.whole(), 64);
    for header in ["retry-after: 0\r\n", "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n"] {
        let server = ModelServer::start(vec![status(429, header, ""), good.clone()]).await;
        let provider = with_retry(options(&server, CHAT.dialect), slow);
        assert!(is_finished(&ask(&provider).await.0));
    }
    // Longer than the retry policy allows: the caller gets the error, and there is no retry.
    for (header, min_wait) in [
        ("retry-after: 3600\r\n", HOUR),
        ("retry-after: Tue, 31 Dec 2999 23:59:59 GMT\r\n", HOUR),
        ("retry-after: 99999999999999999999999\r\n", Duration::MAX),
    ] {
        let server = ModelServer::start(vec![status(429, header, "")]).await;
        let (events, error) = ask(&provider(&server, CHAT.dialect)).await;
        assert!(events.is_empty());
        let Some(ProviderError::Unavailable { retry_after: Some(wait), .. }) = error else {
            panic!("{error:?}")
        };
        assert!(min_wait <= wait, "{wait:?}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn the_tries_have_an_end() {
    let server = ModelServer::start(vec![status(429, "", r#"{"error":"slow down"}"#)]).await;
    let retry = RetryPolicy { retries: 2, first: Duration::ZERO, ..RetryPolicy::default() };
    let (_, error) = ask(&with_retry(options(&server, ANTHROPIC.dialect), retry)).await;
    let reason = "the model provider cannot answer now: status 429: slow down";
    assert_eq!(error.unwrap().to_string(), reason);
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn what_lasts_is_not_asked_again_and_shows_no_key() {
    const KEY: &str = "sk-canary-0123456789";
    let echo = format!(r#"{{"error":{{"message":"wrong key {KEY}","type":"auth"}}}}"#);
    let long = format!("{}{KEY}", "x".repeat(290));
    let quota = r#"{"error":{"message":"Pay first","type":"insufficient_quota","code":"insufficient_quota"}}"#;
    for (code, headers, body, expected) in [
        (400, "", "{\"error\":\"no such field\"}", "no such field"),
        (401, "", &*echo, "auth: wrong key [redacted]"),
        (403, "retry-after: 0\r\n", &*long, "[redacted]"),
        (404, "", "", "it did not say why"),
        (429, "retry-after: 0\r\n", quota, "insufficient_quota: Pay first"),
        (302, "location: http://127.0.0.1:9/\r\n", "", "redirects are not followed"),
    ] {
        let server = ModelServer::start(vec![status(code, headers, body)]).await;
        let mut options = options(&server, CHAT.dialect);
        options.key = Some(KeySource::Command(["printf", "%s", KEY].map(Into::into).into()));
        let (events, error) = ask(&HttpProvider::new(options)).await;
        assert!(events.is_empty());
        let error = error.unwrap();
        let (shown, debug) = (error.to_string(), format!("{error:?}"));
        let ProviderError::Refused { status, reason } = error else { panic!("{error:?}") };
        assert_eq!(status, code);
        assert!(reason.contains(expected), "{reason}");
        assert!(!shown.contains("sk-can") && !debug.contains("sk-can"), "{shown}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_an_error_of_its_own() {
    let body = r#"{"error":{"message":"too many","code":"context_length_exceeded"}}"#;
    for code in [400, 413] {
        let server = ModelServer::start(vec![status(code, "", body)]).await;
        let (_, error) = ask(&HttpProvider::new(options(&server, CHAT.dialect))).await;
        let Some(ProviderError::TooLong(reason)) = error else { panic!("{error:?}") };
        assert_eq!(&*reason, "context_length_exceeded: too many");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable() {
    let unused = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut settings = hobnob_llm::ProviderSettings::new(CHAT.dialect);
    settings.url = Some(format!("http://{unused}/v1"));
    let options = settings.check("gone").unwrap();
    let retry = RetryPolicy { first: Duration::ZERO, ..RetryPolicy::default() };
    let (_, error) = ask(&with_retry(options, retry)).await;
    let Some(ProviderError::Unavailable { reason, retry_after: None }) = error else {
        panic!("{error:?}")
    };
    assert!(!reason.contains("/v1"), "{reason}");
}
