//! Writes the sandbox of one server into `config.toml`, and changes nothing else in it.
//!
//! `hobnob sandbox learn` calls it. The new text is parsed as settings before it is written, and
//! must mean what the person was shown.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, Lock, write_atomic};
use serde::Deserialize;
use toml::Spanned;

use crate::disk::read_text;
use crate::name::ServerName;
use crate::problem::Problem;
use crate::rule_edit::RuleEditError;
use crate::server_sandbox::AcceptedSandbox;
use crate::settings::{MAX_SETTINGS_BYTES, Settings};
use crate::toml_string::toml_string;

/// A sandbox in the form in which it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxText {
    /// Paths as a person writes them, with `~` for the home.
    pub read: Vec<String>,
    /// Paths that may also be changed, in the same form.
    pub write: Vec<String>,
    /// Whether it has the network.
    pub network: bool,
    /// The weakest sandbox in which the server is started.
    pub accept: AcceptedSandbox,
}

impl SandboxText {
    /// The whole table of a server that has only this setting.
    pub fn table_of(&self, server: &ServerName) -> String {
        format!("[{}]\nsandbox = {self}\n", table_name(server))
    }
}

/// Writes the value of `sandbox` in TOML.
impl fmt::Display for SandboxText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |paths: &[String]| {
            let quoted = paths.iter().map(|path| toml_string(path));
            match paths {
                [] | [_] => format!("[{}]", quoted.collect::<String>()),
                _ => quoted.fold("[\n".into(), |text, path| format!("{text}    {path},\n")) + "]",
            }
        };
        write!(out, "{{ read = {}, write = {}", list(&self.read), list(&self.write))?;
        write!(out, ", network = {}", self.network)?;
        match self.accept {
            AcceptedSandbox::Full => {}
            AcceptedSandbox::Partial => out.write_str(", accept = \"partial\"")?,
            AcceptedSandbox::Any => out.write_str(", accept = \"any\"")?,
        }
        out.write_str(" }")
    }
}

/// The new text of the settings, already checked. The lock keeps other processes out.
#[derive(Debug)]
pub struct SandboxPlan {
    file: PathBuf,
    text: String,
    _lock: Lock,
}

impl SandboxPlan {
    /// Plans to write the sandbox into the settings at this path, which need not exist.
    ///
    /// # Errors
    /// When the file is broken, locked by another process, or in a form that cannot be edited.
    pub fn new(
        file: &Path,
        server: &ServerName,
        sandbox: &SandboxText,
    ) -> Result<Self, RuleEditError> {
        let lock = Lock::acquire(&file.with_extension("toml.lock"))?;
        let before = read_text(file, MAX_SETTINGS_BYTES)?.unwrap_or_default();
        let mut expected = Settings::parse(file, &before)?;
        let alone = sandbox.table_of(server);
        let mut wanted = Settings::parse(file, &alone)?;
        let by_hand = || RuleEditError::ByHand { file: file.into(), text: alone.clone() };
        let wanted = wanted.servers.remove(server).and_then(|it| it.sandbox);
        expected.servers.entry(server.clone()).or_default().sandbox = wanted;
        let text = changed(file, &before, server, sandbox)?.ok_or_else(by_hand)?;
        match Settings::parse(file, &text) {
            Ok(parsed) if parsed == expected => Ok(Self { file: file.into(), text, _lock: lock }),
            _ => Err(by_hand()),
        }
    }

    /// Replaces the file atomically.
    ///
    /// # Errors
    /// When the system refuses. The file is then unchanged.
    pub fn write(self) -> Result<(), RuleEditError> {
        write_atomic(&self.file, self.text.as_bytes(), FileMode::Keep)
            .map_err(|error| RuleEditError::Io(self.file.clone(), error))
    }
}

/// The sandboxes of a file with their positions; [`Settings`] checks everything else.
#[derive(Deserialize)]
struct ServerTables {
    #[serde(default)]
    servers: BTreeMap<String, PlacedSandbox>,
}

#[derive(Deserialize)]
struct PlacedSandbox {
    sandbox: Option<Spanned<toml::Value>>,
}

/// The text with the sandbox in it; `None` if the server's table cannot be found.
fn changed(
    file: &Path,
    before: &str,
    server: &ServerName,
    sandbox: &SandboxText,
) -> Result<Option<String>, Problem> {
    let tables: ServerTables =
        toml::from_str(before).map_err(|error| Problem::of_toml(file, before, &error))?;
    let mut text = before.to_owned();
    match tables.servers.get(server.as_str()) {
        Some(PlacedSandbox { sandbox: Some(placed) }) => {
            text.replace_range(placed.span(), &sandbox.to_string());
        }
        Some(PlacedSandbox { sandbox: None }) => {
            let Some(at) = end_of_header(before, server) else { return Ok(None) };
            text.insert_str(at, &format!("sandbox = {sandbox}\n"));
        }
        None => {
            let between = match before {
                "" => "",
                text if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            text.push_str(&format!("{between}{}", sandbox.table_of(server)));
        }
    }
    Ok(Some(text))
}

/// The offset at which the first line of a server's table begins.
fn end_of_header(text: &str, server: &ServerName) -> Option<usize> {
    let header = format!("[{}]", table_name(server));
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.ends_with('\n') && line.split('#').next().is_some_and(|it| it.trim() == header) {
            return Some(at);
        }
    }
    None
}

fn table_name(server: &ServerName) -> String {
    let is_bare = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    match server.as_str().chars().all(is_bare) {
        true => format!("servers.{server}"),
        false => format!("servers.{}", toml_string(server.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sandbox_is_written_and_the_rest_stays() {
        let sandbox = SandboxText {
            read: vec!["~/a".into(), "/b \"c\"".into()],
            write: vec!["~/w".into()],
            network: true,
            ..SandboxText::default()
        };
        let shown =
            "{ read = [\n    \"~/a\",\n    '/b \"c\"',\n], write = [\"~/w\"], network = true }";
        assert_eq!(sandbox.to_string(), shown);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        let name = ServerName::parse("x").unwrap();
        for (before, after) in [
            ("", "[servers.x]\nsandbox = S\n"),
            ("# mine", "# mine\n\n[servers.x]\nsandbox = S\n"),
            ("[servers.x] # it\ncall = \"1s\"", "[servers.x] # it\nsandbox = S\ncall = \"1s\""),
            (
                "[servers.x]\nsandbox = { write = [\n\"/o\"] } # was\n[audit]\n",
                "[servers.x]\nsandbox = S # was\n[audit]\n",
            ),
        ] {
            std::fs::write(&file, before).unwrap();
            SandboxPlan::new(&file, &name, &sandbox).unwrap().write().unwrap();
            let written = std::fs::read_to_string(&file).unwrap();
            assert_eq!(written, after.replace('S', shown), "{before}");
        }
        for before in ["servers.x.call = \"1s\"", "[servers.x.sandbox]\nnetwork = true\n"] {
            std::fs::write(&file, before).unwrap();
            let error = SandboxPlan::new(&file, &name, &sandbox).unwrap_err();
            assert!(matches!(error, RuleEditError::ByHand { .. }), "{before}: {error}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
        }
    }
}
