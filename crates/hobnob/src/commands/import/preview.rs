//! The target file before and after, without touching it: the change is made to a private copy.

use super::mask::mask;
use anyhow::Context as _;
use hobnob_config::{
    Backup, Existing, FileMode, Places, ServerName, add_server, make_folder, write_atomic,
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Two texts whose secrets are masked.
pub(super) struct Preview {
    pub(super) before: String,
    pub(super) after: String,
}

/// What the file would become.
pub(super) fn of(
    places: &Places,
    file: &Path,
    additions: &[(ServerName, Value)],
) -> anyhow::Result<Preview> {
    make_folder(&places.state_dir).context("the folder for state cannot be made")?;
    let copy = Copy(places.state_dir.join(format!("import-{}.json", std::process::id())));
    let before = match std::fs::read_to_string(file) {
        Ok(text) => {
            write_atomic(&copy.0, text.as_bytes(), FileMode::Private)?;
            text
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    for (name, entry) in additions {
        add_server(&copy.0, name, entry.clone(), Existing::Refuse, Backup::Skip)?;
    }
    let after = std::fs::read_to_string(&copy.0).context("the preview cannot be read")?;
    Ok(Preview { before: mask(&before), after: mask(&after) })
}

/// It holds what the file holds, so it goes with us.
struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        // It is private, and the next one of this process replaces it.
        let _ = std::fs::remove_file(&self.0);
    }
}
