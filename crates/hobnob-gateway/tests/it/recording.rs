//! What is on the disk before something happens: people's answers, and calls where they have to be
//! recorded.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hobnob_gateway::Reload;
use hobnob_mcp_types::Method;
use hobnob_policy::audit::{AuditLog, AuditMode, AuditOptions};
use serde_json::{Value, json};

use crate::harness::{ALLOW, Harness, entry, home, python, write_servers, write_settings};

/// Which file of the audit log cannot be written.
#[derive(Clone, Copy)]
enum FullFile {
    None,
    Calls,
    Decisions,
}

/// A gateway with an audit log and an upstream that counts its calls.
fn harness(name: &str, rules: &str, mode: AuditMode, full: FullFile) -> Option<Harness> {
    let python = python()?;
    let home = home(name);
    write_settings(&home, rules);
    let up = entry(&python, &home, "up", &["--only", "count"]);
    write_servers(&home, &json!({"mcpServers": {"up": up}}).to_string());
    match full {
        FullFile::None => {}
        FullFile::Calls => symlink("/dev/full", calls(&home)).unwrap(),
        FullFile::Decisions => symlink("/dev/full", decisions(&home)).unwrap(),
    }
    let options = AuditOptions { mode, ..AuditOptions::default() };
    let log = AuditLog::open(&calls(&home), options).unwrap();
    Some(Harness::open_recorded(&home, Reload::OnDemand, Some(Arc::new(log))))
}

fn calls(home: &Path) -> PathBuf {
    home.join("audit.jsonl")
}

fn decisions(home: &Path) -> PathBuf {
    home.join("audit-decisions.jsonl")
}

/// Method, decision and outcome of each line that is on the disk now.
fn lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| line[key].as_str().unwrap_or("-").to_owned();
        ["method", "decision", "outcome"].map(word).join(" ")
    };
    text.lines().map(line).collect()
}

const COUNT: &str = "mcp__up__count";
/// A resource of the upstream.
const NOTE: &str = "mcp://up/test://notes/1";
const REFUSED: &str = "refused because calls have to be recorded here";

#[tokio::test]
async fn a_call_that_cannot_be_recorded_is_refused_in_strict_mode_only() {
    for (mode, name) in [(AuditMode::BestEffort, "loose"), (AuditMode::Strict, "strict")] {
        let Some(harness) = harness(name, ALLOW, mode, FullFile::Calls) else { return };
        let answer = harness.plain.tool(COUNT, json!({})).await.unwrap();
        let text = answer["content"][0]["text"].as_str().unwrap();
        let read = harness.plain.ask(Method::ResourcesRead, json!({"uri": NOTE})).await;
        if mode == AuditMode::BestEffort {
            assert_eq!(text, "1");
            read.unwrap();
            harness.close().await;
            continue;
        }
        assert!(text.starts_with(REFUSED) && answer["isError"] == true, "{text}");
        assert!(text.contains("look at free space"), "{text}");
        let (code, message) = read.unwrap_err();
        assert!(code == -32603 && message.starts_with(REFUSED), "{message}");
        let own = harness.plain.tool("ListMcpResources", json!({})).await.unwrap();
        assert!(own.to_string().contains(REFUSED), "{own}");
        // Once the file can be written, calls run, and the first is the first that the server sees.
        fs::remove_file(calls(&harness.home)).unwrap();
        let answer = harness.plain.tool(COUNT, json!({})).await.unwrap();
        assert_eq!(answer["content"][0]["text"], "1");
        let recorded = lines(&calls(&harness.home));
        assert!(recorded.contains(&"tools/call allow begun".to_owned()), "{recorded:?}");
        harness.close().await;
    }
}

