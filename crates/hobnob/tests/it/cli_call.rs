//! Commands that talk to servers: what is called, what is shown, how it ends.

use std::fs;

use serde_json::{Value, json};

use crate::cli_call_setup::{ALLOW, Setup};

/// The arguments of the newest call.
fn sent(setup: &Setup) -> Value {
    let noted = setup.noted();
    let message: Value = serde_json::from_str(noted.last().expect("a call")).unwrap();
    message["params"]["arguments"].clone()
}

#[test]
fn words_become_what_the_tool_wants() {
    let setup = Setup::new(ALLOW);
    let cases: [(&[&str], Value); 5] = [
        (&["count=5", "loud=true", "tags=a"], json!({"count": 5, "loud": true, "tags": ["a"]})),
        (&["tags=a", "tags=b", "text=5"], json!({"tags": ["a", "b"], "text": "5"})),
        (&[r#"{"text": "x", "count": 7}"#], json!({"text": "x", "count": 7})),
        (&[r#"tags:=["q"]"#], json!({"tags": ["q"]})),
        (&[], json!({})),
    ];
    for (words, wanted) in cases {
        let mut arguments = vec!["call", "mcp__script__typed"];
        arguments.extend(words);
        let run = setup.home.ok(&arguments);
        assert_eq!(run.stdout, "well done", "{words:?}");
        assert_eq!(sent(&setup), wanted, "{words:?}");
    }
    let file = setup.home.path("words.txt");
    fs::write(&file, "from a file").unwrap();
    let run = setup.home.ok(&["call", "typed", &format!("text=@{}", file.display())]);
    assert_eq!((run.stdout.as_str(), sent(&setup)), ("well done", json!({"text": "from a file"})));
}

#[test]
fn arguments_come_from_standard_input_too() {
    let setup = Setup::new(ALLOW);
    let mut command = setup.home.command(&["call", "script/typed", "-"]);
    let file = setup.home.path("input.json");
    fs::write(&file, "{\"text\": \"piped\"}\n").unwrap();
    let output = command.stdin(fs::File::open(file).unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(sent(&setup), json!({"text": "piped"}));
}

#[test]
fn what_is_typed_wrongly_is_never_sent() {
    let setup = Setup::new(ALLOW);
    let cases: [(&[&str], i32, &str); 6] = [
        (&["call", "typed", "count=five"], 2, "a whole number"),
        (&["call", "typed", "other=1"], 2, "unknown argument `other`"),
        (&["call", "typed", "words"], 2, "key=value"),
        (&["call", "typed", "{"], 2, "JSON object"),
        (&["call", "nothing"], 1, "there is no tool `nothing`"),
        (&["call", "typed", "--timeout", "soon"], 2, "length of time"),
    ];
    for (arguments, code, words) in cases {
        let run = setup.home.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    assert!(setup.noted().is_empty(), "{:?}", setup.noted());
}

#[test]
fn a_mistyped_server_is_the_same_error_in_every_command() {
    let setup = Setup::new(ALLOW);
    setup.home.ok(&["tools"]);
    let commands = "show scrip
        edit scrip
        remove scrip
        enable scrip
        disable scrip
        approve scrip
        login scrip
        logout scrip
        restart scrip
        logs scrip
        doctor scrip
        sandbox learn scrip
        tools --server scrip
        resources --server scrip
        prompts --server scrip
        call scrip/typed
        watch scrip/typed
        watch scrip note://one
        read scrip note://one
        read mcp://scrip/note://one
        prompt scrip/greet";
    for line in commands.lines() {
        let run = setup.home.run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(run.code, 2, "{line}: {}", run.stderr);
        for words in ["there is no server `scrip`; ", "; did you mean `script`?"] {
            assert!(run.stderr.contains(words), "{line}: {words}: {}", run.stderr);
        }
        assert_eq!(run.stdout, "", "{line}");
    }
    // Suggestions also name services and tools.
    let cases = [
        ("allow scrip", 2, "did you mean `script`?"),
        ("deny script/tipped", 2, "did you mean `script/typed`?"),
        ("run scrip.typed", 2, "did you mean `script.typed`"),
        ("call script/tiped", 1, "did you mean `mcp__script__typed`"),
        ("call tiped", 1, "did you mean `typed`"),
        ("prompt script/gret", 1, "did you mean `mcp__script__greet`"),
        ("read note://onne", 1, "did you mean `note://one`"),
        ("enable shel", 2, "did you mean `shell`?"),
    ];
    for (line, code, words) in cases {
        let run = setup.home.run(&line.split_whitespace().collect::<Vec<_>>());
        assert_eq!(run.code, code, "{line}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{line}: {words}: {}", run.stderr);
    }
}

#[test]
fn how_a_call_went_is_its_exit_code() {
    let gone = json!({"mcpServers": {"gone": {"command": "/no/such/program"}}});
    let setup = Setup::new(ALLOW);
    setup.home.write("home/.mcp.json", &gone.to_string());
    let cases: [(&[&str], i32, &str); 4] = [
        (&["call", "broken"], 3, "it broke"),
        (&["call", "mcp__gone__tool"], 5, "gone"),
        (&["call", "stuck", "--timeout", "500ms"], 124, "did not answer within"),
        (&["call", "mcp__script__nothing"], 1, "Unknown tool"),
    ];
    for (arguments, code, words) in cases {
        let run = setup.home.run(arguments);
        assert_eq!(run.code, code, "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    let result = setup.home.json(3, &["call", "broken"]);
    assert_eq!(result["isError"], true, "{result}");
}

#[test]
fn rules_decide_and_nobody_can_be_asked_here() {
    let setup = Setup::new("");
    let run = setup.home.run(&["call", "typed", "text=x"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    for words in ["nobody could be asked", "mcp__script__typed"] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    assert!(setup.noted().is_empty());

    let run = setup.home.ok(&["call", "typed", "text=x", "--yes"]);
    assert_eq!((run.stdout.as_str(), setup.noted().len()), ("well done", 1));

    let denied = "[[permissions]]\ntool = \"mcp__script__typed\"\naction = \"deny\"\n";
    let setup = Setup::new(denied);
    let run = setup.home.run(&["call", "mcp__script__typed", "text=x", "--yes"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    assert!(run.stderr.contains("denied by rule"), "{}", run.stderr);
    assert!(setup.noted().is_empty());
    // The refusal says what to type, and which file that changes.
    let file = setup.home.path("hobnob/config/config.toml");
    let changes = format!("(changes {})", file.display());
    assert!(run.stderr.contains(&format!("hobnob edit {changes}")), "{}", run.stderr);
    let setup = Setup::new("");
    setup.home.ok(&["deny", "script/typed"]);
    let run = setup.home.run(&["call", "script/typed", "text=x"]);
    assert!(run.stderr.contains("hobnob allow script/typed (changes "), "{}", run.stderr);
    setup.home.ok(&["allow", "script/typed"]);
    setup.home.ok(&["call", "script/typed", "text=x"]);
    for words in [&["call", "script/clock"][..], &["watch", "script/clock"]] {
        let run = setup.home.run(words);
        assert!(run.stderr.contains("hobnob allow script/clock"), "{words:?}: {}", run.stderr);
    }
}

#[test]
fn people_get_no_positions_of_a_parser() {
    let setup = Setup::new(ALLOW);
    let cases: [&[&str]; 4] = [
        &["call", "typed", "{\"text\":"],
        &["call", "typed", "tags:=[1"],
        &["call", "typed", "{text: 1}"],
        &["add-json", "x", "{\"command\": x}"],
    ];
    for words in cases {
        let run = setup.home.run(words);
        assert_eq!(run.code, 2, "{words:?}: {}", run.stderr);
        assert!(!run.stderr.contains("column"), "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains("JSON"), "{words:?}: {}", run.stderr);
    }
}

#[test]
fn tools_are_listed_ranked_and_described() {
    let setup = Setup::new(ALLOW);
    let all = setup.home.json(0, &["tools"]);
    let names = |all: &Value| -> Vec<String> {
        let tools = all["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    for name in ["mcp__script__typed", "mcp__script__stuck", "health_check"] {
        assert!(names(&all).contains(&name.to_owned()), "{name}: {all}");
    }
    let typed = all["tools"].as_array().unwrap().iter().find(|it| it["original"] == "typed");
    let typed = typed.unwrap();
    assert_eq!((&typed["server"], &typed["title"]), (&json!("script"), &json!("Typed things")));
    assert_eq!(typed.get("inputSchema"), None);

    let found = setup.home.json(0, &["tools", "never", "answers", "--schema"]);
    assert_eq!(names(&found)[0], "mcp__script__stuck", "{found}");
    assert_eq!(found["tools"][0]["inputSchema"], json!({"type": "object"}));
    let scores: Vec<f64> =
        found["tools"].as_array().unwrap().iter().map(|it| it["score"].as_f64().unwrap()).collect();
    assert!(0.0 < scores[0] && scores.is_sorted_by(|one, other| one >= other), "{found}");
    assert_eq!(typed.get("score"), None);
    // An exact name comes first, even if other tools have its words.
    let named = setup.home.json(0, &["tools", "health_check", "--limit", "1"]);
    assert_eq!(names(&named), ["health_check"]);
    let none = setup.home.json(0, &["tools", "xylophone"]);
    assert_eq!(none, json!({"tools": []}));
    let own = setup.home.json(0, &["tools", "--server", "script"]);
    assert_eq!(names(&own).len(), 5, "{own}");
    assert_eq!(setup.home.run(&["tools", "--server", "nobody"]).code, 2);

    let shown = setup.home.ok(&["tools", "dot"]).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("TOOL"), "{shown}");
    assert!(lines[1].contains("mcp__script__picture") && lines[1].contains("Paints a dot"));
}

#[test]
fn resources_are_listed_and_read() {
    let setup = Setup::new("");
    let all = setup.home.json(0, &["resources", "--server", "script"]);
    assert_eq!(all["resources"][0]["uri"], "mcp://script/note://one", "{all}");
    assert_eq!(all["resources"][0]["original"], "note://one", "{all}");
    assert_eq!(all["templates"][0]["uriTemplate"], "mcp://script/note://{name}", "{all}");

    let ways: [&[&str]; 3] =
        [&["mcp://script/note://one"], &["script", "note://one"], &["note://one"]];
    for words in ways {
        let mut arguments = vec!["read"];
        arguments.extend(words);
        assert_eq!(setup.home.ok(&arguments).stdout, "first", "{words:?}");
    }
    let read = setup.home.json(0, &["read", "note://one"]);
    assert_eq!(read["contents"][0]["text"], "first", "{read}");
    let file = setup.home.path("dot.bin");
    let output = file.display().to_string();
    setup.home.ok(&["read", "note://dot", "--output", &output]);
    assert_eq!(fs::read(&file).unwrap(), [0, 255]);
    assert_eq!(setup.home.run(&["read", "note://none"]).code, 1);
    assert_eq!(setup.home.run(&["read", "nobody", "note://one"]).code, 2);
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let setup = Setup::new("");
    let all = setup.home.json(0, &["prompts"]);
    let prompts = all["prompts"].as_array().unwrap();
    let greet = prompts.iter().find(|prompt| prompt["name"] == "mcp__script__greet");
    assert_eq!(greet.expect("the server's prompt")["server"], "script", "{all}");
    let shown = setup.home.ok(&["prompt", "greet", "who=you=me"]).stdout;
    assert_eq!(shown, "user:\nSay hello\n\n");
    assert_eq!(sent(&setup), json!({"who": "you=me"}));
    let got = setup.home.json(0, &["prompt", "mcp__script__greet", "who=x"]);
    assert_eq!(got["messages"][0]["content"]["text"], "Say hello", "{got}");
    assert_eq!(setup.home.run(&["prompt", "greet", "who"]).code, 2);
}

#[test]
fn media_are_described_or_kept() {
    let setup = Setup::new(ALLOW);
    let run = setup.home.ok(&["call", "picture"]);
    let described = "[image, image/png, 2 bytes; save it with --save DIR]\n";
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", described));
    let folder = setup.home.path("kept");
    for number in 1..=2 {
        setup.home.ok(&["call", "picture", "--save", folder.to_str().unwrap()]);
        let file = folder.join(format!("mcp__script__picture-{number}.png"));
        assert_eq!(fs::read(file).unwrap(), [0, 255]);
    }
}

#[test]
fn status_starts_nothing() {
    let setup = Setup::new("");
    let status = setup.home.json(0, &["status"]);
    assert_eq!(
        (&status["running"], &status["servers"][0]["phase"]),
        (&json!(false), &json!("unknown"))
    );
    assert_eq!(status["servers"][0].get("pid"), None, "{status}");
    let shown = setup.home.ok(&["status"]).stdout;
    for words in ["hobnob serve is not running", "SERVER", "script", "unknown", "never started"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(setup.home.json(0, &["status"])["servers"][0]["tools"], 0);
    setup.home.ok(&["tools"]);
    // Known from the last run now, although it does not run any more.
    let known = setup.home.json(0, &["status"])["servers"][0].clone();
    assert_eq!((&known["tools"], &known["phase"]), (&json!(5), &json!("stopped")), "{known}");
}

#[test]
fn the_shell_completes_names_that_are_known() {
    let setup = Setup::new("");
    let complete = |words: &[&str]| {
        let mut command = setup.home.command(&["--", "hobnob"]);
        command
            .args(words)
            .env("COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        let output = command.env("_CLAP_IFS", "\n").output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(complete(&["call", "mcp__"]), "");
    setup.home.ok(&["tools"]);
    assert!(complete(&["call", "mcp__script__t"]).contains("mcp__script__typed"));
    assert!(complete(&["tools", "--server", "s"]).contains("script"));
    assert!(complete(&["prompt", "mcp__"]).contains("mcp__script__greet"));
    assert!(complete(&["read", "mcp://"]).contains("note://one"));
    assert!(setup.noted().is_empty(), "completing must start nothing");
}
