//! Faults in the middle of an answer: the events before the fault arrive once, one clear error
//! follows, and the request is not repeated.

use hobnob_llm::{ProviderError, ProviderLimits};

use crate::server::{
    EVENTS, LINES, ModelServer, Step, ask, options, provider, status, stream, text, whole,
};
use crate::streams::{ALL, ANTHROPIC, CHAT, OLLAMA};

#[tokio::test]
async fn an_error_in_the_middle_ends_the_answer() {
    for answer in ALL {
        let sent = format!("{}{}", answer.beginning, answer.error);
        let server = ModelServer::start(vec![whole(answer.kind, &sent, 5)]).await;
        let (events, error) = ask(&provider(&server, answer.dialect)).await;
        assert_eq!(text(&events), "Grüße ", "{:?}", answer.dialect);
        let Some(ProviderError::Failed(reason)) = error else { panic!("{error:?}") };
        assert!(reason.ends_with("Busy"), "{reason}");
        assert_eq!(server.seen().len(), 1, "nothing twice");
    }
}

#[tokio::test]
async fn a_cut_connection_is_an_error_and_no_end() {
    for answer in ALL {
        let half = &answer.rest[..answer.rest.len() / 2];
        for sent in [answer.beginning.to_owned(), format!("{}{half}", answer.beginning)] {
            // First the HTTP body is cut off; then it ends properly, within the answer.
            for steps in [stream(answer.kind, &sent, 6), whole(answer.kind, &sent, 6)] {
                let server = ModelServer::start(vec![steps]).await;
                let (events, error) = ask(&provider(&server, answer.dialect)).await;
                assert!(text(&events).starts_with("Grüße "), "{:?}", answer.dialect);
                assert!(matches!(error, Some(ProviderError::Cut(_))), "{error:?}");
                assert_eq!(server.seen().len(), 1, "nothing twice");
            }
        }
    }
}

#[tokio::test]
async fn garbage_is_named_as_such() {
    for answer in ALL {
        let garbage = if answer.kind == LINES { "<html>\n" } else { "data: <html>\n\n" };
        let sent = format!("{}{garbage}{}", answer.beginning, answer.rest);
        let server = ModelServer::start(vec![whole(answer.kind, &sent, 4)]).await;
        let (events, error) = ask(&provider(&server, answer.dialect)).await;
        assert_eq!(text(&events), "Grüße ");
        assert!(matches!(error, Some(ProviderError::Garbled(_))), "{error:?}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn an_answer_that_is_no_stream_is_an_error() {
    let html = status(200, "content-type: text/html\r\n", "<html>Log in</html>");
    let json = status(200, "content-type: application/json\r\n", r#"{"choices":[]}"#);
    let fault = r#"{"error":{"message":"No such model","type":"not_found"}}"#;
    let fault = status(200, "content-type: application/json; charset=utf-8\r\n", fault);
    for (answer, steps, expected) in [
        (&CHAT, &html, "`text/html` and not a stream"),
        (&OLLAMA, &html, "`text/html` and not a stream"),
        (&CHAT, &json, "`application/json` and not a stream"),
        (&ANTHROPIC, &fault, "not_found: No such model"),
    ] {
        let server = ModelServer::start(vec![steps.clone()]).await;
        let (events, error) = ask(&provider(&server, answer.dialect)).await;
        assert!(events.is_empty(), "{events:?}");
        assert!(error.as_ref().is_some_and(|it| it.to_string().contains(expected)), "{error:?}");
        assert_eq!(server.seen().len(), 1);
    }
}

#[tokio::test]
async fn what_is_too_large_is_refused() {
    let limits = ProviderLimits { event_bytes: 1_000, answer_bytes: 5_000, error_bytes: 100 };
    let comment = format!(": {}\n\n", "x".repeat(500));
    let event = format!("data: {{\"x\":\"{}\"}}\n\n", "x".repeat(1_000));
    for (rest, expected) in [
        (event, "an event is larger than 1000 bytes"),
        (comment.repeat(20), "it is larger than 5000 bytes"),
    ] {
        let sent = format!("{}{rest}", CHAT.beginning);
        let server = ModelServer::start(vec![whole(EVENTS, &sent, 333)]).await;
        let options = hobnob_llm::ProviderOptions { limits, ..options(&server, CHAT.dialect) };
        let provider = hobnob_llm::HttpProvider::new(options);
        let (events, error) = ask(&provider).await;
        assert_eq!(text(&events), "Grüße ");
        let Some(ProviderError::Garbled(reason)) = error else { panic!("{error:?}") };
        assert_eq!(&*reason, expected);
    }
}

#[tokio::test]
async fn nothing_is_read_after_the_end() {
    for answer in ALL {
        let mut steps = whole(answer.kind, &answer.whole(), 9);
        // Neither bytes after the end nor a connection that stays open matter.
        let end = steps.len() - 1;
        steps[end] = Step::Piece(b"data: garbage\n\n".to_vec());
        steps.push(Step::Hold);
        let mut server = ModelServer::start(vec![steps]).await;
        let (events, error) = ask(&provider(&server, answer.dialect)).await;
        assert_eq!((text(&events), error), ("Grüße 😀!".into(), None));
        server.client_gone().await;
    }
}
