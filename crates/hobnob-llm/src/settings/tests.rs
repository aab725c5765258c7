//! Settings as text: the options they become, and the problems that a check reports.

use std::time::Duration;

use super::{ProviderSettings, SettingProblem};
use crate::http::ProviderOptions;
use crate::key::KeySource;
use crate::model::ThinkingStyle;
use crate::usage::TokenUsage;

fn check(text: &str) -> Result<ProviderOptions, Vec<SettingProblem>> {
    let settings: ProviderSettings = toml::from_str(text).unwrap();
    settings.check("work")
}

#[test]
fn addresses_get_the_path_of_their_form() {
    for (text, url) in [
        ("dialect = 'anthropic'", "https://api.anthropic.com/v1/messages"),
        (
            "dialect = 'anthropic'\nurl = 'https://gate.example/v1/'",
            "https://gate.example/v1/messages",
        ),
        (
            "dialect = 'anthropic'\nurl = 'https://gate.example/claude#x'",
            "https://gate.example/claude/v1/messages",
        ),
        ("dialect = 'openai-chat'", "https://api.openai.com/v1/chat/completions"),
        (
            "dialect = 'openai-chat'\nurl = 'http://localhost:8080/v1?a=b'",
            "http://localhost:8080/v1/chat/completions?a=b",
        ),
        ("dialect = 'openai-responses'", "https://api.openai.com/v1/responses"),
        ("dialect = 'ollama'", "http://127.0.0.1:11434/api/chat"),
        (
            "dialect = 'ollama'\nurl = 'http://192.168.1.2:11434'\nallow_http = true",
            "http://192.168.1.2:11434/api/chat",
        ),
    ] {
        assert_eq!(check(text).unwrap().url.as_str(), url, "{text}");
    }
}

#[test]
fn a_key_comes_from_one_place() {
    let variable = |name: &str| Some(KeySource::Variable(name.into()));
    let keyring = KeySource::Keyring { service: "hobnob".into(), account: "me".into() };
    for (text, key) in [
        ("dialect = 'anthropic'", variable("ANTHROPIC_API_KEY")),
        ("dialect = 'openai-responses'", variable("OPENAI_API_KEY")),
        ("dialect = 'ollama'", None),
        // Another server does not get the key for OpenAI.
        ("dialect = 'openai-chat'\nurl = 'https://other.example/v1'", None),
        ("dialect = 'ollama'\nkey = { variable = 'K' }", variable("K")),
        (
            "dialect = 'anthropic'\nkey = { command = ['pass', 'show', 'it'] }",
            Some(KeySource::Command(vec!["pass".into(), "show".into(), "it".into()])),
        ),
        (
            "dialect = 'anthropic'\nkey.keyring = { service = 'hobnob', account = 'me' }",
            Some(keyring),
        ),
    ] {
        assert_eq!(check(text).unwrap().key, key, "{text}");
    }
}

#[test]
fn models_times_and_tries_are_taken() {
    let options = check(
        "
        dialect = 'openai-chat'
        url = 'http://127.0.0.1:1/v1'
        connect_seconds = 3
        total_seconds = 86400
        retries = 0
        [models.'qwen3:8b']
        context = 40960
        thinking = 'none'
        capabilities = ['tools']
        price = { input = 0.5, output = 1 }
        [models.plain]
        ",
    )
    .unwrap();
    assert_eq!(options.timeouts.connect, Duration::from_secs(3));
    assert_eq!(options.timeouts.total, Duration::from_secs(86_400));
    assert_eq!(options.retry.retries, 0);
    let model = &options.models["qwen3:8b"];
    assert_eq!((model.context, model.thinking), (Some(40_960), Some(ThinkingStyle::None)));
    let usage = TokenUsage { input: 2, output: 1, ..TokenUsage::default() };
    let cost = model.prices.unwrap().cost(&usage).unwrap();
    assert_eq!(cost.to_string(), "0.000002");
    assert_eq!(options.models["plain"].prices, None);
}

#[test]
fn every_problem_is_reported_at_its_place() {
    for (text, places) in [
        ("url = 'http://example.org'", &["work.url"][..]),
        ("url = 'ftp://127.0.0.1'", &["work.url"]),
        ("url = 'nowhere'", &["work.url"]),
        ("url = 'https://me:secret@example.org'", &["work.url"]),
        ("key = {}", &["work.key"]),
        ("key = { variable = 'A', command = ['b'] }", &["work.key"]),
        ("key = { variable = 'A=B' }", &["work.key.variable"]),
        ("key = { command = [] }", &["work.key.command"]),
        ("key = { file = 'x' }", &["work.key.file"]),
        (
            "key.keyring = { service = '-s', account = '' }",
            &["work.key.keyring.service", "work.key.keyring.account"],
        ),
        (
            "connect_seconds = 0\ntotal_seconds = 86401\nretries = 11",
            &["work.connect_seconds", "work.total_seconds", "work.retries"],
        ),
        (
            "[models.x]\ncontext = 0\nmax_output = 0",
            &["work.models.x.context", "work.models.x.max_output"],
        ),
        (
            "[models.x]\nprice = { input = -1, output = nan }",
            &["work.models.x.price.input", "work.models.x.price.output"],
        ),
        (
            "[models.x]\nlong = { above = 1, price = { input = 1, output = 1 } }",
            &["work.models.x.long"],
        ),
        ("[models.' ']", &["work.models"]),
    ] {
        let found = check(&format!("dialect = 'openai-chat'\n{text}")).unwrap_err();
        let paths: Vec<_> = found.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, places, "{text}");
        assert!(found.iter().all(|problem| !problem.to_string().contains("secret")), "{text}");
    }
    let bad_name = ProviderSettings::new(crate::ProviderDialect::Ollama).check("a.b").unwrap_err();
    assert_eq!(bad_name[0].path, "a.b");
}

#[test]
fn unknown_words_are_refused() {
    for text in [
        "dialect = 'gemini'",
        "dialect = 'ollama'\nkeys = 1",
        "dialect = 'ollama'\nkey = { files = 'x' }",
        "dialect = 'ollama'\n[models.x]\nprice = { input = 1 }",
        "",
    ] {
        assert!(toml::from_str::<ProviderSettings>(text).is_err(), "{text}");
    }
}
