//! The files of other clients, and the servers in each.
//!
//! `hobnob import` lists and reads them through here. They are only ever read.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::translate::{Folders, translate};
use crate::disk::read_text;
use crate::entry::check_entry;
use crate::json::{parse_strict, strip_jsonc};
use crate::name::ServerName;
use crate::places::Places;
use crate::problem::Problem;

/// Some clients keep their whole history in the same file.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A client whose servers can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportClient {
    /// `claude_desktop_config.json` in the folder for settings.
    ClaudeDesktop,
    /// `~/.claude.json`, for the user and for each project.
    ClaudeCode,
    /// `.cursor/mcp.json`, of the user and of the project.
    Cursor,
    /// `mcp.json` and `settings.json` of Visual Studio Code, of the user and of the project.
    VsCode,
}

impl fmt::Display for ImportClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
        })
    }
}

/// One file of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The client that owns the file.
    pub client: ImportClient,
    /// The absolute path, whether the file exists or not.
    pub path: PathBuf,
    /// Whether there was such a file when we looked.
    pub exists: bool,
}

/// One server found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The client that has it.
    pub client: ImportClient,
    /// The project it belongs to, if the client has the servers of all projects in one file.
    pub project: Option<PathBuf>,
    /// Its key in that file, which may be an invalid name here.
    pub name: String,
    /// The entry as JSON text, in our spelling of variables.
    pub entry: String,
    /// What the user has to know or do.
    pub notes: Vec<String>,
}

impl Source {
    /// A file that the user names.
    pub fn at(client: ImportClient, path: &Path) -> Self {
        Self { client, path: path.into(), exists: path.is_file() }
    }
}

/// Every file we know of, whether it exists or not.
pub fn sources(places: &Places) -> Vec<Source> {
    let home = &places.home;
    let settings = home.join(if cfg!(windows) {
        "AppData/Roaming"
    } else if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".config"
    });
    let project = &places.project;
    let mut found: Vec<Source> = Vec::new();
    for (client, path) in [
        (ImportClient::ClaudeDesktop, settings.join("Claude/claude_desktop_config.json")),
        (ImportClient::ClaudeCode, home.join(".claude.json")),
        (ImportClient::Cursor, home.join(".cursor/mcp.json")),
        (ImportClient::Cursor, project.join(".cursor/mcp.json")),
        (ImportClient::VsCode, settings.join("Code/User/mcp.json")),
        (ImportClient::VsCode, settings.join("Code/User/settings.json")),
        (ImportClient::VsCode, project.join(".vscode/mcp.json")),
        (ImportClient::VsCode, project.join(".vscode/settings.json")),
    ] {
        // In the home folder the project's file is the user's.
        if !found.iter().any(|it| it.path == path) {
            found.push(Source::at(client, &path));
        }
    }
    found
}

/// The servers of a file, in its order; none if there is no file.
pub fn read(source: &Source) -> Result<Vec<Imported>, Problem> {
    let file = &source.path;
    let Some(text) = read_text(file, MAX_BYTES)? else { return Ok(Vec::new()) };
    let text = match source.client {
        ImportClient::VsCode | ImportClient::Cursor => strip_jsonc(&text),
        ImportClient::ClaudeDesktop | ImportClient::ClaudeCode => text,
    };
    // An empty file is how editors begin one.
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = parse_strict(&text).map_err(|error| Problem::of_json(file, &error))?;
    let Value::Object(root) = root else {
        return Err(Problem::of_file(file, "is not a JSON object"));
    };
    let mut imported = Vec::new();
    for (project, servers) in tables(source, &root) {
        let Value::Object(servers) = servers else {
            return Err(Problem::of_file(file, "the list of servers is not an object"));
        };
        let import = |(name, value): (&String, &Value)| {
            import_server(source, project.clone(), name, value.clone())
        };
        imported.extend(servers.iter().map(import));
    }
    Ok(imported)
}

/// Every table of servers in a file, with the project it is for.
fn tables<'a>(source: &Source, root: &'a Map<String, Value>) -> Vec<(Option<PathBuf>, &'a Value)> {
    let at_top = |key: &str| root.get(key).map(|servers| (None, servers));
    match source.client {
        ImportClient::ClaudeDesktop | ImportClient::Cursor => {
            at_top("mcpServers").into_iter().collect()
        }
        ImportClient::ClaudeCode => {
            let projects = root.get("projects").and_then(Value::as_object).into_iter().flatten();
            let of_project = |(path, project): (&String, &'a Value)| {
                Some((Some(PathBuf::from(path)), project.get("mcpServers")?))
            };
            at_top("mcpServers").into_iter().chain(projects.filter_map(of_project)).collect()
        }
        ImportClient::VsCode if source.path.file_name().is_some_and(|it| it == "settings.json") => {
            let nested = root.get("mcp").and_then(|it| it.get("servers"));
            at_top("mcp.servers").into_iter().chain(nested.map(|it| (None, it))).collect()
        }
        ImportClient::VsCode => at_top("servers").into_iter().collect(),
    }
}

fn import_server(
    source: &Source,
    project: Option<PathBuf>,
    name: &str,
    mut value: Value,
) -> Imported {
    let mut notes = match source.client {
        ImportClient::VsCode | ImportClient::Cursor => {
            translate(&mut value, &folders(&source.path))
        }
        ImportClient::ClaudeDesktop | ImportClient::ClaudeCode => Vec::new(),
    };
    if value.get("envFile").is_some() {
        notes.push("Hobnob does not read `envFile`: put its variables into `env`".into());
    }
    if let Ok(name) = ServerName::parse(name)
        && let Err(problem) = check_entry(&name, &value)
    {
        notes.push(problem.to_string());
    }
    Imported {
        client: source.client,
        project,
        name: name.into(),
        entry: format!("{value:#}"),
        notes,
    }
}

/// `<project>/.vscode/mcp.json` belongs to a project, the user's own files to none.
fn folders(file: &Path) -> Folders {
    let folder = file.parent();
    let in_project =
        folder.and_then(Path::file_name).is_some_and(|it| it == ".vscode" || it == ".cursor");
    let project = folder.and_then(Path::parent).and_then(Path::to_str);
    Folders { project: project.filter(|_| in_project).map(String::from) }
}
