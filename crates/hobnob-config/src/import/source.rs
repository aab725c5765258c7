//! The files of other clients, and the servers in each.
//!
//! `hobnob import` lists and reads them through here. They are never written.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::forms::to_our_form;
use super::translate::{Folders, translate};
use crate::clients::{ClientFolders, ClientForm, ClientProgram, ClientScope};
use crate::disk::read_text;
use crate::entry::check_entry;
use crate::json::{parse_strict, strip_jsonc};
use crate::name::ServerName;
use crate::problem::Problem;

/// Some clients keep their whole history in the same file.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// One file of one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The client that owns the file.
    pub client: ClientProgram,
    /// The absolute path, whether the file exists or not.
    pub path: PathBuf,
    /// Whether the file existed at the time of the search.
    pub exists: bool,
}

/// One server found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The client that has it.
    pub client: ClientProgram,
    /// The project it belongs to, if the client has the servers of all projects in one file.
    pub project: Option<PathBuf>,
    /// Its key in that file, which may not be a valid name here.
    pub name: String,
    /// The entry as JSON text, in our spelling of variables.
    pub entry: String,
    /// What the user has to know or do.
    pub notes: Vec<String>,
}

impl Source {
    /// A file that the user names.
    pub fn at(client: ClientProgram, path: &Path) -> Self {
        Self { client, path: path.into(), exists: path.is_file() }
    }
}

/// Every file that clients may have, whether it exists or not.
pub fn sources(folders: &ClientFolders) -> Vec<Source> {
    let mut found: Vec<Source> = Vec::new();
    for client in ClientProgram::ALL {
        let own = client.file(ClientScope::User, folders);
        let of_project = match client {
            // Hobnob itself reads this file in every project.
            ClientProgram::ClaudeCode => None,
            _ => client.file(ClientScope::Project, folders),
        };
        // VS Code used to keep its servers among its settings.
        let settings = |file: &Option<PathBuf>| match client {
            ClientProgram::VsCode => file.as_ref().map(|file| file.with_file_name("settings.json")),
            _ => None,
        };
        let (own_settings, project_settings) = (settings(&own), settings(&of_project));
        let files = [own, own_settings, of_project, project_settings];
        for path in files.into_iter().flatten() {
            // In the home folder, the project's file is the user's.
            if !found.iter().any(|it| it.path == path) {
                found.push(Source::at(client, &path));
            }
        }
    }
    found
}

/// The servers of a file, in its order; empty if there is no file.
pub fn read(source: &Source) -> Result<Vec<Imported>, Problem> {
    let file = &source.path;
    let Some(text) = read_text(file, MAX_BYTES)? else { return Ok(Vec::new()) };
    let Some(root) = parse(source.client.form(), file, &text)? else { return Ok(Vec::new()) };
    let mut imported = Vec::new();
    for (project, servers) in tables(source, &root) {
        let Value::Object(servers) = servers else {
            return Err(Problem::of_file(file, "the list of servers is not an object"));
        };
        for (name, value) in servers {
            let mut value = value.clone();
            if is_off_elsewhere(source.client, &root, project.as_deref(), name) {
                switch_off(&mut value);
            }
            imported.push(import_server(source, project.clone(), name, value));
        }
    }
    Ok(imported)
}

/// The file as an object; `None` if it is empty, as editors create it.
fn parse(form: ClientForm, file: &Path, text: &str) -> Result<Option<Map<String, Value>>, Problem> {
    let root = match form {
        ClientForm::Toml => {
            let table: toml::Table =
                toml::from_str(text).map_err(|error| Problem::of_toml(file, text, &error))?;
            let unreadable = |_| Problem::of_file(file, "has values that JSON does not have");
            serde_json::to_value(table).map_err(unreadable)?
        }
        ClientForm::Json | ClientForm::JsonWithComments => {
            let text = match form {
                ClientForm::JsonWithComments => strip_jsonc(text),
                ClientForm::Json | ClientForm::Toml => text.to_owned(),
            };
            if text.trim().is_empty() {
                return Ok(None);
            }
            parse_strict(&text).map_err(|error| Problem::of_json(file, &error))?
        }
    };
    match root {
        Value::Object(root) => Ok(Some(root)),
        _ => Err(Problem::of_file(file, "is not a JSON object")),
    }
}

/// Whether another place in the same file switches the server off.
fn is_off_elsewhere(
    client: ClientProgram,
    root: &Map<String, Value>,
    project: Option<&Path>,
    name: &str,
) -> bool {
    let names = |list: Option<&Value>| {
        list.and_then(Value::as_array).is_some_and(|it| it.iter().any(|it| it == name))
    };
    match client {
        ClientProgram::ClaudeCode => {
            let project = project.and_then(Path::to_str);
            let of_project = project.and_then(|it| root.get("projects")?.get(it));
            names(of_project.and_then(|it| it.get("disabledMcpServers")))
        }
        ClientProgram::Gemini => {
            let mcp = root.get("mcp");
            let allowed = mcp.and_then(|it| it.get("allowed"));
            names(mcp.and_then(|it| it.get("excluded"))) || (allowed.is_some() && !names(allowed))
        }
        _ => false,
    }
}

fn switch_off(entry: &mut Value) {
    if let Value::Object(members) = entry {
        members.insert("disabled".into(), Value::Bool(true));
    }
}

/// Every table of servers in a file, with its project.
fn tables<'a>(source: &Source, root: &'a Map<String, Value>) -> Vec<(Option<PathBuf>, &'a Value)> {
    let at_top = |key: &str| root.get(key).map(|servers| (None, servers));
    let usual = at_top(source.client.servers_key()).into_iter();
    match source.client {
        ClientProgram::ClaudeCode => {
            let projects = root.get("projects").and_then(Value::as_object).into_iter().flatten();
            let of_project = |(path, project): (&String, &'a Value)| {
                Some((Some(PathBuf::from(path)), project.get("mcpServers")?))
            };
            usual.chain(projects.filter_map(of_project)).collect()
        }
        ClientProgram::VsCode
            if source.path.file_name().is_some_and(|it| it == "settings.json") =>
        {
            let nested = root.get("mcp").and_then(|it| it.get("servers"));
            at_top("mcp.servers").into_iter().chain(nested.map(|it| (None, it))).collect()
        }
        _ => usual.collect(),
    }
}

fn import_server(
    source: &Source,
    project: Option<PathBuf>,
    name: &str,
    mut value: Value,
) -> Imported {
    let mut notes = match source.client {
        ClientProgram::VsCode | ClientProgram::Cursor | ClientProgram::Windsurf => {
            translate(&mut value, &folders(&source.path))
        }
        ClientProgram::ClaudeDesktop
        | ClientProgram::ClaudeCode
        | ClientProgram::Codex
        | ClientProgram::Zed
        | ClientProgram::Gemini => Vec::new(),
    };
    notes.extend(to_our_form(source.client, &mut value));
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
