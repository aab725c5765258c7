//! `import`: what comes, what stays, and that the file as it was is kept.

use std::fs;

use serde_json::json;

use crate::cli_config_home::{Home, mode, read_json};

fn cursor(home: &Home) {
    home.write(
        "home/.cursor/mcp.json",
        "{\n  // a comment\n  \"mcpServers\": {\n    \"git\": {\"command\": \"uvx\", \"args\": [\"git\"], \
         \"env\": {\"TOKEN\": \"s3cr3t-value\", \"B\": \"${env:B}\"}},\n    \
         \"broken\": {\"command\": 5},\n    \"taken\": {\"command\": \"theirs\"}\n  }\n}",
    );
}

#[test]
fn nothing_to_find_is_no_failure() {
    let home = Home::new();
    let run = home.ok(&["import"]);
    assert!(run.stdout.contains("found no files of other clients"), "{}", run.stdout);
    let report = home.json(0, &["import"]);
    assert_eq!(report["written"], false);
    assert_eq!(report["added"], json!([]));
}

#[test]
fn a_dry_run_shows_and_writes_nothing() {
    let home = Home::new();
    cursor(&home);
    let run = home.ok(&["import", "--dry-run"]);
    assert!(run.stdout.contains("+    \"git\""), "{}", run.stdout);
    assert!(!run.stdout.contains("s3cr3t"), "{}", run.stdout);
    assert!(
        run.stdout.contains("\"TOKEN\": \"…\"") && run.stdout.contains("${B}"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("would add 2"), "{}", run.stdout);
    assert!(run.stderr.contains("`broken` is not imported"), "{}", run.stderr);
    assert!(!home.own().exists());
    let left = fs::read_dir(home.path("hobnob/state")).unwrap().count();
    assert_eq!(left, 0, "the preview was left behind");
    let run = home.run(&["import"]);
    assert_eq!(run.code, 4, "{}", run.stderr);
    assert!(run.stderr.contains("--yes"), "{}", run.stderr);
    assert!(!home.own().exists());
}

#[test]
fn what_is_here_stays_and_a_copy_is_made() {
    let home = Home::new();
    cursor(&home);
    let before = "{\"keep\": true, \"mcpServers\": {\"taken\": {\"command\": \"ours\"}}}";
    home.write("hobnob/config/mcp.json", before);
    let report = home.json(0, &["import", "--from", "cursor", "--yes"]);
    assert_eq!(report["written"], true);
    assert_eq!(report["added"], json!(["git"]));
    assert_eq!(report["conflicts"], json!(["taken"]));
    assert_eq!(report["refused"][0]["name"], "broken");
    let root = read_json(&home.own());
    assert_eq!(root["keep"], true);
    assert_eq!(root["mcpServers"]["taken"]["command"], "ours");
    assert_eq!(root["mcpServers"]["git"]["env"], json!({"TOKEN": "s3cr3t-value", "B": "${B}"}));
    let copies = home.copies("mcp.json");
    assert_eq!(copies.len(), 1);
    assert_eq!(fs::read_to_string(&copies[0]).unwrap(), before);
    assert_eq!(mode(&copies[0]), 0o600);
    // A second time there is nothing to do.
    let report = home.json(0, &["import", "--yes"]);
    assert_eq!(report["same"], json!(["git"]));
    assert_eq!(report["written"], false);
    assert_eq!(home.copies("mcp.json").len(), 1);
}

#[test]
fn the_wanted_client_and_project_are_read() {
    let home = Home::new();
    cursor(&home);
    let project = home.path("project");
    let claude = json!({
        "mcpServers": {"everywhere": {"command": "a"}},
        "projects": {
            project.to_str().unwrap(): {"mcpServers": {"here": {"command": "b"}}},
            "/elsewhere": {"mcpServers": {"there": {"command": "c"}}},
        },
    });
    home.write("home/.claude.json", &claude.to_string());
    let report = home.json(0, &["import", "--from", "claude-code", "--to", "user", "--yes"]);
    assert_eq!(report["added"], json!(["everywhere", "here"]));
    assert_eq!(mode(&home.path("home/.mcp.json")), 0o600);
    home.write("home/.claude.json", "{\n broken");
    let report = home.json(0, &["import", "--from", "claude-code", "--dry-run"]);
    assert!(report["problems"][0].as_str().unwrap().contains(".claude.json:2:"), "{report}");
    assert_eq!(home.run(&["import", "--from", "nobody"]).code, 2);
    assert_eq!(home.run(&["import", "--dry-run", "--yes"]).code, 2);
}
