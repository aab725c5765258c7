//! A probe finds out whether a provider can be used, without asking a model or showing a key.

use std::time::Duration;

use hobnob_llm::{HttpProvider, KeySource, ProviderDialect, ProviderProbe};

use crate::server::{ModelServer, Step, options, status};

const LIMIT: Duration = Duration::from_secs(30);
const KEY: &str = "key-that-nobody-shows";

/// Probes a server with this script. Returns the result and the heads of the received requests.
async fn probe(dialect: ProviderDialect, script: Vec<Step>) -> (ProviderProbe, String) {
    let server = ModelServer::start(vec![script]).await;
    let mut options = options(&server, dialect);
    let words = ["echo", KEY].map(Into::into);
    options.key = Some(KeySource::Command(words.into()));
    let found = HttpProvider::new(options).probe(LIMIT).await;
    let asked = server.seen().into_iter().map(|request| request.head).collect();
    (found, asked)
}

#[tokio::test]
async fn each_form_lists_its_models_elsewhere() {
    const DATA: &str = r#"{"data": [{"id": "small", "more": 1}, {"id": "large"}]}"#;
    const MODELS: &str = r#"{"models": [{"name": "small"}, {"name": "large"}]}"#;
    for (dialect, line, list) in [
        (ProviderDialect::Anthropic, "get /v1/models http/1.1", DATA),
        (ProviderDialect::OpenaiChat, "get /models http/1.1", DATA),
        (ProviderDialect::OpenaiResponses, "get /models http/1.1", DATA),
        (ProviderDialect::Ollama, "get /api/tags http/1.1", MODELS),
    ] {
        let (found, asked) = probe(dialect, status(200, "", list)).await;
        let models = ["small", "large"].map(Into::into).to_vec();
        assert_eq!(found, ProviderProbe::Ready { models }, "{dialect:?}");
        assert!(asked.starts_with(line) && asked.contains(KEY), "{dialect:?}: {asked}");
    }
}

#[tokio::test]
async fn a_list_that_cannot_be_read_is_empty() {
    for list in ["", "nonsense", "[]", r#"{"data": [{"name": 1}]}"#] {
        let (found, _) = probe(ProviderDialect::OpenaiChat, status(200, "", list)).await;
        assert_eq!(found, ProviderProbe::Ready { models: Vec::new() }, "{list}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_told_apart() {
    let refused = status(401, "", r#"{"error":{"message":"no"}}"#);
    let (found, _) = probe(ProviderDialect::Anthropic, refused).await;
    assert_eq!(found, ProviderProbe::KeyRefused { status: 401 });
    let (found, _) = probe(ProviderDialect::OpenaiChat, status(404, "", "")).await;
    assert_eq!(found, ProviderProbe::NoList { status: 404 });
    let (found, _) = probe(ProviderDialect::Ollama, status(503, "", "")).await;
    assert_eq!(found, ProviderProbe::Unreachable("status 503".into()));
    let (found, _) =
        probe(ProviderDialect::Ollama, vec![Step::Raw(b"nonsense\r\n\r\n".to_vec())]).await;
    let ProviderProbe::Unreachable(why) = found else { panic!("{found:?}") };
    assert!(!why.contains(KEY), "{why}");

    let server = ModelServer::start(vec![status(200, "", "{}")]).await;
    let mut options = options(&server, ProviderDialect::Ollama);
    options.key = Some(KeySource::Variable("HOBNOB_TEST_NO_SUCH_KEY".into()));
    let found = HttpProvider::new(options).probe(LIMIT).await;
    assert!(matches!(&found, ProviderProbe::NoKey(why) if why.contains("HOBNOB_TEST_NO_SUCH_KEY")));
    assert!(server.seen().is_empty(), "without a key nothing is asked");
}
