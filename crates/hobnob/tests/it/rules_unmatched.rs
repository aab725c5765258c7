//! Rules, scopes and entries of profiles that match nothing: refused where they are written, kept
//! in a form that matches later, and listed by `doctor`.

use std::fs;

use hobnob_config::CatalogueCache;
use serde_json::{Value, json};

use crate::cli_call_setup::Setup;
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

fn settings(home: &Home) -> String {
    fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap_or_default()
}

#[test]
fn a_rule_for_a_name_that_nothing_has_is_refused() {
    let home = home();
    for (typed, words) in [
        ("pai/echo", &["there is no server `pai`", "did you mean `pay/echo`?"][..]),
        ("pai", &["no server, no service and no tool `pai`", "did you mean `pay`?"]),
        ("pay/ehco", &["no tool of the server `pay` matches `ehco`", "did you mean `pay/echo`?"]),
        ("pay/e?", &["no tool of the server `pay` matches `e?`"]),
        ("pay/greet", &["no tool of the server `pay` matches `greet`"]),
        ("pay.echo", &["did you mean `pay/echo`?"]),
        ("mcp__pay__ehco", &["did you mean `mcp__pay__echo`?"]),
        ("mcp__pai__echo", &["did you mean `mcp__pay__echo`?"]),
        ("pa[xz]/*", &["no server and no tool matches `pa[xz]/*`"]),
        ("refund*", &["no server and no tool matches `refund*`"]),
        ("memory_delet", &["did you mean `memory_delete`?"]),
        ("memry_*", &["no server and no tool matches `memry_*`"]),
        ("shel", &["did you mean `shell`?"]),
        ("shell/rnu", &["no tool of the service `shell` matches `shell/rnu`"]),
        ("pay/", &["the glob is empty"]),
        ("pay/[", &["cannot be read"]),
        ("", &["the glob is empty"]),
    ] {
        for verb in ["deny", "allow", "ask"] {
            // What is right beside it is not written either.
            let run = home.run(&[verb, "pay/echo", typed]);
            assert_eq!(run.code, 2, "{verb} {typed}: {}{}", run.stdout, run.stderr);
            for words in words {
                assert!(run.stderr.contains(words), "{verb} {typed}: {words}: {}", run.stderr);
            }
            assert_eq!(settings(&home), "", "{verb} {typed}");
        }
    }
    home.write("home/.mcp.json", "{");
    let run = home.run(&["deny", "elsewhere"]);
    assert!(run.stderr.contains("home/.mcp.json"), "{}", run.stderr);
}

#[test]
fn a_rule_is_written_in_the_form_that_matches() {
    let home = home();
    for (typed, server, tool, matches) in [
        ("pay/echo", Some("pay"), "echo", "tools"),
        ("pay/e*", Some("pay"), "e*", "tools"),
        ("pay", Some("pay"), "*", "tools"),
        ("later", Some("later"), "*", "tools"),
        ("p*", Some("p*"), "*", "tools"),
        ("p?y/ref*", Some("p?y"), "ref*", "tools"),
        ("mcp__pay__echo", Some("pay"), "echo", "tools"),
        ("pay__echo", Some("pay"), "echo", "tools"),
        ("mcp__pay__*", None, "mcp__pay__*", "tools"),
        ("*", None, "*", "tools"),
        // Services count, whether they are on or off.
        ("memory_delete", None, "memory_delete", "tools"),
        ("shell", None, "shell_*", "tools"),
        ("shell/run", None, "shell_run", "tools"),
        ("files/*", None, "files_*", "tools"),
        ("agents", None, "claudecode_*", "tools"),
        ("echo_*", None, "echo_*", "tools"),
        ("ListMcpResources", None, "ListMcpResources", "tools"),
        ("call_tool", None, "call_tool", "tools"),
        // So does the name that a profile gives a tool.
        ("create_task", None, "create_task", "tools"),
        ("subcog_capture", None, "subcog_capture", "tools"),
        // The tools of a server that never ran may have any name.
        ("later/echo", Some("later"), "echo", "not-listed"),
        ("mcp__later__echo", Some("later"), "echo", "not-listed"),
        ("mcp__later__e*", None, "mcp__later__e*", "not-listed"),
    ] {
        for future in [&[][..], &["--future"]] {
            let written = home.json(0, &[&["deny", typed], future].concat());
            let rule = &written[0];
            let found = (rule["server"].as_str(), rule["tool"].as_str(), rule["matches"].as_str());
            assert_eq!(found, (server, Some(tool), Some(matches)), "{typed}: {written}");
            let is_unknown = rule["notes"].to_string().contains("the tools of later are not known");
            assert_eq!(is_unknown, matches == "not-listed", "{typed}: {written}");
        }
    }
    let run = home.ok(&["deny", "later/echo"]);
    assert!(run.stderr.contains("hobnob doctor later"), "{}", run.stderr);
}

