//! `cargo xtask eval tools --record`: writes the tools of published servers to `eval/tools`.
//!
//! Invariant: it writes only definitions of packages under MIT or Apache-2.0, and the notice beside
//! them names every package with its version and licence.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::{Map, Value, json};

use super::recorded_server::{self, StartCommand};
use crate::peers::Roster;
use crate::trial::{self, Entry};
use crate::workspace::Workspace;

/// Servers besides those of the trial.
const MORE_SERVERS: &str = include_str!("../../../eval/tools/servers.json");

/// Licences that allow us to keep a definition here.
const ALLOWED: &[&str] = &["Apache-2.0", "MIT"];

/// Servers whose tools exist for tests and should not be found.
const EXCLUDED: &[&str] = &["everything"];

/// The members by which a tool is found; all others are dropped.
const MEMBERS: &[&str] = &["name", "title", "description", "inputSchema"];

/// Keywords of a schema that contain no words about the tool.
const DROPPED_KEYWORDS: &[&str] = &["$schema", "additionalProperties"];

/// The answer of one server.
struct Recording {
    entry: Entry,
    tools: Vec<Value>,
}

/// Records all servers, or only prints the answers of the named ones.
pub(crate) fn run(workspace: &Workspace, only: &[String]) -> anyhow::Result<()> {
    let mut entries = trial::entries(&[])?;
    entries.extend(trial::read(MORE_SERVERS).context("eval/tools/servers.json cannot be read")?);
    entries.retain(|entry| ALLOWED.contains(&entry.licence) && !EXCLUDED.contains(&entry.name));
    entries.retain(|entry| only.is_empty() || only.iter().any(|name| entry.name == name));
    let installed = trial::install_all(&workspace.trial(), &entries)?;
    installed.warn();
    let folder = workspace.trial().join("recorded");
    fs::create_dir_all(&folder)?;
    let mut recordings = Vec::new();
    for entry in entries {
        match ask(&entry, &installed, &folder) {
            Ok(tools) => {
                eprintln!("{}: {} tools", entry.name, tools.len());
                recordings.push(Recording { entry, tools });
            }
            Err(error) => eprintln!("{}: {error:#}", entry.name),
        }
    }
    if only.is_empty() {
        write(&workspace.root.join("eval/tools"), &recordings)?;
    }
    Ok(())
}

fn ask(entry: &Entry, installed: &Roster, folder: &Path) -> anyhow::Result<Vec<Value>> {
    let start: StartCommand = serde_json::from_value(entry.configuration(installed, folder)?)?;
    let log = folder.join(format!("{}.log", entry.name));
    let tools = recorded_server::tools(&start, folder, &log)?;
    // Some servers mention their working folder in a description.
    let text = Value::Array(tools).to_string().replace(&*folder.to_string_lossy(), "{folder}");
    Ok(serde_json::from_str(&text)?)
}

fn write(folder: &Path, recordings: &[Recording]) -> anyhow::Result<()> {
    let (mut lines, mut rows) = (String::new(), String::new());
    for Recording { entry, tools } in recordings {
        for tool in tools {
            lines += &serde_json::to_string(&kept(entry.name, tool))?;
            lines.push('\n');
        }
        let Entry { name, package, version, licence, .. } = entry;
        rows += &format!("| {name} | `{package}` | {version} | {licence} | {} |\n", tools.len());
    }
    fs::write(folder.join("tools.jsonl"), lines)?;
    fs::write(folder.join("NOTICE.md"), format!("{NOTICE}{rows}"))?;
    Ok(())
}

const NOTICE: &str = "\
# Whose definitions these are

`tools.jsonl` holds names, descriptions and input schemas of tools as these packages list them.
Each package's authors hold the copyright, and each line is used under the package's own licence.
`cargo xtask eval tools --record` writes both files.

| server | package | version | licence | tools |
|---|---|---|---|---|
";

pub(super) fn kept(server: &str, tool: &Value) -> Value {
    let mut line = Map::new();
    line.insert("server".into(), json!(server));
    for member in MEMBERS {
        if let Some(value) = tool.get(member) {
            line.insert((*member).into(), without_dropped(value));
        }
    }
    Value::Object(line)
}

fn without_dropped(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, value)| {
                // A property may have the name of a keyword; then its schema is an object.
                value.is_object() || !DROPPED_KEYWORDS.contains(&key.as_str())
            });
            Value::Object(kept.map(|(key, value)| (key.clone(), without_dropped(value))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_dropped).collect()),
        other => other.clone(),
    }
}
