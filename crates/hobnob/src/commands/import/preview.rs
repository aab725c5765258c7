//! The target file before and after an import; the change is made to a private copy. `import` shows
//! it before it asks.
//!
//! What must stay true: the file itself is not touched, and both versions are masked.

use super::mask::mask;
use anyhow::Context as _;
use hobnob_config::{Backup, Existing, Places, ServerName, add_server};
use hobnob_disk::{FileMode, make_folder, write_atomic};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The two versions of the file, with masked secrets.
pub(super) struct Preview {
    pub(super) before: String,
    pub(super) after: String,
}

/// Adds the servers to a copy of the file.
pub(super) fn of(
    places: &Places,
    file: &Path,
    additions: &[(ServerName, Value)],
) -> anyhow::Result<Preview> {
    make_folder(&places.state_dir).context("cannot create the folder for state")?;
    let copy = TemporaryCopy(places.state_dir.join(format!("import-{}.json", std::process::id())));
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
    let after = std::fs::read_to_string(&copy.0).context("cannot read the preview")?;
    Ok(Preview { before: mask(&before), after: mask(&after) })
}

/// A private copy of the file, removed on drop.
struct TemporaryCopy(PathBuf);

impl Drop for TemporaryCopy {
    fn drop(&mut self) {
        // A copy that stays behind is private, and the next one replaces it.
        let _ = std::fs::remove_file(&self.0);
    }
}
