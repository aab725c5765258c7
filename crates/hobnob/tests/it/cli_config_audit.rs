//! `audit`: the log, filtered, as a table or as JSON lines.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::cli_config_home::Home;

fn line(at: &str, server: &str, tool: &str, decision: &str, outcome: &str) -> String {
    let principal = if server == "files" { "ann" } else { "" };
    let record = json!({"at": at, "principal": principal, "client": "editor\u{1b}[2J",
        "method": "tools/call", "tool": tool, "server": server, "decision": decision,
        "outcome": outcome, "duration_us": 1234, "request_bytes": 1, "result_bytes": 2});
    format!("{record}\n")
}

fn filled() -> Home {
    let home = Home::new();
    let old = "2020-01-01T00:00:00Z";
    let lines = [
        line(old, "git", "mcp__git__log", "allow", "ok"),
        line(old, "git", "mcp__git__push", "deny", "refused"),
        "torn line\n".to_owned(),
        line("2999-01-01T00:00:00Z", "files", "mcp__files__read", "ask-granted", "tool_error"),
    ];
    home.write("hobnob/state/audit.jsonl", &lines.concat());
    home
}

#[test]
fn an_empty_log_is_no_failure() {
    let home = Home::new();
    let run = home.ok(&["audit"]);
    assert!(run.stdout.is_empty() && run.stderr.contains("no matching records"), "{}", run.stderr);
    assert_eq!(home.ok(&["--json", "audit"]).stdout, "");
}

