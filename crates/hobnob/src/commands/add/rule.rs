//! The permission rule that `--allow` adds. The rest of `config.toml` keeps its text.

use crate::exit::{Code, Ended};
use anyhow::Context as _;
use hobnob_config::{Mode, Places, ServerName, Settings, write_atomic};
use std::path::PathBuf;

/// What will be written, checked already.
pub(super) struct Planned {
    file: PathBuf,
    tool: String,
    /// Nothing, if the rule is there already.
    text: Option<String>,
}

/// Prepares the new text of the file and makes sure it holds.
pub(super) fn plan(places: &Places, name: &ServerName) -> anyhow::Result<Planned> {
    let plain = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    if !name.as_str().chars().all(plain) {
        let message = "--allow needs a name of letters, digits, `_` and `-`: \
                       choose another name, or write the rule by hand";
        return Err(Ended::new(Code::Usage, message).into());
    }
    let tool = format!("mcp__{name}__*");
    let file = places.settings();
    let settings = Settings::load(&file)?;
    if settings
        .permissions
        .iter()
        .any(|rule| rule.tool == tool && rule.pattern.is_none() && rule.action == "allow")
    {
        return Ok(Planned { file, tool, text: None });
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
    let text = format!("{before}{between}[[permissions]]\ntool = \"{tool}\"\naction = \"allow\"\n");
    Settings::parse(&file, &text).map_err(|problem| {
        anyhow::anyhow!("the rule cannot be appended ({problem}); add it by hand for `{tool}`")
    })?;
    Ok(Planned { file, tool, text: Some(text) })
}

impl Planned {
    /// Writes it, and says the rule in one line.
    pub(super) fn write(self) -> anyhow::Result<String> {
        if let Some(text) = self.text {
            write_atomic(&self.file, text.as_bytes(), Mode::Keep)
                .with_context(|| format!("cannot write {}", self.file.display()))?;
        }
        Ok(format!("{} allow", self.tool))
    }
}
