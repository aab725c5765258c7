//! Converts other clients' spellings into entries of `.mcp.json`: `httpUrl` becomes `url`, etc.
//!
//! `source` passes every entry through here. What an entry cannot express stays as it is, with a
//! note for the user.

use serde_json::{Map, Value, json};

use super::translate::{Folders, translate};
use crate::clients::ClientProgram;

/// Rewrites an entry, and returns notes for the user.
pub(super) fn to_our_form(client: ClientProgram, entry: &mut Value) -> Vec<String> {
    let Value::Object(members) = entry else { return Vec::new() };
    let mut notes = Vec::new();
    match client {
        ClientProgram::Codex => codex(members, &mut notes),
        ClientProgram::Gemini => gemini(members),
        ClientProgram::Windsurf => rename(members, "serverUrl", "url"),
        ClientProgram::Zed => zed(members, &mut notes),
        ClientProgram::ClaudeCode
        | ClientProgram::ClaudeDesktop
        | ClientProgram::Cursor
        | ClientProgram::VsCode => {}
    }
    note_what_is_missing(client, members, &mut notes);
    notes
}

/// Rewrites an entry of Codex.
pub(crate) fn to_our_form_of_codex(entry: &mut Value) -> Vec<String> {
    to_our_form(ClientProgram::Codex, entry)
}

/// Rewrites an entry whose client is unknown: the spellings that no two clients understand
/// differently.
pub(crate) fn to_our_form_of_any(entry: &mut Value) -> Vec<String> {
    let mut notes = translate(entry, &Folders { project: None });
    let Value::Object(members) = entry else { return notes };
    rename(members, "serverUrl", "url");
    rename(members, "httpUrl", "url");
    zed(members, &mut notes);
    if members.contains_key("envFile") {
        notes.push("Hobnob does not read `envFile`: put its variables into `env`".into());
    }
    notes
}

/// Notes members that have a meaning in the other client and none in Hobnob.
fn note_what_is_missing(
    client: ClientProgram,
    members: &Map<String, Value>,
    notes: &mut Vec<String>,
) {
    let has = |key: &str| members.get(key).is_some_and(|it| !it.is_null());
    if has("headersHelper") {
        notes.push(
            "gets its headers from a program (`headersHelper`), which Hobnob runs before it connects"
                .into(),
        );
    }
    if has("oauth") {
        notes.push("logs in with OAuth; its login is not copied: run hobnob login".into());
    }
    for key in ["auth", "authProviderType", "authorization", "scopes"] {
        if has(key) {
            notes.push(format!(
                "logs in with OAuth there (`{key}`): write its settings as `oauth`, and run hobnob \
                 login"
            ));
        }
    }
    if has("envFile") {
        notes.push("Hobnob does not read `envFile`: put its variables into `env`".into());
    }
    let off = members.get("disabled") == Some(&Value::Bool(true))
        || members.get("enabled") == Some(&Value::Bool(false));
    if off {
        notes.push(format!("is switched off in {client}, so it is added switched off"));
    }
    if members.get("trust") == Some(&Value::Bool(true)) {
        notes.push(format!("is trusted in {client}; here, its calls need rules: hobnob allow"));
    }
}

/// Renames a member, unless the new name is taken.
fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    if !members.contains_key(to)
        && let Some(value) = members.remove(from)
    {
        members.insert(to.into(), value);
    }
}

fn codex(members: &mut Map<String, Value>, notes: &mut Vec<String>) {
    rename(members, "http_headers", "headers");
    let mut headers = match members.remove("headers") {
        Some(Value::Object(headers)) => headers,
        _ => Map::new(),
    };
    if let Some(Value::Object(named)) = members.remove("env_http_headers") {
        for (header, variable) in &named {
            let variable = variable.as_str().unwrap_or_default();
            headers.insert(header.clone(), json!(format!("${{{variable}}}")));
        }
    }
    if let Some(Value::String(variable)) = members.remove("bearer_token_env_var") {
        headers.insert("Authorization".into(), json!(format!("Bearer ${{{variable}}}")));
    }
    if !headers.is_empty() {
        members.insert("headers".into(), Value::Object(headers));
    }
    if let Some(Value::Array(names)) = members.remove("env_vars") {
        let env = members.entry("env").or_insert_with(|| json!({}));
        for name in names.iter().filter_map(Value::as_str) {
            // If the variable is not set, the server starts anyway.
            if let Value::Object(env) = env {
                env.entry(name).or_insert_with(|| json!(format!("${{{name}:-}}")));
            }
        }
    }
    if let Some(seconds) = members.remove("tool_timeout_sec").and_then(|it| it.as_f64()) {
        // The timeout may have a fraction of a second, so milliseconds are kept.
        members.insert("timeout".into(), json!(format!("{}ms", (seconds * 1000.0).round())));
    }
    members.remove("startup_timeout_sec");
    members.remove("startup_timeout_ms");
    if members.remove("required") == Some(Value::Bool(true)) {
        notes.push("is required in Codex; Hobnob goes on without a server that fails".into());
    }
}

fn gemini(members: &mut Map<String, Value>) {
    // In Gemini, `url` alone means the older transport, and `httpUrl` the newer one.
    if members.contains_key("httpUrl") {
        members.remove("url");
        rename(members, "httpUrl", "url");
        members.entry("type").or_insert_with(|| json!("http"));
    } else if members.contains_key("url") {
        members.entry("type").or_insert_with(|| json!("sse"));
    }
    rename(members, "includeTools", "allowedTools");
    rename(members, "excludeTools", "deniedTools");
    for table in ["env", "headers"] {
        if let Some(Value::Object(pairs)) = members.get_mut(table) {
            for value in pairs.values_mut() {
                if let Value::String(text) = value {
                    *text = braced(text);
                }
            }
        }
    }
}

/// Converts `$VAR` into `${VAR}`, which means the same to Gemini.
fn braced(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        written.push_str(before);
        let is_letter = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let length = after.find(|it| !is_letter(it)).unwrap_or(after.len());
        let (name, behind) = after.split_at(length);
        let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
        match is_name {
            true => written.push_str(&format!("${{{name}}}")),
            false => written.push_str(&format!("${name}")),
        }
        rest = behind;
    }
    written + rest
}

fn zed(members: &mut Map<String, Value>, notes: &mut Vec<String>) {
    // Until 2025 the program, its arguments and its variables were inside `command`.
    if let Some(Value::Object(mut inside)) = members.get("command").cloned() {
        members.remove("command");
        rename(&mut inside, "path", "command");
        for (key, value) in inside {
            members.entry(key).or_insert(value);
        }
    }
    if members.remove("source") == Some(json!("extension")) {
        notes.push("is an extension of Zed, which only Zed can start".into());
    }
}
