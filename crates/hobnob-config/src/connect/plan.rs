//! What connecting a client would change in its file, computed before anything is written, so that
//! it can be shown.
//!
//! `hobnob connect` makes a plan, shows it, asks, and carries it out. The plan compares the meaning
//! of the new text with the intended one: an edit that went wrong is refused, not written.

use std::path::{Path, PathBuf};
use std::{fs, io};

use hobnob_disk::{FileMode, write_atomic};
use serde_json::{Map, Value};

use super::masked::{masked_json, masked_toml};
use super::{json_text, toml_text};
use crate::clients::{ClientForm, ClientProgram};
use crate::disk::{back_up, read_raw_text};
use crate::json::{parse_strict, strip_jsonc};
use crate::problem::Problem;

/// Some clients keep their whole history in the same file.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The syntax tree of an edited text needs about 57 times its size in memory, so about 700 MB here.
const MAX_EDITED_BYTES: u64 = 12 * 1024 * 1024;

/// Members of an entry that reach a server over the network instead of starting it.
const NETWORK_KEYS: [&str; 6] =
    ["url", "serverUrl", "httpUrl", "headers", "http_headers", "bearer_token_env_var"];

/// What to do with the entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectRequest {
    /// The entry gets these members; its other members stay, unless they contradict.
    Connect(Map<String, Value>),
    /// The entry is removed.
    Remove,
}

/// What a plan does to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectChange {
    /// The file is as wanted already.
    Unchanged,
    /// There was no entry of this name.
    Added,
    /// The entry of this name was different.
    Updated,
    /// The entry is removed.
    Removed,
}

/// Why a file was left unchanged.
#[derive(Debug, thiserror::Error)]
pub enum ClientEditError {
    /// The file cannot be parsed.
    #[error("{0}; the file was not changed: repair it first")]
    Broken(#[from] Problem),
    /// The file is too large, or written in a way that cannot be edited.
    #[error(
        "cannot edit {}: {reason}; change it with the client's own command, if it has one, or by \
         hand:\n{text}",
        file.display()
    )]
    ByHand {
        /// The file that stays unchanged.
        file: PathBuf,
        /// Why Hobnob cannot edit it.
        reason: String,
        /// What the person has to write or delete.
        text: String,
    },
    /// Another program wrote the file after it was read.
    #[error("{} was changed by another program meanwhile; run the command again", .0.display())]
    Moved(PathBuf),
    /// The system reported an error while the file was written.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// The text of a file before and after the change.
#[derive(Debug)]
pub struct ConnectPlan {
    client: ClientProgram,
    name: String,
    /// The file to change.
    pub file: PathBuf,
    /// The present text; empty if there is no file.
    pub before: String,
    /// The text after the change.
    pub after: String,
    /// What happens to the entry.
    pub change: ConnectChange,
}

impl ConnectPlan {
    /// Computes the change of a client's file, which need not exist.
    ///
    /// # Errors
    /// When the file cannot be read or parsed, is too large to be edited, or is written in a way
    /// that cannot be edited.
    pub fn new(
        client: ClientProgram,
        file: &Path,
        name: &str,
        request: &ConnectRequest,
    ) -> Result<Self, ClientEditError> {
        let by_hand = |reason: String| by_hand(client, file, name, request, reason);
        let size = fs::metadata(file).map_or(0, |it| it.len());
        let too_large =
            || by_hand(format!("it has {size} bytes, and the limit is {MAX_EDITED_BYTES} bytes"));
        if MAX_BYTES < size {
            return Err(too_large());
        }
        let before = read_raw_text(file, MAX_BYTES)?.unwrap_or_default();
        let text = without_mark(&before);
        let mark = before.strip_suffix(text).unwrap_or_default();
        let servers = client.servers_key();
        let mut expected = parse(client.form(), file, text)?;
        let old = entry(&expected, servers, name).cloned();
        apply(request, file, &mut expected, [servers, name])?;
        let change = match (&old, entry(&expected, servers, name)) {
            (old, new) if old.as_ref() == new => ConnectChange::Unchanged,
            (None, _) => ConnectChange::Added,
            (Some(_), Some(_)) => ConnectChange::Updated,
            (Some(_), None) => ConnectChange::Removed,
        };
        let after = match change {
            ConnectChange::Unchanged => before.clone(),
            _ if MAX_EDITED_BYTES < size => return Err(too_large()),
            _ => {
                let edited = edit(client.form(), text, [servers, name], request, old.as_ref());
                let expected = without_empty(expected, servers);
                let is_right = |text: &String| {
                    let now = parse(client.form(), file, text);
                    now.is_ok_and(|now| without_empty(now, servers) == expected)
                };
                let edited = edited.filter(is_right);
                let unfit = || by_hand("it is written in a way that Hobnob cannot edit".into());
                format!("{mark}{}", edited.ok_or_else(unfit)?)
            }
        };
        Ok(Self { client, name: name.into(), file: file.into(), before, after, change })
    }

    /// The text before and after, with `…` for every string outside of the entry; empty if nothing
    /// changes.
    pub fn shown(&self) -> (String, String) {
        if self.change == ConnectChange::Unchanged {
            return (String::new(), String::new());
        }
        let ours = [self.client.servers_key(), &self.name];
        let mask = match self.client.form() {
            ClientForm::Toml => masked_toml,
            ClientForm::Json | ClientForm::JsonWithComments => masked_json,
        };
        (mask(without_mark(&self.before), ours), mask(without_mark(&self.after), ours))
    }

