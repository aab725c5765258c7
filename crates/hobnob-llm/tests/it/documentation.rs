//! The book's page about models agrees with the code.

use std::collections::BTreeMap;
use std::path::Path;

use hobnob_llm::{ModelDirectory, ProviderSettings, facts_date};
use serde::Deserialize;

#[derive(Deserialize)]
struct Example {
    providers: BTreeMap<String, ProviderSettings>,
}

#[test]
fn the_settings_on_the_page_are_settings() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/models.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```text\n").unwrap();
    let (block, _) = rest.split_once("```").unwrap();
    let example: Example = toml::from_str(block).unwrap();
    let directory = ModelDirectory::from_settings(&example.providers).unwrap();
    let found = directory.resolve("work/large").unwrap();
    assert_eq!((found.provider.name(), found.model.context), ("work", Some(128_000)));
    assert!(directory.resolve("anthropic/claude-opus-5-5").unwrap().model.prices.is_some());
    assert!(page.contains(facts_date()), "the page has another date than the data");
}