#[tokio::test]
async fn a_persons_answer_is_on_the_disk_before_the_tool_runs() {
    let Some(harness) = harness("answers", "", AuditMode::BestEffort, FullFile::None) else {
        return;
    };
    let file = decisions(&harness.home);
    let mut expected = Vec::new();
    for (says, line) in [
        ("once", Some("rules/answer ask-granted ok")),
        ("no", Some("rules/answer ask-refused refused")),
        ("until_restart", Some("rules/answer ask-granted ok")),
        // The answer still holds: no question, so no decision is recorded.
        ("no", None),
    ] {
        harness.plain.call_asked(COUNT, says).await;
        expected.extend(line);
        assert_eq!(lines(&file), expected, "{says}");
    }
    let home = harness.home.clone();
    harness.gateway.shut_down().await;
    drop(harness);
    // Each call has one line, whether a person was asked about it or not.
    let recorded = lines(&calls(&home));
    let outcomes: Vec<&str> = recorded.iter().filter_map(|it| it.split(' ').nth(2)).collect();
    assert_eq!(outcomes, ["ok", "refused", "ok", "ok"], "{recorded:?}");
    assert!(!recorded.concat().contains("none"), "each says what was decided: {recorded:?}");
    drop(fs::remove_dir_all(home));
}

#[tokio::test]
async fn a_rule_that_a_person_wants_is_recorded_before_it_is_written() {
    for (says, answer) in [("always", "ask-granted ok"), ("never", "ask-refused refused")] {
        let Some(harness) = harness(says, "", AuditMode::BestEffort, FullFile::None) else {
            return;
        };
        harness.plain.call_asked(COUNT, says).await;
        let expected = [format!("rules/answer {answer}"), "rules/write none ok".into()];
        assert_eq!(lines(&decisions(&harness.home)), expected);
        let action = if says == "always" { "allow" } else { "deny" };
        let text = fs::read_to_string(decisions(&harness.home)).unwrap();
        assert!(text.contains(&format!("\"grant\":\"up/count {action}\"")), "{text}");
        let rules = fs::read_to_string(harness.home.join("config/config.toml")).unwrap();
        assert!(rules.contains(&format!("action = \"{action}\"")), "{rules}");
        harness.close().await;
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_recorded_counts_in_best_effort_only() {
    for (mode, name) in [(AuditMode::BestEffort, "kept"), (AuditMode::Strict, "forgotten")] {
        let Some(harness) = harness(name, "", mode, FullFile::Decisions) else { return };
        let (asked, text) = harness.plain.call_asked(COUNT, "always").await;
        let rules = fs::read_to_string(harness.home.join("config/config.toml")).unwrap();
        let counts = mode == AuditMode::BestEffort;
        assert!(asked && (text == "1") == counts, "{text}");
        assert_eq!(rules.contains("action"), counts, "{rules}");
        // A decision that took effect is written as soon as the file can be written.
        fs::remove_file(decisions(&harness.home)).unwrap();
        let (home, file) = (harness.home.clone(), decisions(&harness.home));
        harness.gateway.shut_down().await;
        drop(harness);
        let kept = ["rules/answer ask-granted ok", "rules/write none ok"];
        assert_eq!(lines(&file), if counts { &kept[..] } else { &[] });
        drop(fs::remove_dir_all(home));
    }
}

#[tokio::test]
async fn rules_that_change_in_the_file_are_noticed() {
    let Some(harness) = harness("edited", ALLOW, AuditMode::Strict, FullFile::None) else { return };
    let rule =
        "[[permissions]]\nserver = \"up\"\ntool = \"c*\"\npattern = \"/x/**\"\naction = \"deny\"\n";
    write_settings(&harness.home, rule);
    harness.gateway.read_again();
    // Settings that cannot be used change nothing.
    write_settings(&harness.home, "[[permissions]]\naction = \"deny\"\n");
    harness.gateway.read_again();
    let (home, file) = (harness.home.clone(), decisions(&harness.home));
    harness.gateway.shut_down().await;
    let text = fs::read_to_string(file).unwrap();
    let grants: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| format!("{} {}", line["method"], line["grant"]).replace('"', ""))
        .collect();
    let changes = ["removed: mcp__* allow", "added: up/c* /x/** deny"];
    assert_eq!(grants, changes.map(|change| format!("rules/changed {change}")));
    drop(fs::remove_dir_all(home));
}
