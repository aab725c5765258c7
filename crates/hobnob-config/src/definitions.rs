//! The accepted definitions of tools, one private file for each server, so that a person can see
//! what changed.
//!
//! `hobnob approve` shows them and the gateway writes them. They decide nothing: the pins say what
//! is trusted, and the caller checks a definition from here against its pin before it shows it. A
//! file that cannot be read counts as absent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, write_atomic};
use serde_json::value::RawValue;

use crate::approvals::ServerKey;
use crate::catalogue_cache::StateFileError;
use crate::digest::Digest;
use crate::disk::read_text;

/// A longer definition, in bytes, is not kept; then only its digest is known.
const MAX_DEFINITION_BYTES: usize = 64 * 1024;
/// A larger file of one server is neither read nor written.
const MAX_FILE_BYTES: usize = 8 * 1024 * 1024;

/// A folder with one file for each server, named after the digest of its key.
#[derive(Debug, Clone)]
pub struct AcceptedDefinitions {
    folder: PathBuf,
}

impl AcceptedDefinitions {
    /// The definitions in this folder, which need not exist yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    /// The definitions (JSON texts) of a server's tools, by name.
    pub fn load(&self, key: &ServerKey) -> BTreeMap<String, String> {
        let text = read_text(&self.file(key), MAX_FILE_BYTES as u64).ok().flatten();
        let kept: Option<BTreeMap<String, Box<RawValue>>> =
            text.and_then(|text| serde_json::from_str(&text).ok());
        let kept = kept.unwrap_or_default().into_iter();
        kept.map(|(tool, definition)| (tool, definition.get().to_owned())).collect()
    }

    /// Adds definitions to the stored ones. A definition that is too long or not JSON is left out.
    pub fn add<'a>(
        &self,
        key: &ServerKey,
        definitions: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<(), StateFileError> {
        let before = self.load(key);
        let mut kept: BTreeMap<&str, &RawValue> = BTreeMap::new();
        let old = before.iter().map(|(tool, definition)| (tool.as_str(), definition.as_str()));
        for (tool, definition) in old.chain(definitions.into_iter().map(|it| (it.0, it.1))) {
            // Remove the older definition even if the new one is not kept.
            kept.remove(tool);
            if definition.len() <= MAX_DEFINITION_BYTES
                && let Ok(definition) = serde_json::from_str::<&RawValue>(definition)
            {
                kept.insert(tool, definition);
            }
        }
        let file = self.file(key);
        let text = serde_json::to_string(&kept)
            .map_err(|error| StateFileError::Io(file.clone(), error.into()))?;
        if MAX_FILE_BYTES < text.len() {
            return Err(StateFileError::TooLarge(text.len()));
        }
        write_atomic(&file, text.as_bytes(), FileMode::Private)
            .map_err(|error| StateFileError::Io(file, error))
    }

    fn file(&self, key: &ServerKey) -> PathBuf {
        let name = Digest::of(key.to_string().as_bytes());
        self.folder.join(format!("{name}.json"))
    }
}
