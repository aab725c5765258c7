//! What lists look like on terminals of 60 and 120 columns, without colour, in a pipe and as JSON.

use serde_json::{Value, json};

use crate::cli_call_setup::Setup;
use crate::cli_config_home::Home;
use crate::cli_terminal::on_terminal_with;

/// A name as long as people give them.
const LONG: &str = "a-server-with-a-name-that-is-rather-long";

fn home() -> Home {
    let home = Setup::new("").home;
    let words = [home.path("server.sh"), home.path("noted")];
    let servers = json!({"mcpServers": {
        "script": {"command": "sh", "args": words},
        LONG: {"command": "sh", "args": words, "disabled": true},
    }});
    home.write("hobnob/config/mcp.json", &servers.to_string());
    home.ok(&["tools"]);
    home.ok(&[
        "memory",
        "capture",
        "Orders are kept in PostgreSQL, because the report needs windows",
    ]);
    home.ok(&["tasks", "add", "Write the exporter and describe what it leaves out, and why"]);
    home
}

/// The screen without what was written over, and its lines.
fn screen(home: &Home, columns: u16, words: &[&str]) -> Vec<String> {
    let variables = [("NO_COLOR", "1")];
    let run = on_terminal_with(home, columns, &[], words, &variables);
    assert_eq!(run.code, 0, "{words:?}: {}", run.stdout);
    let kept = run.stdout.split('\n').map(|line| line.rsplit("\u{1b}[2K").next().unwrap());
    let kept: Vec<String> = kept.map(|line| line.trim_start_matches('\r').to_owned()).collect();
    assert!(!kept.concat().contains('\u{1b}'), "{words:?} has colours: {kept:?}");
    kept
}

#[test]
fn every_list_fits_the_terminal() {
    let home = home();
    // The command, the head of its table, and a name that must be whole.
    let cases: [(&[&str], &str, &str); 7] = [
        (&["list"], "NAME ", LONG),
        (&["status"], "SERVER ", LONG),
        (&["tools"], "TOOL ", "mcp__script__picture"),
        (&["prompts"], "PROMPT ", "mcp__script__greet"),
        (&["memory", "list"], "DATE ", "PostgreSQL,"),
        (&["tasks", "list"], "ID ", "task_"),
        (&["audit"], "TIME ", "memory_capture"),
    ];
    for (words, head, name) in cases {
        let narrow = screen(&home, 60, words);
        let is_head = |line: &String| line.starts_with(head);
        assert!(!narrow.iter().any(is_head), "{words:?} is a table: {narrow:#?}");
        assert!(narrow.iter().any(|line| line.contains(name)), "{words:?}: {narrow:#?}");
        let indented = narrow.iter().filter(|line| line.starts_with("  "));
        for line in indented {
            let fits = line.chars().count() <= 60 || line.split_whitespace().count() <= 2;
            assert!(fits, "{words:?} is too wide: {line}");
        }
        let wide = screen(&home, 120, words);
        assert!(wide.iter().any(is_head), "{words:?} is no table: {wide:#?}");
        assert!(wide.iter().any(|line| line.contains(name)), "{words:?}: {wide:#?}");
        for line in wide.iter().skip_while(|line| !is_head(line)).take_while(|it| !it.is_empty()) {
            assert!(line.chars().count() <= 120, "{words:?} is too wide: {line}");
        }
        // In a pipe a row is one line, and the width of no terminal matters.
        let piped = home.ok(words).stdout;
        assert!(piped.lines().any(|line| line.starts_with(head)), "{words:?}: {piped}");
        assert!(!piped.contains('\u{1b}'), "{words:?}: {piped}");
        let run = home.ok(&[&["--json"], words].concat());
        for document in serde_json::Deserializer::from_str(&run.stdout).into_iter::<Value>() {
            document.unwrap_or_else(|error| panic!("{words:?}: {error}: {}", run.stdout));
        }
    }
}

#[test]
fn a_server_is_one_row_of_80_columns() {
    let home = Setup::new("").home;
    let words = [home.path("server.sh"), home.path("noted")];
    let server = json!({"command": "sh", "args": words});
    let servers = json!({"mcpServers": {"weather-service": server, "script": server}});
    home.write("hobnob/config/mcp.json", &servers.to_string());
    home.ok(&["tools"]);
    for (words, head) in [("list", "NAME "), ("status", "SERVER ")] {
        let shown = screen(&home, 80, &[words]);
        let table: Vec<&String> = shown.iter().skip_while(|it| !it.starts_with(head)).collect();
        assert!(table[0].contains("STATE"), "{words} is no table: {shown:#?}");
        assert!(table.iter().all(|line| line.chars().count() <= 80), "{words}: {shown:#?}");
        for name in ["weather-service  ", "script  "] {
            let rows = table.iter().filter(|line| line.starts_with(name)).count();
            assert_eq!(rows, 1, "{words}: {name}: {shown:#?}");
        }
    }
}

#[test]
fn denied_tools_are_counted_nowhere() {
    let rules = "[[permissions]]\nserver = \"script\"\ntool = \"stuck\"\naction = \"deny\"\n";
    let home = Setup::new(rules).home;
    let words = [home.path("server.sh"), home.path("noted")];
    let entry = json!({"command": "sh", "args": words, "deniedTools": ["pict*"]});
    home.write("hobnob/config/mcp.json", &json!({"mcpServers": {"script": entry}}).to_string());
    let listed = home.json(0, &["tools", "--server", "script"]);
    assert_eq!(listed["tools"].as_array().unwrap().len(), 3, "{listed}");
    assert_eq!(home.json(0, &["status"])["servers"][0]["tools"], 3);
    let offers = &home.json(0, &["show", "script"])["offers"];
    assert_eq!(offers["tools"], json!(["typed", "broken", "clock"]), "{offers}");
    assert_eq!(offers["denied"], json!(["stuck", "picture"]), "{offers}");
    let shown = home.ok(&["show", "script"]).stdout;
    assert!(shown.contains("denied"), "{shown}");
}

#[test]
fn one_server_is_shown_in_any_width() {
    let home = home();
    for columns in [60, 120] {
        let shown = screen(&home, columns, &["show", "script"]);
        for line in
            ["name       script", "transport  stdio", "tools      typed", "           stuck"]
        {
            assert!(shown.iter().any(|it| it == line), "{columns}: {line}: {shown:#?}");
        }
        let logs = screen(&home, columns, &["logs", "script"]);
        assert!(logs.iter().any(|line| line.contains("[hobnob] started, process ")), "{logs:#?}");
        assert!(!screen(&home, columns, &["restart", "--help"])[0].is_empty());
    }
}

#[test]
fn colours_appear_only_on_a_terminal_that_may_have_them() {
    let home = home();
    for columns in [60, 120] {
        let run = on_terminal_with(&home, columns, &[], &["list"], &[("CLICOLOR", "1")]);
        assert!(run.stdout.contains("\u{1b}["), "{columns}: {}", run.stdout);
    }
}
