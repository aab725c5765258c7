//! Adds servers from a pasted text to Hobnob's own `mcp.json`, as `hobnob add` does, after a preview
//! of exactly what is written.
//!
//! `server_changes` calls it. What must stay true: a preview writes nothing and starts nothing; an
//! addition writes what its digest stands for; secrets are masked; a server that exists is replaced
//! only if the person said so.

use super::entry_text::masked_entry;
use crate::change_log::ChangeLog;
use crate::server_entries::literal_secrets::masked_url;
use crate::server_entries::{entry_secrets, own_executable, risks, self_reference};
use hobnob_config::paste::{PastedServer, read_paste};
use hobnob_config::{
    Backup, Digest, Existing, Origin, OwnProgram, Places, ServerName, Servers, add_server,
    check_entry, prepare_own, process_environment, servers_in,
};
use hobnob_text::escaped_start;
use hobnob_ui::{
    AddServers, NotDone, PastePreview, PreviewedServer, ServerPaste, ShownPair, WantedServer,
};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::Path;

/// How many characters of a name that cannot be one are shown.
const SHOWN_NAME_CHARS: usize = 64;

/// What a pasted text means.
pub(super) fn preview(places: &Places, paste: &ServerPaste) -> PastePreview {
    let file = places.own_mcp_json().display().to_string();
    let read = read_paste(&paste.text).map_err(|problem| problem.to_string());
    let planned = read.and_then(|servers| {
        let existing = servers_in(&places.own_mcp_json()).map_err(|problem| problem.to_string())?;
        let name_of = |at: usize| paste.names.get(at).filter(|name| !name.is_empty()).cloned();
        Ok(plan(places, servers, &existing, name_of))
    });
    match planned {
        Ok(planned) => {
            let servers = planned.iter().map(|server| server.shown(places)).collect();
            PastePreview { problem: None, file, servers }
        }
        Err(problem) => PastePreview { problem: Some(problem), file, servers: Vec::new() },
    }
}

/// Writes the servers that the person chose; returns their names.
pub(super) fn add(
    places: &Places,
    log: &ChangeLog,
    request: &AddServers,
) -> Result<Vec<String>, NotDone> {
    let failed = |why: String| NotDone::Failed(why);
    let file = places.own_mcp_json();
    let servers = read_paste(&request.text).map_err(|problem| failed(problem.to_string()))?;
    let existing = servers_in(&file).map_err(|problem| failed(problem.to_string()))?;
    let name_of = |at: usize| {
        request.servers.iter().find(|wanted| wanted.at == at).map(|wanted| wanted.name.clone())
    };
    let planned = plan(places, servers, &existing, name_of);
    let mut ready = Vec::new();
    // Everything is checked before the file changes.
    for wanted in &request.servers {
        ready.push(checked(&planned, wanted).map_err(failed)?);
    }
    let mut added = Vec::new();
    for (server, name) in ready {
        let text = format!("{name} {}", Digest::of(server.entry.to_string().as_bytes()));
        let replaces = server.existing.is_some();
        let existing = if replaces { Existing::Replace } else { Existing::Refuse };
        let backup = if replaces { Backup::Into(places.backups()) } else { Backup::Skip };
        let written = log.recorded("servers/add", &text, || {
            add_server(&file, name, server.entry.clone(), existing, backup)
        });
        written.map_err(|error| failed(format!("server `{name}` was not added: {error:#}")))?;
        added.push(name.to_string());
    }
    Ok(added)
}

/// A server of the text, with all that decides whether it can be added.
struct PlannedServer {
    name: String,
    entry: Value,
    notes: Vec<String>,
    /// The entry of the same name in the file.
    existing: Option<Value>,
    digest: Digest,
    checked_name: Result<ServerName, String>,
    problem: Option<String>,
}

fn plan(
    places: &Places,
    servers: Vec<PastedServer>,
    existing: &Map<String, Value>,
    name_of: impl Fn(usize) -> Option<String>,
) -> Vec<PlannedServer> {
    let own = own_executable().map(|program| OwnProgram::new(program, places));
    let ourselves = |entry: &Value| match &own {
        Ok(own) => self_reference(own, places, entry).map(str::to_owned),
        Err(error) => Some(error.to_string()),
    };
    let file = places.own_mcp_json().display().to_string();
    let mut seen = BTreeSet::new();
    let mut planned = Vec::new();
    for (at, PastedServer { name, entry, notes }) in servers.into_iter().enumerate() {
        let name = name_of(at).unwrap_or(name);
        let checked_name = ServerName::parse(&name).map_err(|bad| bad.to_string());
        let existing = existing.get(&name).cloned();
        let before = existing.as_ref().map(Value::to_string).unwrap_or_default();
        let parts = ["add server", &file, &name, &entry.to_string(), &before];
        let problem = match &checked_name {
            Err(bad) => Some(bad.clone()),
            Ok(_) if !seen.insert(name.clone()) => {
                Some("two servers of this text have this name; change one of them".to_owned())
            }
            Ok(name) => {
                let wrong = check_entry(name, &entry).err().map(|problem| problem.to_string());
                wrong.or_else(|| ourselves(&entry))
            }
        };
        let digest = Digest::of_parts(parts);
        planned.push(PlannedServer { name, entry, notes, existing, digest, checked_name, problem });
    }
    planned
}

