//! `config` and `profiles`: what is shown, where it comes from, and that a setting is changed with
//! everything around it left as it is.

use std::fs;

use crate::cli_config_home::Home;

const SETTINGS: &str = "# mine\n[gateway]\nstart = \"eager\" # at once\n\n[servers.pay]\ncall = \"5m\"\n\n\
                        [[permissions]]\nserver = \"pay\"\naction = \"ask\"\n";

fn with_settings() -> Home {
    let home = Home::new();
    home.write("hobnob/config/config.toml", SETTINGS);
    home
}

fn settings(home: &Home) -> String {
    fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap()
}

#[test]
fn each_setting_is_shown_with_its_line_or_as_a_default() {
    let home = with_settings();
    let file = home.path("hobnob/config/config.toml");
    assert_eq!(home.ok(&["config", "path"]).stdout.trim(), file.display().to_string());
    let shown = home.json(0, &["config"]);
    assert_eq!(shown["paths"]["settings"], file.display().to_string());
    let lines: Vec<(&str, &str, u64)> = shown["settings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let text = |key: &str| it[key].as_str().unwrap();
            (text("key"), text("value"), it["line"].as_u64().unwrap())
        })
        .collect();
    let wanted = [
        ("gateway.start", "\"eager\"", 3),
        ("servers.pay.call", "\"5m\"", 6),
        ("permissions[0].server", "\"pay\"", 9),
        ("permissions[0].action", "\"ask\"", 10),
    ];
    assert_eq!(lines, wanted);
    let text = home.ok(&["config"]).stdout;
    assert!(text.contains("config.toml:3") && text.contains("\"lazy\""), "{text}");
    assert!(!text.contains("gateway.attach"), "{text}");
    assert!(home.ok(&["config", "--all"]).stdout.contains("gateway.attach"));
    for (key, value) in [
        ("gateway.start", "eager\n"),
        ("gateway.attach", "true\n"),
        ("servers.pay.call", "5m\n"),
        ("chat.hooks", "chat.hooks.session_start = []\n"),
    ] {
        assert!(home.ok(&["config", "get", key]).stdout.starts_with(value), "{key}");
    }
    assert_eq!(home.run(&["config", "get", "gateway.parallel_starts"]).code, 1);
    let unknown = home.run(&["config", "get", "gateway.strat"]);
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("did you mean `gateway.start`?"), "{}", unknown.stderr);
}

#[test]
fn a_setting_is_changed_and_all_around_it_stays() {
    let home = with_settings();
    home.ok(&["config", "set", "gateway.start", "lazy"]);
    assert_eq!(settings(&home), SETTINGS.replace("eager", "lazy"));
    let same = home.json(0, &["config", "set", "gateway.start", "lazy"]);
    assert_eq!(same["changed"], false);
    home.ok(&["config", "set", "gateway.tool_budget", "500"]);
    home.ok(&["config", "set", "gateway.searching_clients", "[\"one\", \"t*\"]"]);
    home.ok(&["config", "set", "limits.page", "7"]);
    home.ok(&["config", "set", "tools.\"mcp__git__*\".always", "true"]);
    let text = settings(&home);
    for line in [
        "start = \"lazy\" # at once\n",
        "tool_budget = 500\n",
        "searching_clients = [\"one\", \"t*\"]\n",
        "[limits]\npage = 7\n",
        "[tools.\"mcp__git__*\"]\nalways = true\n",
        "# mine\n",
        "[servers.pay]\ncall = \"5m\"\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(home.ok(&["config", "get", "limits.page"]).stdout, "7\n");
    let back = home.ok(&["config", "unset", "gateway.start"]);
    assert!(back.stdout.contains("gateway.start = \"lazy\", the default"), "{}", back.stdout);
    assert!(!settings(&home).contains("start ="));
}

#[test]
fn what_the_settings_would_refuse_is_not_written() {
    let home = with_settings();
    for (words, code, message) in [
        (&["config", "set", "gateway.start", "later"][..], 1, "config.toml:3"),
        (&["config", "set", "gateway.result_cap", "many"], 1, "config.toml"),
        (&["config", "set", "gateway.strat", "lazy"], 2, "did you mean `gateway.start`?"),
        (&["config", "set", "gateway", "lazy"], 1, "gateway"),
        (&["config", "set", "permissions", "allow"], 1, "permissions"),
        (&["config", "unset", "gateway.strat"], 2, "did you mean"),
    ] {
        let run = home.run(words);
        assert_eq!(run.code, code, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{words:?}: {}", run.stderr);
        assert_eq!(settings(&home), SETTINGS, "{words:?}");
    }
    let mut other = home.command(&["config", "set", "gateway.pins", "off"]);
    let output = other.env_remove("HOBNOB_OWNER_SECRET").output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert_eq!(settings(&home), SETTINGS);
}

#[test]
fn profiles_are_listed_with_what_they_show_and_why_one_is_broken() {
    let home = Home::new();
    let reader = "description = \"Reads\"\nservers = [\"docs-*\"]\nservices = [\"memory\"]\n";
    home.write("hobnob/config/profiles/reader.toml", reader);
    home.write("hobnob/config/profiles/bad.toml", "servres = []\n");
    home.write("hobnob/config/profiles/my own.toml", "");
    let listed = home.json(0, &["profiles"]);
    let find =
        |name: &str| listed.as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["bad", "bossman", "reader", "subcog", "substrate", "sysmcp"]);
    assert_eq!(find("reader")["endpoint"], "/p/reader/mcp");
    assert_eq!(find("reader")["servers"][0], "docs-*");
    assert!(find("bad")["problem"].as_str().unwrap().contains("bad.toml:1:"), "{listed}");
    assert!(find("subcog")["file"].is_null() && find("subcog")["problem"].is_null());
    let shown = home.ok(&["profiles"]);
    assert!(shown.stdout.contains("servers: docs-*; services: memory"), "{}", shown.stdout);
    assert!(shown.stdout.contains("ships with Hobnob"), "{}", shown.stdout);
    assert!(shown.stderr.contains("servres") && shown.stderr.contains("my own.toml"));
    assert_eq!(home.ok(&["profiles", "show", "reader"]).stdout, reader);
    let copy = home.ok(&["profiles", "show", "subcog"]).stdout;
    home.write("hobnob/config/profiles/copy.toml", &copy);
    let listed = home.json(0, &["profiles"]);
    let copied = listed.as_array().unwrap().iter().find(|it| it["name"] == "copy").unwrap();
    assert!(copied["problem"].is_null(), "{copied}");
    let run = home.run(&["profiles", "show", "readr"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `reader`?"), "{}", run.stderr);
}
