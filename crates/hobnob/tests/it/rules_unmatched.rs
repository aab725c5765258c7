//! Rules and entries of profiles that match nothing are listed by `doctor`.

use hobnob_config::CatalogueCache;
use serde_json::{Value, json};

use crate::cli_config_home::Home;

/// A home with the server `pay`, whose tools are known, and `later`, which never ran.
fn home() -> Home {
    let home = Home::new();
    home.ok(&["add", "pay", "--", "server"]);
    home.ok(&["add", "later", "--", "another-server"]);
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let catalogue =
        json!({"tools": [tool("echo"), tool("refund")], "prompts": [{"name": "greet"}]});
    let cache = CatalogueCache::new(&home.places("project").catalogues());
    cache.store(&home.identity("project", "pay"), &catalogue.to_string()).unwrap();
    home
}

/// The rules and entries of profiles in which `doctor` finds nothing.
#[test]
fn doctor_lists_what_matches_nothing() {
    let home = home();
    let rules = "\
        [[permissions]]\ntool = \"pay/echo\"\naction = \"deny\"\n\
        [[permissions]]\nserver = \"pai\"\naction = \"deny\"\n\
        [[permissions]]\nserver = \"pay\"\ntool = \"ehco\"\naction = \"deny\"\n\
        [[permissions]]\ntool = \"memory_delet\"\naction = \"ask\"\n\
        [[permissions]]\nserver = \"pay\"\naction = \"allow\"\n\
        [[permissions]]\nserver = \"later\"\ntool = \"any\"\naction = \"allow\"\n\
        [[permissions]]\ntool = \"shell_*\"\naction = \"deny\"\n\
        [[permissions]]\ntool = \"pays\"\naction = \"deny\"\n";
    home.write("hobnob/config/config.toml", rules);
    let profile = "\
        servers = [\"pai\", \"p*\"]\n\
        [tools.\"mcp__pay__ehco\"]\nname = \"say\"\n\
        [tools.\"mcp__pay__echo\"]\nname = \"pays\"\n\
        [tools.\"mcp__later__any\"]\nenabled = false\n\
        [tools.\"memory_*\"]\nenabled = false\n\
        [prompts.\"mcp__pay__gret\"]\nenabled = false\n\
        [prompts.\"mcp__pay__greet\"]\nenabled = false\n\
        [[permissions]]\ntool = \"nothing\"\naction = \"deny\"\n";
    home.write("hobnob/config/profiles/mine.toml", profile);
    // Neither server can be started, so their lists stay as they are.
    let report = home.json(1, &["doctor"]);
    let checks = report["checks"].as_array().unwrap();
    let is_about = |check: &&Value| check["verdict"] == "warning" && check["what"] != "folder";
    let warnings: Vec<&Value> = checks.iter().filter(is_about).collect();
    let message = |index: usize| warnings[index]["message"].as_str().unwrap();
    let hint = |index: usize| warnings[index]["hint"].as_str().unwrap();
    let expected = [
        ("rule 1 of ", "no name has a `/` in it", "server = \"pay\" and tool = \"echo\""),
        ("rule 2 of ", "`pai/*` deny, matches no tool", "correct or remove it"),
        ("rule 3 of ", "did you mean `pay/echo`?", "correct or remove it"),
        ("rule 4 of ", "did you mean `memory_delete`?", "correct or remove it"),
        ("rule 1 of ", "mine.toml, `nothing` deny", "mine.toml"),
        ("`servers` of ", "did you mean `pay`?", "mine.toml"),
        ("[tools.\"mcp__pay__ehco\"] of ", "did you mean `mcp__pay__echo`?", "mine.toml"),
        ("[prompts.\"mcp__pay__gret\"] of ", "did you mean `mcp__pay__greet`?", "mine.toml"),
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:#?}");
    for (index, (start, words, next)) in expected.into_iter().enumerate() {
        assert!(message(index).starts_with(start), "{start}: {warnings:#?}");
        assert!(message(index).contains(words), "{words}: {warnings:#?}");
        assert!(hint(index).contains(next), "{next}: {warnings:#?}");
    }
}