/// The server that the person wants, if it is the one that was shown and can be added.
fn checked<'a>(
    planned: &'a [PlannedServer],
    wanted: &WantedServer,
) -> Result<(&'a PlannedServer, &'a ServerName), String> {
    let server = planned.get(wanted.at).ok_or("the text has no such server; preview it again")?;
    let name = server.checked_name.as_ref().map_err(Clone::clone)?;
    if let Some(problem) = &server.problem {
        return Err(problem.clone());
    }
    if server.digest.to_string() != wanted.digest {
        return Err(format!("server `{name}` is not as it was shown; look at it again"));
    }
    match server.existing.is_some() && !wanted.replace {
        true => Err(format!("server `{name}` exists already; replace it, or choose another name")),
        false => Ok((server, name)),
    }
}

impl PlannedServer {
    fn shown(&self, places: &Places) -> PreviewedServer {
        // Masking needs a name for variables only.
        let masked = |entry: &Value| masked_entry(self.checked_name.as_ref().ok(), entry);
        let entry = masked(&self.entry);
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        let url = self.entry.get("url").and_then(Value::as_str).map(masked_url);
        let is_url = url.is_some();
        let arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten();
        let arguments = arguments.filter_map(Value::as_str).map(str::to_owned);
        let words = match url {
            Some(url) => vec![url],
            None => text("command").into_iter().chain(arguments).collect(),
        };
        let pairs = ["env", "headers"].iter().filter_map(|key| entry.get(*key)?.as_object());
        let pairs = pairs.flatten().map(|(name, value)| ShownPair {
            name: name.clone(),
            value: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        });
        PreviewedServer {
            name: escaped_or_whole(&self.name),
            words,
            is_url,
            pairs: pairs.collect(),
            entry: pretty(&entry),
            replaces: self.existing.as_ref().map(|existing| pretty(&masked(existing))),
            warnings: self.warnings(places),
            problem: self.problem.clone(),
            digest: self.digest.to_string(),
        }
    }

    /// What the person should know, and what to do besides.
    fn warnings(&self, places: &Places) -> Vec<String> {
        let mut warnings = self.notes.clone();
        warnings.extend(risks::of_entry(&self.entry));
        let Ok(name) = &self.checked_name else { return warnings };
        warnings.extend(entry_secrets::of_entry(name, &self.entry).iter().map(|secret| {
            format!(
                "{} looks like a secret and is written out in the file; to keep it out, write \
                 ${{{}}} in its place and set that variable before Hobnob starts",
                secret.place, secret.variable
            )
        }));
        if let Err(problem) = prepare_own(name, &self.entry, places, &process_environment) {
            warnings.push(format!("it cannot start yet: {problem}"));
        }
        let program = self.entry.get("command").and_then(Value::as_str);
        warnings.extend(program.and_then(missing_program));
        let servers = Servers::load(places, &process_environment);
        let hidden = servers.get(name.as_str()).filter(|used| used.origin == Origin::Project);
        warnings.extend(hidden.map(|used| {
            let file = used.file.display();
            format!("the project's server of the same name in {file} is used instead of it")
        }));
        warnings
    }
}

/// Warns about a program that this hub would not find.
fn missing_program(program: &str) -> Option<String> {
    if program.contains(['/', '\\']) || program.contains("${") || program.starts_with('~') {
        return None;
    }
    let path = std::env::var_os("PATH")?;
    if std::env::split_paths(&path).any(|folder| is_in(&folder, program)) {
        return None;
    }
    let from = match program {
        "npx" | "npm" | "node" => "; it comes with Node.js",
        "uvx" | "uv" => "; it comes with uv",
        "docker" => "; it comes with Docker",
        _ => "",
    };
    Some(format!(
        "the hub finds no program `{program}`{from}: install it, or write its full path; the hub \
         looks in the folders of the PATH that it was started with"
    ))
}

fn is_in(folder: &Path, program: &str) -> bool {
    let extension = std::env::consts::EXE_SUFFIX;
    folder.join(program).is_file() || folder.join(format!("{program}{extension}")).is_file()
}

/// A valid name as it is; any other one cut, without control characters.
fn escaped_or_whole(name: &str) -> String {
    match ServerName::parse(name) {
        Ok(_) => name.to_owned(),
        Err(_) => escaped_start(name, SHOWN_NAME_CHARS),
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

#[cfg(test)]
mod tests;
