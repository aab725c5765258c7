//! Reads servers from JSON, with or without comments, and from Codex' TOML: a whole file, a table of
//! servers, one server with its name, or the entry alone.
//!
//! What must stay true: equal keys are refused, since two readers could disagree about them.

use super::names;
use super::pasted::{PasteProblem, PastedServer};
use crate::import::{to_our_form_of_any, to_our_form_of_codex};
use crate::json::{parse_strict, strip_jsonc};
use serde_json::{Map, Value};

/// The members under which clients keep their servers.
const TABLES: [&str; 4] = ["mcpServers", "servers", "context_servers", "mcp_servers"];

/// The members that only an entry has.
const OF_ENTRIES: [&str; 4] = ["command", "url", "httpUrl", "serverUrl"];

pub(super) fn read(text: &str) -> Result<Vec<PastedServer>, PasteProblem> {
    let text = strip_jsonc(text);
    let text = text.trim();
    let text = match text.starts_with('"') {
        true => format!("{{{}}}", text.trim_end_matches(',')),
        false => text.to_owned(),
    };
    let value = parse_strict(&text).map_err(|error| {
        let why = error.to_string();
        PasteProblem::new(format!("this is not JSON: {why}; paste all of it, with every brace"))
    })?;
    let Value::Object(root) = value else { return Err(no_server()) };
    servers_of(root)?.into_iter().map(|(name, entry)| pasted(name, entry)).collect()
}

pub(super) fn read_toml(text: &str) -> Result<Vec<PastedServer>, PasteProblem> {
    let table: toml::Table = toml::from_str(text)
        .map_err(|error| PasteProblem::new(format!("this is not TOML: {}", error.message())))?;
    let table = table.get("mcp_servers").and_then(toml::Value::as_table).cloned();
    let mut servers = Vec::new();
    for (name, entry) in table.unwrap_or_default() {
        let entry = serde_json::to_value(entry);
        let mut entry = entry.map_err(|_| PasteProblem::new("it has values that JSON lacks"))?;
        let notes = to_our_form_of_codex(&mut entry);
        servers.push(PastedServer { name, entry, notes });
    }
    Ok(servers)
}

/// The entries of an object, each with its name if it has one.
fn servers_of(root: Map<String, Value>) -> Result<Vec<(Option<String>, Value)>, PasteProblem> {
    let nested = root.get("mcp").and_then(Value::as_object);
    let table = TABLES.iter().find_map(|key| root.get(*key).or_else(|| nested?.get(*key)));
    if let Some(table) = table {
        let Value::Object(servers) = table else { return Err(no_server()) };
        return Ok(servers.iter().map(|(name, it)| (Some(name.clone()), it.clone())).collect());
    }
    if OF_ENTRIES.iter().any(|key| root.contains_key(*key)) {
        let mut entry = root;
        let name = match entry.remove("name") {
            Some(Value::String(name)) => Some(name),
            _ => None,
        };
        return Ok(vec![(name, Value::Object(entry))]);
    }
    match !root.is_empty() && root.values().all(Value::is_object) {
        true => Ok(root.into_iter().map(|(name, it)| (Some(name), it)).collect()),
        false => Err(no_server()),
    }
}

fn pasted(name: Option<String>, mut entry: Value) -> Result<PastedServer, PasteProblem> {
    let notes = to_our_form_of_any(&mut entry);
    let name = name.unwrap_or_else(|| names::suggest(&entry));
    Ok(PastedServer { name, entry, notes })
}

fn no_server() -> PasteProblem {
    PasteProblem::new(
        "this JSON has no server; paste {\"mcpServers\": {…}}, or {\"command\": …}, or {\"url\": …}",
    )
}
