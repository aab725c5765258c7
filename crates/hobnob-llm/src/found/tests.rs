//! Which variables lead to which providers and addresses.

use super::*;
use crate::facts::known_models;

#[test]
fn keys_are_found_by_their_usual_variables() {
    type Case = (&'static [(&'static str, &'static str)], &'static [&'static str]);
    let cases: &[Case] = &[
        (&[], &[]),
        (&[("ANTHROPIC_API_KEY", " ")], &[]),
        (&[("OPENAI_API_KEY", "k")], &["openai None"]),
        (
            &[
                ("OPENAI_API_KEY", "k"),
                ("ANTHROPIC_API_KEY", "k"),
                ("OPENAI_BASE_URL", "https://x"),
            ],
            &["anthropic None", "openai Some(\"https://x\")"],
        ),
    ];
    for (variables, expected) in cases {
        let set = |name: &str| {
            let value = variables.iter().find(|(key, _)| *key == name);
            value.map(|(_, value)| (*value).to_owned()).filter(|it| !it.trim().is_empty())
        };
        let found = with_keys(&set);
        let words: Vec<String> =
            found.iter().map(|it| format!("{} {:?}", it.name, it.settings.url)).collect();
        assert_eq!(words, *expected, "{variables:?}");
        assert!(found.iter().all(|it| it.settings.check(it.name).is_ok()), "{variables:?}");
    }
}

#[test]
fn the_usual_models_are_known() {
    for dialect in [ProviderDialect::Anthropic, ProviderDialect::OpenaiResponses] {
        let usual = dialect.usual_model().unwrap();
        assert!(known_models(dialect).any(|(id, _)| id == usual), "{usual}");
    }
}

#[test]
fn hosts_of_ollama_become_addresses() {
    for (host, url) in [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("0.0.0.0:9", "http://127.0.0.1:9"),
        (":9", "http://127.0.0.1:9"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:9", "http://[::1]:9"),
        ("box:9/", "http://box:9"),
        ("https://box", "https://box"),
    ] {
        assert_eq!(ollama_url(host), url, "{host}");
    }
}
