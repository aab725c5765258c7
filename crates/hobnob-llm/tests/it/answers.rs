//! Complete answers: the size of the chunks does not change the events, and each event arrives as
//! soon as the server sends it.

use std::sync::Arc;

use hobnob_llm::{
    HttpProvider, KeySource, ModelCompletion, ModelEvent, ModelSettings, PriceSettings,
    Provider as _, ProviderSettings, StopReason, TokenUsage,
};
use tokio::sync::Notify;

use crate::server::{
    ModelServer, Step, ask, is_finished, options, provider, question, stream, text, whole,
};
use crate::streams::{ALL, ANTHROPIC, Answer};

const KEY: &str = "sk-canary-0123456789";

#[tokio::test]
async fn pieces_of_any_size_give_the_same_events_once() {
    for answer in ALL {
        let size = |size| whole(answer.kind, &answer.whole(), size);
        let server = ModelServer::start(vec![size(usize::MAX), size(1), size(2), size(7)]).await;
        let provider = provider(&server, answer.dialect);
        let (at_once, error) = ask(&provider).await;
        assert_eq!(error, None, "{:?}", answer.dialect);
        assert_eq!(text(&at_once), "Grüße 😀!");
        assert!(is_finished(&at_once), "{at_once:?}");
        let usage = TokenUsage { input: 10, output: 5, ..TokenUsage::default() };
        let end = ModelCompletion { stop: StopReason::End, usage: Some(usage), cost: None };
        assert_eq!(at_once.last(), Some(&ModelEvent::Finished(end)));
        for _ in 0..3 {
            assert_eq!(ask(&provider).await, (at_once.clone(), None));
        }
        assert_eq!(server.seen().len(), 4);
    }
}

#[tokio::test]
async fn what_has_come_is_told_before_the_provider_goes_on() {
    for answer in ALL {
        let gate = Arc::new(Notify::new());
        let mut steps = stream(answer.kind, answer.beginning, 3);
        steps.push(Step::Wait(Arc::clone(&gate)));
        steps.extend([Step::Piece(answer.rest.into()), Step::End]);
        let server = ModelServer::start(vec![steps]).await;
        let mut stream = provider(&server, answer.dialect).chat(question());
        let mut first = None;
        while first.is_none() {
            match stream.next().await.unwrap().unwrap() {
                ModelEvent::Text(text) => first = Some(text),
                ModelEvent::Started { .. } | ModelEvent::Usage(_) => {}
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(first.as_deref(), Some("Grüße "));
        // Only now the server sends the rest.
        gate.notify_one();
        let mut rest = Vec::new();
        while let Some(event) = stream.next().await {
            rest.push(event.unwrap());
        }
        assert_eq!(text(&rest), "😀!");
        assert!(is_finished(&rest));
    }
}

#[tokio::test]
async fn requests_go_to_the_right_path_with_the_key_in_the_right_header() {
    let expected = [
        ("/v1/messages", format!("x-api-key: {KEY}"), "anthropic-version: 2023-06-01"),
        ("/chat/completions", format!("authorization: bearer {KEY}"), "accept: text/event-stream"),
        ("/responses", format!("authorization: bearer {KEY}"), "accept: text/event-stream"),
        ("/api/chat", format!("authorization: bearer {KEY}"), "accept: application/x-ndjson"),
    ];
    for (answer, (path, key, other)) in ALL.into_iter().zip(expected) {
        let server = ModelServer::start(vec![whole(answer.kind, &answer.whole(), 64)]).await;
        let mut options = options(&server, answer.dialect);
        let words = ["printf", "%s", KEY].map(Into::into);
        options.key = Some(KeySource::Command(words.into()));
        let provider = HttpProvider::new(options);
        assert!(is_finished(&ask(&provider).await.0));
        let [request] = &server.seen()[..] else { panic!("one request") };
        let head = &request.head;
        assert!(head.starts_with(&format!("post {path} http/1.1\r\n")), "{head}");
        for line in [&*key, other, "content-type: application/json"] {
            assert!(head.contains(&format!("\r\n{line}\r\n")), "{line} in {head}");
        }
        assert_eq!(
            (&request.body["model"], &request.body["stream"]),
            (&"asked".into(), &true.into())
        );
        assert!(!format!("{provider:?}").contains("canary"));
    }
}

#[tokio::test]
async fn a_model_with_prices_has_a_cost() {
    let Answer { dialect, kind, .. } = ANTHROPIC;
    let server = ModelServer::start(vec![whole(kind, &ANTHROPIC.whole(), 64)]).await;
    let mut settings = ProviderSettings::new(dialect);
    settings.url = Some(server.url.clone());
    let price = PriceSettings {
        input: 3.0,
        output: 15.0,
        cache_read: None,
        cache_write: None,
        cache_write_hour: None,
    };
    let model = ModelSettings { price: Some(price), ..ModelSettings::default() };
    settings.models.insert("asked".into(), model);
    let provider = HttpProvider::new(settings.check("priced").unwrap());
    let (events, _) = ask(&provider).await;
    let Some(ModelEvent::Finished(end)) = events.last() else { panic!("{events:?}") };
    assert_eq!(end.cost.unwrap().to_string(), "0.000105");
    assert_eq!((provider.name(), provider.models().len()), ("priced", 1));
}
