//! Each verb for daily use as people meet it: on terminals of 60 and 120 columns without colour, in
//! a pipe, and as JSON.

use serde_json::Value;

use crate::cli_call_setup::Setup;
use crate::cli_config_home::{Home, Run, read_json};
use crate::cli_terminal::on_terminal_with;

const CURSOR: &str = "{\n  \"mcpServers\": {\n    \"git\": {\"command\": \"uvx\"}\n  }\n}\n";

/// A verb, what a person types at its questions, how it ends, and what it says.
struct Case {
    words: &'static [&'static str],
    typed: &'static [(&'static str, &'static str)],
    code: i32,
    says: &'static [&'static str],
}

/// In the order a person might use them; each is the same the second time.
const CASES: &[Case] = &[
    quiet(&["allow", "script/typed"], 0, &["script/typed: allow"]),
    quiet(&["ask", "script/typed"], 0, &["script/typed: ask", "(was: allow)"]),
    quiet(&["deny", "script/stuck"], 0, &["script/stuck: deny"]),
    quiet(&["add-json", "docs", r#"{"command":"no-such-program"}"#], 0, &["docs"]),
    quiet(&["show", "docs"], 0, &["no-such-program"]),
    quiet(&["logs", "script"], 0, &["[hobnob] started, process "]),
    quiet(&["restart", "script"], 1, &["nothing to restart"]),
    quiet(&["tools", "--cost"], 0, &["mcp__script__picture"]),
    quiet(&["tools", "paint a dot"], 0, &["mcp__script__picture"]),
    quiet(&["connect"], 0, &["cursor", "windsurf"]),
    Case {
        words: &["connect", "cursor"],
        typed: &[("Change ", "y\r")],
        code: 0,
        says: &["+    \"hobnob\": {", "Cursor is connected", "backup: "],
    },
    Case {
        words: &["connect", "cursor", "--remove"],
        typed: &[("Change ", "n\r")],
        code: 0,
        says: &["-    \"hobnob\": {", "is unchanged"],
    },
    quiet(&["connect", "cursor", "--remove", "--yes"], 0, &["Cursor is no longer connected"]),
    Case {
        words: &["import", "--from", "cursor"],
        typed: &[("Write 1 server", "n\r")],
        code: 0,
        says: &["\"git\":{\"command\":\"uvx\"}"],
    },
    quiet(&["service", "install", "--dry-run"], 0, &["ExecStart="]),
    quiet(&["remove", "docs"], 0, &["docs"]),
];

const fn quiet(words: &'static [&'static str], code: i32, says: &'static [&'static str]) -> Case {
    Case { words, typed: &[], code, says }
}

fn home() -> Home {
    let home = Setup::new("").home;
    home.write("home/.cursor/mcp.json", CURSOR);
    home.ok(&["tools"]);
    home
}

fn check(case: &Case, run: &Run, way: &str) {
    let Case { words, code, says, .. } = case;
    let shown = format!("{}{}", run.stdout, run.stderr);
    assert_eq!(run.code, *code, "{way}: {words:?}: {shown}");
    for said in *says {
        assert!(shown.contains(said), "{way}: {words:?} does not say {said:?}: {shown}");
    }
    // Only a question moves the cursor and writes its line anew, and nothing has colours.
    assert!(!shown.contains('\u{1b}') || !case.typed.is_empty(), "{way}: {words:?}: {shown:?}");
    let is_colour = |code: &str| code.split_once('m').is_some_and(|(it, _)| digits(it));
    assert!(!shown.split("\u{1b}[").skip(1).any(is_colour), "{way}: {words:?}: {shown:?}");
}

fn digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b';')
}

#[cfg(target_os = "linux")]
#[test]
fn every_verb_works_on_a_terminal_of_any_width() {
    for columns in [60, 120] {
        let home = home();
        for case in CASES {
            let variables = [("NO_COLOR", "1")];
            let run = on_terminal_with(&home, columns, case.typed, case.words, &variables);
            check(case, &run, &format!("{columns} columns"));
        }
        assert_eq!(std::fs::read_to_string(home.path("home/.cursor/mcp.json")).unwrap(), CURSOR);
        assert!(read_json(&home.own())["mcpServers"].get("git").is_none());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_verb_works_in_a_pipe_and_as_json() {
    let (piped, json) = (home(), home());
    for case in CASES {
        let mut words = case.words.to_vec();
        if let Some((_, answer)) = case.typed.first() {
            // Without a person to ask, the verb says what to run instead, and does nothing.
            for (home, first) in [(&piped, &[][..]), (&json, &["--json"])] {
                let run = home.run(&[first, &words].concat());
                assert_eq!(run.code, 4, "{words:?}: {}", run.stderr);
                assert!(run.stderr.contains("--yes"), "{words:?}: {}", run.stderr);
            }
            if answer.starts_with('n') {
                continue;
            }
            words.push("--yes");
        }
        check(case, &piped.run(&words), "pipe");
        let run = json.run(&[&["--json"], &words[..]].concat());
        assert_eq!(run.code, case.code, "{words:?}: {}", run.stderr);
        let documents = serde_json::Deserializer::from_str(&run.stdout).into_iter::<Value>();
        for document in documents {
            document.unwrap_or_else(|error| panic!("{words:?}: {error}: {}", run.stdout));
        }
    }
}
