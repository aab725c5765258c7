//! Writes the sandbox of one server into `config.toml`.
//!
//! `hobnob sandbox learn` calls it.

use std::fmt;
use std::path::Path;

use toml_edit::DocumentMut;

use crate::edit_toml::{set_value, table_at, toml_string};
use crate::name::ServerName;
use crate::server_sandbox::AcceptedSandbox;
use crate::setting_edit::{SettingEditError, SettingPlan};
use crate::settings::Settings;

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
        let mut document = DocumentMut::new();
        // An empty document can have any table.
        let _ = set_sandbox(&mut document, server, self);
        document.to_string()
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

impl SettingPlan {
    /// Plans to write the sandbox into the settings at this path, which need not exist.
    ///
    /// # Errors
    /// When the file is broken, locked by another process, or in a form that cannot be edited.
    pub fn sandbox(
        file: &Path,
        server: &ServerName,
        sandbox: &SandboxText,
    ) -> Result<Self, SettingEditError> {
        let by_hand = || sandbox.table_of(server);
        let change =
            |document: &mut DocumentMut, _: &Settings| set_sandbox(document, server, sandbox);
        Self::edit(file, by_hand, change, |before, after| {
            let alone = Settings::parse(file, &sandbox.table_of(server)).ok();
            let wanted = alone.and_then(|mut alone| alone.servers.remove(server));
            let mut expected = before.clone();
            expected.servers.entry(server.clone()).or_default().sandbox =
                wanted.and_then(|it| it.sandbox);
            expected == *after
        })
    }
}

fn set_sandbox(
    document: &mut DocumentMut,
    server: &ServerName,
    sandbox: &SandboxText,
) -> Option<()> {
    let table = table_at(document, &["servers", server.as_str()])?;
    set_value(table, "sandbox", sandbox.to_string().parse().ok()?)
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
            ("[servers.x] # it\ncall = \"1s\"", "[servers.x] # it\ncall = \"1s\"\nsandbox = S\n"),
            ("servers.x.call = \"1s\"", "servers.x.call = \"1s\"\nservers.x.sandbox = S\n"),
            (
                "[servers.x]\nsandbox = { write = [\n\"/o\"] } # was\n[audit]\n",
                "[servers.x]\nsandbox = S # was\n[audit]\n",
            ),
        ] {
            std::fs::write(&file, before).unwrap();
            SettingPlan::sandbox(&file, &name, &sandbox).unwrap().write().unwrap();
            let written = std::fs::read_to_string(&file).unwrap();
            assert_eq!(written, after.replace('S', shown), "{before}");
        }
        let before = "[servers.x.sandbox]\nnetwork = true\n";
        std::fs::write(&file, before).unwrap();
        let error = SettingPlan::sandbox(&file, &name, &sandbox).unwrap_err();
        assert!(matches!(error, SettingEditError::ByHand { .. }), "{before}: {error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    }
}
