//! Which provider answers for which name.

use std::collections::BTreeMap;

use super::ModelDirectory;
use crate::settings::ProviderSettings;

const THREE: &str = "
    [claude]
    dialect = 'anthropic'
    [work]
    dialect = 'anthropic'
    [work.models.claude-opus-5-5]
    context = 5
    [local]
    dialect = 'ollama'
    [local.models.'hf.co/a/b:Q4']
    [local.models.mine]
    ";

fn directory(text: &str) -> ModelDirectory {
    let settings: BTreeMap<String, ProviderSettings> = toml::from_str(text).unwrap();
    ModelDirectory::from_settings(&settings).unwrap()
}

#[test]
fn a_name_leads_to_one_provider_or_to_the_choice() {
    let three = directory(THREE);
    let one = directory("[local]\ndialect = 'ollama'");
    for (directory, name, expected) in [
        (&three, "work/claude-opus-5-5", Ok(("work", "claude-opus-5-5"))),
        (&three, "local/anything:7b", Ok(("local", "anything:7b"))),
        (&three, "mine", Ok(("local", "mine"))),
        (&three, "hf.co/a/b:Q4", Ok(("local", "hf.co/a/b:Q4"))),
        (&three, "claude-opus-5-5", Err("several providers have the model `claude-opus-5-5`")),
        (&three, "gpt-6-sol", Err("with one of `claude`, `local`, `work`")),
        (&three, "work/", Err("no provider is known")),
        (&one, "llama", Ok(("local", "llama"))),
        (&one, "", Err("no provider is known")),
        (&ModelDirectory::default(), "x", Err("no model provider is set up")),
    ] {
        match (directory.resolve(name), expected) {
            (Ok(found), Ok(expected)) => {
                assert_eq!((found.provider.name(), &*found.model.id), expected);
            }
            (Err(error), Err(expected)) => {
                assert!(error.to_string().contains(expected), "{name}: {error}");
            }
            (found, _) => panic!("{name}: {:?}", found.map(|found| found.model)),
        }
    }
}

#[test]
fn users_replace_what_we_know_and_other_servers_have_only_theirs() {
    let three = directory(THREE);
    assert_eq!(three.resolve("work/claude-opus-5-5").unwrap().model.context, Some(5));
    assert_eq!(three.resolve("claude/claude-opus-5-5").unwrap().model.context, Some(1_000_000));
    let gateway = directory("[g]\ndialect = 'anthropic'\nurl = 'https://gate.example'");
    assert!(gateway.models().is_empty());
    let names: Vec<_> = three.models().into_iter().map(|(provider, _)| provider).collect();
    assert!(names.is_sorted() && names.iter().filter(|it| ***it == *"local").count() == 2);
}

#[test]
fn all_problems_of_all_providers_are_reported() {
    let settings: BTreeMap<String, ProviderSettings> = toml::from_str(
        "[a]\ndialect = 'ollama'\nurl = 'x'\n[b]\ndialect = 'ollama'\n[c]\ndialect = 'ollama'\nretries = 99",
    )
    .unwrap();
    let problems = ModelDirectory::from_settings(&settings).err().unwrap();
    let paths: Vec<_> = problems.iter().map(|problem| problem.path.as_str()).collect();
    assert_eq!(paths, ["a.url", "c.retries"]);
}
