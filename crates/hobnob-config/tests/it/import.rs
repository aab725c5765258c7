//! Other clients' files: each form, comments, variables of editors, and the plan.

use hobnob_config::Problem;
use hobnob_config::clients::{ClientFolders, ClientProgram, HostSystem};
use hobnob_config::import::{Imported, PlanStep, Source, plan, read, sources};
use serde_json::{Value, json};

use crate::support::{Scratch, name};

fn import(client: ClientProgram, file: &str, text: &str) -> Result<Vec<Imported>, Problem> {
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
            ClientProgram::ClaudeDesktop,
            "claude_desktop_config.json",
            format!(r#"{{"mcpServers": {servers}}}"#),
        ),
        (
            ClientProgram::ClaudeCode,
            ".claude.json",
            format!(r#"{{"x": 1, "mcpServers": {servers}}}"#),
        ),
        (ClientProgram::Cursor, ".cursor/mcp.json", format!(r#"{{"mcpServers": {servers}}}"#)),
        (
            ClientProgram::VsCode,
            ".vscode/mcp.json",
            format!(r#"{{"inputs": [], "servers": {servers},}}"#),
        ),
        (ClientProgram::VsCode, "settings.json", format!(r#"{{"mcp": {{"servers": {servers}}}}}"#)),
        (ClientProgram::VsCode, "settings.json", format!(r#"{{"mcp.servers": {servers}}}"#)),
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
    let found = import(ClientProgram::ClaudeCode, ".claude.json", text).unwrap();
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
    let found = import(ClientProgram::VsCode, "mcp.json", &text).unwrap();
    assert_eq!(entry(&found[0]), json!({"command": "a//b", "args": ["/* no */", "\"//", "x"]}));
    let broken =
        import(ClientProgram::VsCode, "mcp.json", "{ // ü\n /* é */ \"servers\" 1}").unwrap_err();
    // The column counts bytes, and those of comments count too.
    assert_eq!(broken.position.map(|it| (it.line, it.column)), Some((2, 21)), "{broken}");
    for unfinished in ["/*", "//", "\"", "\"\\", "{/", "/"] {
        let read = import(ClientProgram::VsCode, "mcp.json", unfinished);
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
    let found = read(&Source::at(ClientProgram::VsCode, &file)).unwrap();
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
    let user = import(ClientProgram::VsCode, "Code/User/mcp.json", text).unwrap();
    assert!(user[0].notes.iter().any(|it| it.contains("${workspaceFolder}")));
}

#[test]
fn files_that_are_missing_empty_or_wrong() {
    let scratch = Scratch::new();
    let missing = Source::at(ClientProgram::Cursor, &scratch.path("none.json"));
    assert!(!missing.exists);
    assert_eq!(read(&missing), Ok(Vec::new()));
    assert_eq!(import(ClientProgram::VsCode, "settings.json", "// nothing yet\n"), Ok(Vec::new()));
    assert_eq!(import(ClientProgram::VsCode, "settings.json", r#"{"mcp": {}}"#), Ok(Vec::new()));
    for text in ["{", "[]", r#"{"mcpServers": []}"#] {
        assert!(import(ClientProgram::ClaudeDesktop, "x.json", text).is_err(), "{text}");
    }
}

#[test]
fn sources_are_found_once() {
    let scratch = Scratch::new();
    let mut places = scratch.places();
    scratch.write("home/.cursor/mcp.json", "{}");
    let folders = |places: &_| ClientFolders::detect_from(places, HostSystem::Linux, &|_| None);
    let found = sources(&folders(&places));
    assert_eq!(found.len(), 15);
    let existing: Vec<_> = found.iter().filter(|it| it.exists).map(|it| it.path.clone()).collect();
    assert_eq!(existing, [scratch.path("home/.cursor/mcp.json")]);
    places.project = places.home.clone();
    // Cursor, Codex and Gemini have one file there.
    assert_eq!(sources(&folders(&places)).len(), 12);
}

/// Everything that each of the newer clients documents, converted into our entries.
#[test]
fn forms_of_other_clients_become_ours() {
    let codex = r#"
        model = "o3" # a comment
        [mcp_servers.files]
        command = "npx"
        args = ["-y", "files"]
        env_vars = ["LOCAL_TOKEN"]
        startup_timeout_sec = 20
        tool_timeout_sec = 1.5
        enabled_tools = ["read"]
        disabled_tools = ["write"]
        [mcp_servers.files.env]
        A = "1"
        [mcp_servers.web]
        url = "https://h/mcp"
        bearer_token_env_var = "TOKEN"
        http_headers = { "X-A" = "1" }
        env_http_headers = { "X-B" = "B_VAR" }
        enabled = false
    "#;
    let zed = r#"{ // Zed allows comments
        "theme": "One", "context_servers": {
          "new": {"source": "custom", "command": "a", "args": ["b"], "env": {}},
          "old": {"command": {"path": "p", "args": ["q"], "env": {"A": "1"}}, "settings": {}},
          "web": {"url": "https://h", "headers": {"Authorization": "Bearer x"}},
          "off": {"enabled": false, "command": "c"},
        } }"#;
    let gemini = r#"{ "mcp": {"excluded": ["off"]}, "mcpServers": {
        "http": {"httpUrl": "https://h", "headers": {"K": "$KEY-${OTHER}$1$"}, "trust": true},
        "sse": {"url": "https://h/sse", "includeTools": ["a"], "excludeTools": ["b"]},
        "off": {"command": "c"} } }"#;
    let windsurf = r#"{"mcpServers": {
        "web": {"serverUrl": "https://h", "headers": {"A": "${env:A}"}, "disabledTools": ["x"]},
        "off": {"command": "c", "disabled": true}}}"#;
    let claude = r#"{"mcpServers": {"h": {"type": "http", "url": "https://h", "headersHelper": "x"},
                       "o": {"type": "http", "url": "https://h", "oauth": {"clientId": "x"}}},
                     "projects": {"/p": {"disabledMcpServers": ["a"],
                       "mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}}}"#;
    let cases: [(ClientProgram, &str, &str, Value); 5] = [
        (
            ClientProgram::Codex,
            "config.toml",
            codex,
            json!({
            "files": {"command": "npx", "args": ["-y", "files"], "timeout": "1500ms",
                "env": {"A": "1", "LOCAL_TOKEN": "${LOCAL_TOKEN:-}"},
                "enabled_tools": ["read"], "disabled_tools": ["write"]},
            "web": {"url": "https://h/mcp", "enabled": false, "headers": {
                "X-A": "1", "X-B": "${B_VAR}", "Authorization": "Bearer ${TOKEN}"}}}),
        ),
        (
            ClientProgram::Zed,
            "settings.json",
            zed,
            json!({
            "new": {"command": "a", "args": ["b"], "env": {}},
            "old": {"command": "p", "args": ["q"], "env": {"A": "1"}, "settings": {}},
            "web": {"url": "https://h", "headers": {"Authorization": "Bearer x"}},
            "off": {"enabled": false, "command": "c"}}),
        ),
        (
            ClientProgram::Gemini,
            "settings.json",
            gemini,
            json!({
            "http": {"url": "https://h", "type": "http", "trust": true,
                "headers": {"K": "${KEY}-${OTHER}$1$"}},
            "sse": {"url": "https://h/sse", "type": "sse",
                "allowedTools": ["a"], "deniedTools": ["b"]},
            "off": {"command": "c", "disabled": true}}),
        ),
        (
            ClientProgram::Windsurf,
            "mcp_config.json",
            windsurf,
            json!({
            "web": {"url": "https://h", "headers": {"A": "${A}"}, "disabledTools": ["x"]},
            "off": {"command": "c", "disabled": true}}),
        ),
        (
            ClientProgram::ClaudeCode,
            ".claude.json",
            claude,
            json!({
            "h": {"type": "http", "url": "https://h", "headersHelper": "x"},
            "o": {"type": "http", "url": "https://h", "oauth": {"clientId": "x"}},
            "a": {"command": "a", "disabled": true}, "b": {"command": "b"}}),
        ),
    ];
    for (client, file, text, expected) in cases {
        let found = import(client, file, text).unwrap();
        let entries: serde_json::Map<_, _> =
            found.iter().map(|it| (it.name.clone(), entry(it))).collect();
        assert_eq!(Value::Object(entries), expected, "{client}");
        for imported in &found {
            let written = entry(imported);
            let noted = |words: &str| imported.notes.iter().any(|note| note.contains(words));
            let off = written["disabled"] == true || written["enabled"] == false;
            assert_eq!(noted("switched off"), off, "{client}: {}", imported.name);
            let helper = written.get("headersHelper").is_some();
            assert_eq!(noted("headersHelper"), helper, "{client}: {}", imported.name);
            assert_eq!(noted("OAuth"), written.get("oauth").is_some(), "{}", imported.name);
            assert_eq!(noted("trusted"), written["trust"] == true, "{}", imported.name);
        }
    }
    let broken = import(ClientProgram::Codex, "config.toml", "a = 1\nb = [\n").unwrap_err();
    assert_eq!(broken.position.map(|it| it.line), Some(2), "{broken}");
}

#[test]
fn the_plan_adds_keeps_and_asks() {
    let existing = json!({"same": {"command": "s", "timeout": 1}, "other": {"command": "o"}});
    let text = r#"{"mcpServers": {
        "same": {"command": "s"}, "other": {"command": "p"}, "new": {"url": "http://h"},
        "a/b": {"command": "c"}, "bad": {"command": 1}}}"#;
    let mut imported = import(ClientProgram::Cursor, "mcp.json", text).unwrap();
    imported.extend(
        import(ClientProgram::Cursor, "mcp.json", r#"{"mcpServers": {"new": {"command": "n"}}}"#)
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