#[test]
fn a_deny_says_what_else_has_the_name() {
    let home = home();
    home.ok(&["add", "files", "--", "server"]);
    home.ok(&["add", "memo", "--", "server"]);
    for (verb, typed, note) in [
        ("deny", "files", "hobnob deny 'files_*'"),
        ("ask", "files", "hobnob ask 'files_*'"),
        ("deny", "mem*", "hobnob deny memo"),
    ] {
        let run = home.ok(&[verb, typed]);
        assert!(run.stderr.contains(note), "{verb} {typed}: {}", run.stderr);
    }
    for words in [&["allow", "files"][..], &["deny", "*"], &["deny", "pay"]] {
        assert_eq!(home.ok(words).stderr, "", "{words:?}");
    }
}

/// What is written before the server is there denies its call once it is, also after `add --allow`.
#[test]
fn a_rule_for_later_counts_as_soon_as_the_server_is_there() {
    for (typed, server, tool) in [
        ("pay/typed", Some("pay"), "typed"),
        ("pay/ty*", Some("pay"), "ty*"),
        ("pa?/typed", Some("pa?"), "typed"),
        ("mcp__pay__typed", None, "mcp__pay__typed"),
        ("pay__typed", None, "mcp__pay__typed"),
        ("mcp__pay__t*", None, "mcp__pay__t*"),
        ("pay", Some("pay"), "*"),
        ("pay*", Some("pay*"), "*"),
    ] {
        let setup = Setup::new("");
        let home = &setup.home;
        assert_eq!(home.run(&["deny", typed]).code, 2, "{typed}");
        let written = home.json(0, &["deny", typed, "--future"]);
        let rule = &written[0];
        let found = (rule["server"].as_str(), rule["tool"].as_str(), rule["matches"].as_str());
        assert_eq!(found, (server, Some(tool), Some("nothing")), "{typed}: {written}");
        assert!(rule["notes"][0].as_str().unwrap().contains("as soon as"), "{typed}: {written}");
        let (script, noted) = (home.path("server.sh"), home.path("noted"));
        let command = ["--", "sh", script.to_str().unwrap(), noted.to_str().unwrap()];
        // The same rule with another action would take its place.
        let allow = if tool == "*" { &[][..] } else { &["--allow"] };
        home.ok(&[&["add", "pay"], allow, &command].concat());
        let run = home.run(&["call", "pay/typed", "text=x", "--yes"]);
        assert_eq!(run.code, 4, "{typed}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("is denied by rule"), "{typed}: {}", run.stderr);
        assert!(setup.noted().is_empty(), "{typed}");
    }
}

#[test]
fn adding_a_server_with_allow_says_that_a_deny_is_gone() {
    let home = Home::new();
    home.ok(&["deny", "pay", "--future"]);
    let added = home.json(0, &["add", "pay", "--allow", "--", "server"]);
    assert!(added["rule"].as_str().unwrap().ends_with("(was: deny)"), "{added}");
}

#[test]
fn a_rule_for_a_token_that_is_not_there_is_refused() {
    let home = home();
    home.ok(&["token", "create", "ci"]);
    let run = home.run(&["deny", "pay", "--principal", "token:c1"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("did you mean `token:ci`?"), "{}", run.stderr);
    assert_eq!(settings(&home), "");
    home.ok(&["deny", "pay", "--principal", "token:c1", "--future"]);
    home.ok(&["deny", "pay", "--principal", "token:ci"]);
}

#[test]
fn a_token_that_would_reach_nothing_is_not_made() {
    let home = home();
    home.ok(&["add", "two words", "--", "server"]);
    for (words, reason) in [
        (&["--scope", "memry:call"][..], "did you mean `memory:call`?"),
        (&["--scope", "read pai:call"], "did you mean `pay:call`?"),
        (&["--scope", "cone:call"], "takes the scope `call`"),
        (&["--scope", "two words:call"], "`two` is no scope"),
        (&["--scope", "p/subcg:read"], "did you mean `subcog`?"),
        (&["--profile", "subcg"], "did you mean `subcog`?"),
    ] {
        let run = home.run(&[&["token", "create", "x"], words].concat());
        assert_eq!(run.code, 2, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(reason), "{words:?}: {}", run.stderr);
        assert_eq!(home.json(0, &["token", "list"]), json!([]), "{words:?}");
    }
    for (name, words) in [
        ("a", &["--scope", "memory:call shell:read"][..]),
        ("b", &["--scope", "pay:call later:read"]),
        ("c", &["--scope", "p/subcog:admin", "--profile", "subcog"]),
        ("d", &["--scope", "memry:call", "--profile", "coming", "--future"]),
    ] {
        home.ok(&[&["token", "create", name], words].concat());
    }
}

/// The rules, scopes and entries of profiles in which `doctor` finds nothing.
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
    home.ok(&["token", "create", "ci", "--scope", "memry:call memory:call", "--future"]);
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
        ("token:ci: ", "did you mean `memory:call`?", "hobnob token revoke ci"),
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:#?}");
    for (index, (start, words, next)) in expected.into_iter().enumerate() {
        assert!(message(index).starts_with(start), "{start}: {warnings:#?}");
        assert!(message(index).contains(words), "{words}: {warnings:#?}");
        assert!(hint(index).contains(next), "{next}: {warnings:#?}");
    }
}
