//! The person's editor, and the draft that it works on. `edit` opens it until the text is valid.
//!
//! What must stay true: the draft stays on disk until its text is written or unchanged, and only
//! its owner can read it.

use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_disk::{FileMode, make_folder, write_atomic};
use hobnob_terminal::ended::{Code, Ended};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy that the editor changes; it has the name of the file, which tells its language.
pub(super) struct Draft {
    folder: PathBuf,
    path: PathBuf,
}

impl Draft {
    /// Writes the text to a new folder for this draft.
    pub(super) fn new(places: &Places, file: &Path, text: &str) -> anyhow::Result<Self> {
        let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
        let folder = places.state_dir.join("edit").join(format!("{time}-{}", std::process::id()));
        let path = folder.join(file.file_name().unwrap_or_default());
        let written = make_folder(&folder)
            .and_then(|()| write_atomic(&path, text.as_bytes(), FileMode::Private));
        written.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { folder, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until the editor is closed, and returns the text.
    pub(super) fn open_editor(&self) -> anyhow::Result<String> {
        let (name, mut command) = editor()?;
        let status = command.arg(&self.path).status();
        let status = status.with_context(|| format!("cannot start the editor `{name}`"))?;
        if !status.success() {
            let message = format!(
                "the editor `{name}` failed, and nothing was changed; your text is in {}",
                self.path.display()
            );
            return Err(Ended::new(Code::Failed, message).into());
        }
        std::fs::read_to_string(&self.path)
            .with_context(|| format!("cannot read {}", self.path.display()))
    }

    /// Deletes the draft, whose text was written to the file or is unchanged.
    pub(super) fn delete(self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

/// The editor that `VISUAL` or `EDITOR` names, or else a usual one. A shell starts the named
/// editor, since its name may have options.
fn editor() -> anyhow::Result<(String, Command)> {
    let named = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|variable| std::env::var(variable).ok().filter(|value| !value.trim().is_empty()));
    if let Some(name) = named {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{name} \"$@\""), &name]);
        return Ok((name, command));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&&str| std::env::split_paths(&path).any(|it| it.join(name).is_file());
    match ["sensible-editor", "nano", "vi"].iter().find(is_there) {
        Some(name) => Ok(((*name).to_owned(), Command::new(name))),
        None => {
            let message = "no editor is known; set EDITOR, such as: EDITOR=nano hobnob edit";
            Err(Ended::usage(message).into())
        }
    }
}
