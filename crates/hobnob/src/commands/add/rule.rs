//! The permission rule that `hobnob add --allow` appends to `config.toml`.
//!
//! What must stay true: the rest of the file keeps its text, and the new text parses.

use anyhow::Context as _;
use hobnob_config::{FileMode, Places, RuleText, ServerName, Settings, write_atomic};
use hobnob_policy::Glob;
use std::path::PathBuf;

/// The new text of the file, checked already.
pub(super) struct PlannedFile {
    file: PathBuf,
    server: ServerName,
    /// Nothing, if the rule is there already.
    text: Option<String>,
}

/// Prepares the new text of the file and makes sure it holds.
pub(super) fn plan(places: &Places, name: &ServerName) -> anyhow::Result<PlannedFile> {
    let server = Glob::escape(name.as_str());
    let file = places.settings();
    let settings = Settings::load(&file)?;
    let is_it = |rule: &RuleText| {
        rule.server.as_deref() == Some(&server)
            && rule.tool.as_deref().is_none_or(|tool| tool == "*")
            && rule.pattern.is_none()
            && rule.action == "allow"
    };
    let planned = |text| PlannedFile { file: file.clone(), server: name.clone(), text };
    if settings.permissions.iter().any(is_it) {
        return Ok(planned(None));
    }
    let before = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let between = match before.as_str() {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    // A name has no control characters, so only these two need an escape.
    let quoted = server.replace('\\', "\\\\").replace('"', "\\\"");
    let text = format!(
        "{before}{between}[[permissions]]\nserver = \"{quoted}\"\ntool = \"*\"\naction = \"allow\"\n"
    );
    let parsed = Settings::parse(&file, &text).map_err(|problem| {
        anyhow::anyhow!("cannot append the rule ({problem}); add a rule for `{name}` by hand")
    })?;
    anyhow::ensure!(
        parsed.permissions.iter().any(is_it),
        "cannot append the rule; add a rule for `{name}` by hand"
    );
    Ok(planned(Some(text)))
}

impl PlannedFile {
    /// Writes the file, and returns the rule in one line.
    pub(super) fn write(self) -> anyhow::Result<String> {
        if let Some(text) = self.text {
            write_atomic(&self.file, text.as_bytes(), FileMode::Keep)
                .with_context(|| format!("cannot write {}", self.file.display()))?;
        }
        Ok(format!("{}/* allow", self.server))
    }
}
