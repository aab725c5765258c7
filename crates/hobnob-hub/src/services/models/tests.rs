//! Tables of providers as users write them.

use super::open_models;
use hobnob_config::Settings;
use std::path::Path;

fn settings(text: &str) -> Settings {
    Settings::parse(Path::new("config.toml"), text).unwrap()
}

#[test]
fn providers_are_made_from_their_tables() {
    let text = "
        [models]
        default = 'local/qwen3:8b'
        [providers.local]
        dialect = 'ollama'
        [providers.local.models.'qwen3:8b']
        context = 40960
        price = { input = 0.5, output = 1 }
    ";
    let settings = settings(text);
    let models = open_models(&settings).unwrap();
    let found = models.resolve(settings.models.default.as_deref().unwrap()).unwrap();
    assert_eq!((found.provider.name(), &*found.model.id), ("local", "qwen3:8b"));
    assert_eq!(found.model.context, Some(40_960));
    assert!(found.model.prices.is_some());
    assert!(open_models(&Settings::default()).unwrap().is_empty());
}

#[test]
fn problems_name_their_place() {
    for (text, part) in [
        ("[providers.a]\ndialect = 'gemini'", "[providers.a]: unknown variant `gemini`"),
        ("[providers.a]", "[providers.a]: missing field `dialect`"),
        ("[providers.a]\ndialect = 'ollama'\nurl = 'x'", "config.toml: providers.a.url: "),
        ("[providers.'a b']\ndialect = 'ollama'", "config.toml: providers.a b: "),
    ] {
        let error = format!("{:#}", open_models(&settings(text)).err().unwrap());
        assert!(error.contains(part), "{text}: {error}");
    }
}

/// The example on the settings page, uncommented.
#[test]
fn the_documented_providers_can_be_used() {
    let page = include_str!("../../../../../docs/src/settings.md");
    let (_, rest) = page.split_once("# [providers.anthropic]\n").unwrap();
    let (example, _) = rest.split_once("\n\n").unwrap();
    let lines = example.lines().map(|line| line.strip_prefix("# ").unwrap());
    let text: Vec<&str> = std::iter::once("[providers.anthropic]").chain(lines).collect();
    let models = open_models(&settings(&text.join("\n"))).unwrap();
    let names: Vec<&str> = models.provider_names().collect();
    assert_eq!(names, ["anthropic", "local"]);
}