#[test]
fn filters_choose_lines() {
    let home = filled();
    let check = |words: &[&str], expected: &[&str]| {
        let mut all = vec!["audit", "--json"];
        all.extend(words);
        let run = home.ok(&all);
        let tools: Vec<String> = run
            .stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .map(|entry| entry["tool"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(tools, expected, "{words:?}");
    };
    check(&[], &["mcp__git__log", "mcp__git__push", "mcp__files__read"]);
    check(&["--limit", "1"], &["mcp__files__read"]);
    check(&["--since", "1h"], &["mcp__files__read"]);
    check(&["--server", "git"], &["mcp__git__log", "mcp__git__push"]);
    check(&["--principal", "ann"], &["mcp__files__read"]);
    check(&["--principal", ""], &["mcp__git__log", "mcp__git__push"]);
    check(&["--principal", "an"], &[]);
    check(&["--tool", "mcp__*__p*"], &["mcp__git__push"]);
    check(&["--decision", "ask-granted"], &["mcp__files__read"]);
    check(&["--outcome", "tool_error"], &["mcp__files__read"]);
    check(&["--outcome", "timeout"], &[]);
    for words in [&["--since", "soon"][..], &["--decision", "maybe"], &["--limit", "many"]] {
        let mut all = vec!["audit"];
        all.extend(words);
        assert_eq!(home.run(&all).code, 2, "{words:?}");
    }
}

#[test]
fn people_get_a_table() {
    let run = filled().ok(&["audit"]);
    let first = run.stdout.lines().next().unwrap();
    assert_eq!(first.split_whitespace().next(), Some("TIME"));
    assert!(run.stdout.contains("mcp__git__push") && run.stdout.contains("refused"));
    assert!(run.stdout.contains("1 ms") && !run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert_eq!(run.stdout.matches("ann (editor").count(), 1, "{}", run.stdout);
}

#[test]
fn following_tells_what_comes() {
    let home = filled();
    let mut command = home.command(&["audit", "--json", "--follow", "--server", "files"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("mcp__files__read"));
    let log = home.path("hobnob/state/audit.jsonl");
    let mut file = OpenOptions::new().append(true).open(&log).unwrap();
    let now = "2030-01-01T00:00:00Z";
    file.write_all(line(now, "git", "mcp__git__other", "allow", "ok").as_bytes()).unwrap();
    file.write_all(line(now, "files", "mcp__files__new", "allow", "ok").as_bytes()).unwrap();
    assert!(lines.next().unwrap().unwrap().contains("mcp__files__new"));
    // The file is renamed when it is full, and a new one is begun.
    std::fs::rename(&log, home.path("hobnob/state/audit.jsonl.1")).unwrap();
    let later = line(now, "files", "mcp__files__later", "allow", "ok");
    home.write("hobnob/state/audit.jsonl", &later);
    assert!(lines.next().unwrap().unwrap().contains("mcp__files__later"));
    // Decisions have a file of their own.
    let decided = line(now, "files", "mcp__files__decided", "ask-granted", "ok");
    home.write("hobnob/state/audit-decisions.jsonl", &decided);
    assert!(lines.next().unwrap().unwrap().contains("mcp__files__decided"));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A log with three decisions, written by commands.
fn decided() -> Home {
    let home = filled();
    home.ok(&["enable", "logs"]);
    home.ok(&["grant", "logs", "journal"]);
    home.ok(&["revoke", "logs", "journal"]);
    home
}

#[test]
fn verifying_says_from_where_to_where_the_chain_holds() {
    let run = Home::new().ok(&["audit", "verify"]);
    assert!(run.stdout.contains("no lines with hashes"), "{}", run.stdout);
    let home = decided();
    let run = home.ok(&["audit", "verify"]);
    for words in ["4 lines without a hash", "intact", "audit-decisions.jsonl, line 3 (number 3)"] {
        assert!(run.stdout.contains(words), "{words}: {}", run.stdout);
    }
    let verified = home.json(0, &["audit", "verify"]);
    assert_eq!(verified["intact"], true);
    let decisions = &verified["streams"][1];
    assert_eq!(decisions["stream"], "decisions");
    let holds = &decisions["report"]["holds"];
    assert_eq!((&holds["first"]["seq"], &holds["last"]["seq"]), (&json!(1), &json!(3)));
    // The hash that was printed proves later that these lines are still there.
    let hash = holds["hash"].as_str().unwrap();
    home.ok(&["grant", "logs", "journal"]);
    let verified = home.json(0, &["audit", "verify", "--anchor", hash]);
    assert_eq!(verified["anchors"][0]["line"]["seq"], 3);
    let other = "0".repeat(64);
    let verified = home.json(1, &["audit", "verify", "--anchor", &other]);
    assert_eq!(verified["intact"], false);
    assert!(
        home.run(&["audit", "verify", "--anchor", &other]).stderr.contains("no line has the hash")
    );
    assert_eq!(home.run(&["audit", "verify", "--anchor", "12"]).code, 2);
    assert_eq!(home.run(&["audit", "--limit", "3", "verify"]).code, 2);
}

#[test]
fn verifying_names_the_line_that_was_touched() {
    let check = |deed: fn(&mut Vec<String>), expected: &str, kind: &str| {
        let home = decided();
        let file = home.path("hobnob/state/audit-decisions.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
        deed(&mut lines);
        std::fs::write(&file, lines.concat()).unwrap();
        let run = home.run(&["audit", "verify"]);
        assert_eq!(run.code, 1, "{}", run.stdout);
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
        assert!(run.stderr.contains("move all files of the log away"), "{}", run.stderr);
        let verified = home.json(1, &["audit", "verify"]);
        assert_eq!(verified["streams"][1]["report"]["fault"]["kind"], kind);
    };
    check(
        |lines| lines[1] = lines[1].replace("logs journal", "files /"),
        "line 2 (number 2) was changed",
        "changed",
    );
    check(|lines| drop(lines.remove(1)), "line number 2 was removed", "removed");
    check(|lines| lines.swap(0, 1), "line 2 (number 1) was moved", "moved");
    check(|lines| lines.insert(2, lines[0].clone()), "line 3 (number 1) was inserted", "inserted");
    check(|lines| drop(lines.pop()), "the end was cut off: lines number 3 to 3", "cut");
}

#[test]
fn a_line_that_a_crash_cut_off_is_repaired_by_the_next_command() {
    let home = decided();
    let file = home.path("hobnob/state/audit-decisions.jsonl");
    let mut log = OpenOptions::new().append(true).open(&file).unwrap();
    log.write_all(b"{\"at\":\"2026-01-01T00:00").unwrap();
    assert!(home.ok(&["audit", "verify"]).stdout.contains("the next start of Hobnob repairs it"));
    home.ok(&["grant", "logs", "journal"]);
    let run = home.ok(&["audit", "verify"]);
    assert!(run.stdout.contains("line 4 (number 4)") && run.stdout.contains("repaired"));
    assert!(home.ok(&["audit"]).stdout.contains("a line that a crash cut off"));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_recorded_is_not_changed() {
    let home = Home::new();
    home.write("hobnob/state/keep", "");
    home.write(".mcp.json", "{}");
    let full = home.path("hobnob/state/audit-decisions.jsonl");
    std::os::unix::fs::symlink("/dev/full", full).unwrap();
    for words in [
        &["grant", "logs", "journal"][..],
        &["enable", "logs"],
        &["token", "create", "ci"],
        &["user", "add", "ann", "--no-password"],
        &["allow", "health_check"],
        &["add", "git", "--allow", "--", "git-server"],
    ] {
        let run = home.run(words);
        assert!(
            run.code == 1 && run.stderr.contains("audit log cannot be written"),
            "{words:?}: {}",
            run.stderr
        );
    }
    for file in ["grants.json", "tokens.json"] {
        assert!(!home.path("hobnob/state").join(file).exists(), "{file}");
    }
    assert!(!home.path("hobnob/config/config.toml").exists());
    assert!(home.json(0, &["list"])["servers"].as_array().unwrap().is_empty());
    assert_eq!(home.json(0, &["user", "list"])["users"], json!([]));
}

#[test]
fn strict_mode_needs_a_log() {
    let home = Home::new();
    home.write("hobnob/config/config.toml", "[audit]\nenabled = false\nmode = \"strict\"\n");
    let run = home.run(&["grant", "logs", "journal"]);
    assert!(run.code == 1 && run.stderr.contains("remove one of the two"), "{}", run.stderr);
}