    /// Writes the file, and keeps a copy of the old one beside it. Returns the copy's path.
    ///
    /// # Errors
    /// When the system refuses, or another program wrote the file meanwhile. The file is then
    /// unchanged.
    pub fn write(&self) -> Result<Option<PathBuf>, ClientEditError> {
        if self.change == ConnectChange::Unchanged {
            return Ok(None);
        }
        let now = read_raw_text(&self.file, MAX_BYTES)?;
        if now.as_deref().unwrap_or_default() != self.before {
            return Err(ClientEditError::Moved(self.file.clone()));
        }
        let failed = |error| ClientEditError::Io(self.file.clone(), error);
        let backup = now.map(|_| back_up(&self.file)).transpose().map_err(failed)?;
        write_atomic(&self.file, self.after.as_bytes(), FileMode::Keep).map_err(failed)?;
        Ok(backup)
    }
}

/// Whether the file of a client has an entry of this name.
///
/// # Errors
/// When the file cannot be read or parsed.
pub fn is_connected(client: ClientProgram, file: &Path, name: &str) -> Result<bool, Problem> {
    let text = read_raw_text(file, MAX_BYTES)?.unwrap_or_default();
    let root = parse(client.form(), file, without_mark(&text))?;
    Ok(entry(&root, client.servers_key(), name).is_some())
}

/// The text without a byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The meaning of a text; an empty file counts as an empty object.
fn parse(form: ClientForm, file: &Path, text: &str) -> Result<Map<String, Value>, Problem> {
    if form == ClientForm::Toml {
        let table: toml::Table =
            toml::from_str(text).map_err(|error| Problem::of_toml(file, text, &error))?;
        return match serde_json::to_value(table) {
            Ok(Value::Object(root)) => Ok(root),
            Ok(_) | Err(_) => Err(Problem::of_file(file, "has values that cannot be compared")),
        };
    }
    let plain = match form {
        ClientForm::JsonWithComments => strip_jsonc(text),
        ClientForm::Json | ClientForm::Toml => text.to_owned(),
    };
    if plain.trim().is_empty() {
        return Ok(Map::new());
    }
    match parse_strict(&plain).map_err(|error| Problem::of_json(file, &error))? {
        Value::Object(root) => Ok(root),
        _ => Err(Problem::of_file(file, "is not a JSON object")),
    }
}

/// Removes an empty table of servers: it means the same as no table.
fn without_empty(mut root: Map<String, Value>, servers: &str) -> Map<String, Value> {
    if root.get(servers).and_then(Value::as_object).is_some_and(Map::is_empty) {
        root.remove(servers);
    }
    root
}

fn entry<'a>(root: &'a Map<String, Value>, servers: &str, name: &str) -> Option<&'a Value> {
    root.get(servers)?.get(name)
}

/// Changes the meaning of the text as the request asks.
fn apply(
    request: &ConnectRequest,
    file: &Path,
    root: &mut Map<String, Value>,
    [servers, name]: [&str; 2],
) -> Result<(), Problem> {
    let not_an_object = |what: &str| Problem::of_file(file, format!("`{what}` is not an object"));
    match request {
        ConnectRequest::Connect(members) => {
            let table = root.entry(servers).or_insert_with(|| Value::Object(Map::new()));
            let table = table.as_object_mut().ok_or_else(|| not_an_object(servers))?;
            let entry = table.entry(name).or_insert_with(|| Value::Object(Map::new()));
            let entry = entry.as_object_mut().ok_or_else(|| not_an_object(name))?;
            for key in contradicting(members) {
                entry.remove(key);
            }
            entry.extend(members.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        ConnectRequest::Remove => {
            if let Some(table) = root.get_mut(servers) {
                let table = table.as_object_mut().ok_or_else(|| not_an_object(servers))?;
                table.remove(name);
            }
        }
    }
    Ok(())
}

/// Keys that contradict these members, and must not stay beside them.
fn contradicting(members: &Map<String, Value>) -> Vec<&'static str> {
    NETWORK_KEYS.into_iter().filter(|key| !members.contains_key(*key)).collect()
}

/// The new text: a new entry has all members, and an old one gets those that differ.
fn edit(
    form: ClientForm,
    text: &str,
    path: [&str; 2],
    request: &ConnectRequest,
    old: Option<&Value>,
) -> Option<String> {
    let is_toml = form == ClientForm::Toml;
    match request {
        ConnectRequest::Connect(members) => {
            let mut differing = members.clone();
            differing.retain(|key, value| old.and_then(|it| it.get(key)) != Some(value));
            let set = if is_toml { toml_text::set_entry } else { json_text::set_entry };
            set(text, path, &differing, &contradicting(members))
        }
        ConnectRequest::Remove if is_toml => toml_text::remove_entry(text, path),
        ConnectRequest::Remove => json_text::remove_entry(text, path),
    }
}

fn by_hand(
    client: ClientProgram,
    file: &Path,
    name: &str,
    request: &ConnectRequest,
    reason: String,
) -> ClientEditError {
    let servers = client.servers_key();
    let text = match (request, client.form()) {
        (ConnectRequest::Remove, _) => format!("delete `{name}` in `{servers}`"),
        (ConnectRequest::Connect(entry), ClientForm::Toml) => {
            toml_text::written([servers, name], entry)
        }
        (ConnectRequest::Connect(entry), ClientForm::Json | ClientForm::JsonWithComments) => {
            let entry = Value::Object(entry.clone());
            format!("in `{servers}`: {}: {entry:#}", Value::from(name))
        }
    };
    ClientEditError::ByHand { file: file.into(), reason, text }
}
