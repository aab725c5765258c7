//! Other clients' files: each form, comments, variables of editors, and the plan.

use hobnob_config::Problem;
use hobnob_config::import::{ImportClient, Imported, PlanStep, Source, plan, read, sources};
use serde_json::{Value, json};

use crate::support::{Scratch, name};

fn import(client: ImportClient, file: &str, text: &str) -> Result<Vec<Imported>, Problem> {
    let scratch = Scratch::new();
    read(&Source::at(client, &scratch.write(file, text)))
}

fn entry(imported: &Imported) -> Value {
    serde_json::from_str(&imported.entry).unwrap()
}

#[test]
fn every_client_has_its_servers_elsewhere() {
    let servers = r#"{"one": {"command": "a"}}"#;
    for (client, file, text) in [
        (
            ImportClient::ClaudeDesktop,
            "claude_desktop_config.json",
            format!(r#"{{"mcpServers": {servers}}}"#),
        ),
        (
            ImportClient::ClaudeCode,
            ".claude.json",
            format!(r#"{{"x": 1, "mcpServers": {servers}}}"#),
        ),
        (ImportClient::Cursor, ".cursor/mcp.json", format!(r#"{{"mcpServers": {servers}}}"#)),
        (
            ImportClient::VsCode,
            ".vscode/mcp.json",
            format!(r#"{{"inputs": [], "servers": {servers},}}"#),
        ),
        (ImportClient::VsCode, "settings.json", format!(r#"{{"mcp": {{"servers": {servers}}}}}"#)),
        (ImportClient::VsCode, "settings.json", format!(r#"{{"mcp.servers": {servers}}}"#)),
    ] {
        let found = import(client, file, &text).unwrap();
        assert_eq!(found.len(), 1, "{client} {file}");
        assert_eq!((found[0].name.as_str(), found[0].client), ("one", client));
        assert_eq!(entry(&found[0]), json!({"command": "a"}));
        assert_eq!(found[0].notes, [""; 0]);
    }
}

#[test]
fn claude_code_keeps_servers_per_project() {
    let text = r#"{"mcpServers": {"u": {"command": "u"}},
                   "projects": {"/p": {"mcpServers": {"a": {"command": "a"}}}, "/q": {}}}"#;
    let found = import(ImportClient::ClaudeCode, ".claude.json", text).unwrap();
    let seen = found
        .iter()
        .map(|it| (it.name.as_str(), it.project.as_ref().map(|it| it.to_str().unwrap())));
    assert_eq!(seen.collect::<Vec<_>>(), [("u", None), ("a", Some("/p"))]);
}

#[test]
fn comments_and_trailing_commas_are_read() {
    let text = r#"// first "line"
    { /* a, b } */ "servers": {
        "a": {"command": "a//b", "args": ["/* no */", "\"//", 'x', // c
        ],},
    }, }"#
        .replace("'x', ", "\"x\",");
    let found = import(ImportClient::VsCode, "mcp.json", &text).unwrap();
    assert_eq!(entry(&found[0]), json!({"command": "a//b", "args": ["/* no */", "\"//", "x"]}));
    let broken =
        import(ImportClient::VsCode, "mcp.json", "{ // ü\n /* é */ \"servers\" 1}").unwrap_err();
    // The column counts bytes, and comments count as they stand.
    assert_eq!(broken.position.map(|it| (it.line, it.column)), Some((2, 21)), "{broken}");
    for unfinished in ["/*", "//", "\"", "\"\\", "{/", "/"] {
        let read = import(ImportClient::VsCode, "mcp.json", unfinished);
        assert!(read.is_err() || read == Ok(Vec::new()), "{unfinished}");
    }
}

#[test]
fn variables_of_editors_become_ours() {
    let text = r#"{"servers": {"a": {"command": "${userHome}/a", "envFile": ".env",
        "args": ["${workspaceFolder}/x", "${file}", "${env:A}${env:B}", "${open"],
        "env": {"K": "${input:api-key}", "L": "${input:1st}"}}}}"#;
    let scratch = Scratch::new();
    let file = scratch.write("p/.vscode/mcp.json", text);
    let found = read(&Source::at(ImportClient::VsCode, &file)).unwrap();
    let home = if cfg!(windows) { "${USERPROFILE}/a" } else { "${HOME}/a" };
    let workspace = format!("{}/x", scratch.path("p").to_str().unwrap());
    let expected = json!({"command": home, "envFile": ".env",
        "args": [workspace, "${file}", "${A}${B}", "${open"],
        "env": {"K": "${API_KEY}", "L": "${INPUT_1ST}"}});
    assert_eq!(entry(&found[0]), expected);
    assert_eq!(
        found[0].notes,
        [
            "asks for the input `1st`: set the environment variable `INPUT_1ST` instead",
            "asks for the input `api-key`: set the environment variable `API_KEY` instead",
            "uses `${file}`, which only the editor can fill in: replace it",
            "Hobnob does not read `envFile`: put its variables into `env`",
        ]
    );
    let user = import(ImportClient::VsCode, "Code/User/mcp.json", text).unwrap();
    assert!(user[0].notes.iter().any(|it| it.contains("${workspaceFolder}")));
}

#[test]
fn files_that_are_missing_empty_or_wrong() {
    let scratch = Scratch::new();
    let missing = Source::at(ImportClient::Cursor, &scratch.path("none.json"));
    assert!(!missing.exists);
    assert_eq!(read(&missing), Ok(Vec::new()));
    assert_eq!(import(ImportClient::VsCode, "settings.json", "// nothing yet\n"), Ok(Vec::new()));
    assert_eq!(import(ImportClient::VsCode, "settings.json", r#"{"mcp": {}}"#), Ok(Vec::new()));
    for text in ["{", "[]", r#"{"mcpServers": []}"#] {
        assert!(import(ImportClient::ClaudeDesktop, "x.json", text).is_err(), "{text}");
    }
}

#[test]
fn sources_are_found_once() {
    let scratch = Scratch::new();
    let mut places = scratch.places();
    scratch.write("home/.cursor/mcp.json", "{}");
    let found = sources(&places);
    assert_eq!(found.len(), 8);
    let existing: Vec<_> = found.iter().filter(|it| it.exists).map(|it| it.path.clone()).collect();
    assert_eq!(existing, [scratch.path("home/.cursor/mcp.json")]);
    places.project = places.home.clone();
    assert_eq!(sources(&places).len(), 7);
}

#[test]
fn the_plan_adds_keeps_and_asks() {
    let existing = json!({"same": {"command": "s", "timeout": 1}, "other": {"command": "o"}});
    let text = r#"{"mcpServers": {
        "same": {"command": "s"}, "other": {"command": "p"}, "new": {"url": "http://h"},
        "a/b": {"command": "c"}, "bad": {"command": 1}}}"#;
    let mut imported = import(ImportClient::Cursor, "mcp.json", text).unwrap();
    imported.extend(
        import(ImportClient::Cursor, "mcp.json", r#"{"mcpServers": {"new": {"command": "n"}}}"#)
            .unwrap(),
    );
    let steps = plan(existing.as_object().unwrap(), &imported);
    let conflict = |server: &str, existing, imported| PlanStep::Conflict {
        name: name(server),
        existing,
        imported,
        notes: Vec::new(),
    };
    assert_eq!(steps[0], PlanStep::Same { name: name("same") });
    assert_eq!(steps[1], conflict("other", json!({"command": "o"}), json!({"command": "p"})));
    let url = json!({"url": "http://h"});
    let add = PlanStep::Add { name: name("new"), entry: url.clone(), notes: Vec::new() };
    assert_eq!(steps[2], add);
    assert!(matches!(&steps[3], PlanStep::Refused { name, .. } if name == "a/b"));
    assert!(matches!(&steps[4], PlanStep::Refused { why, .. } if why.contains("`command`")));
    assert_eq!(steps[5], conflict("new", url, json!({"command": "n"})));
    assert_eq!(steps.len(), 6);
}
