//! The file with the static tokens that a person made. It holds only their hashes.
//!
//! A listener reads it, and the person's commands change it. What must stay true: only its owner
//! may use it, and a file that cannot be trusted has no valid token and is never replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, Lock, LockError, is_open_to_others, write_atomic};
use serde::{Deserialize, Serialize};

use crate::disk::read_text;
use crate::json::parse_strict;
use crate::problem::Problem;

/// A larger file is neither read nor written.
const MAX_BYTES: u64 = 1024 * 1024;
/// The version that is read and written.
const VERSION: u64 = 1;

/// One token, as it is on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenEntry {
    /// The part of the token that is not secret.
    pub id: String,
    /// The person's name for it.
    pub name: String,
    /// SHA-256 of the whole token, in hexadecimal.
    pub sha256: String,
    /// What it may be used for.
    pub scopes: Vec<String>,
    /// The only profile it counts for, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// When it was made, in RFC 3339.
    pub created: String,
    /// When it expires, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// Why the file was not read or changed; it is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum TokensFileError {
    /// The file cannot be read, is damaged, or a newer Hobnob wrote it.
    #[error("{0}; no token in it counts until it is repaired")]
    Broken(Problem),
    /// Another process is changing it.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The system reported an error while it was written.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// The file of static tokens at one path, which need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokensFile {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenDocument {
    version: u64,
    tokens: Vec<TokenEntry>,
}

impl TokensFile {
    /// The file at this path.
    pub fn new(path: &Path) -> Self {
        Self { path: path.into() }
    }

    /// The path, for a caller that watches it for changes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the tokens; without a file there are none.
    ///
    /// # Errors
    /// When the file is damaged, newer than this version, unreadable, or open to other users.
    pub fn load(&self) -> Result<Vec<TokenEntry>, TokensFileError> {
        let Some(text) = read_text(&self.path, MAX_BYTES).map_err(TokensFileError::Broken)? else {
            return Ok(Vec::new());
        };
        let wrong = |message: &str| TokensFileError::Broken(Problem::of_file(&self.path, message));
        // Another user who can write it could add a token, and other users have no reason to read it.
        if fs::metadata(&self.path).is_ok_and(|meta| is_open_to_others(&meta)) {
            return Err(wrong("can be used by other users: make it private with `chmod 600`"));
        }
        let broken = |error: &serde_json::Error| {
            TokensFileError::Broken(Problem::of_json(&self.path, error))
        };
        // Equal keys would hide each other.
        let value = parse_strict(&text).map_err(|error| broken(&error))?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(VERSION) => {}
            Some(newer) if VERSION < newer => {
                let message = format!("has version {newer}, and this Hobnob reads {VERSION}");
                return Err(wrong(&message));
            }
            Some(_) | None => {
                return Err(wrong("has no `version`, or one that no Hobnob ever wrote"));
            }
        }
        let document: TokenDocument =
            serde_json::from_str(&text).map_err(|error| broken(&error))?;
        Ok(document.tokens)
    }

    /// Changes the tokens on top of what other processes have written. Only commands that a person
    /// typed call this.
    ///
    /// # Errors
    /// When the file cannot be locked, read or written, or `change` refuses. It is then unchanged.
    pub fn change<T, E: From<TokensFileError>>(
        &self,
        change: impl FnOnce(&mut Vec<TokenEntry>) -> Result<T, E>,
    ) -> Result<T, E> {
        let lock = Lock::acquire(&self.path.with_extension("lock"));
        let _lock = lock.map_err(TokensFileError::from)?;
        let before = self.load()?;
        let mut tokens = before.clone();
        let changed = change(&mut tokens)?;
        if tokens == before {
            return Ok(changed);
        }
        let failed = |error| TokensFileError::Io(self.path.clone(), error);
        let document = TokenDocument { version: VERSION, tokens };
        let text = serde_json::to_string_pretty(&document).map_err(io::Error::other);
        let text = text.map_err(failed)? + "\n";
        if MAX_BYTES < text.len() as u64 {
            let error = io::Error::other("it would have more bytes than Hobnob reads again");
            return Err(failed(error).into());
        }
        write_atomic(&self.path, text.as_bytes(), FileMode::Private).map_err(failed)?;
        Ok(changed)
    }
}
