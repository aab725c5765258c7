//! The name of a profile, and why a profile cannot be loaded.
//!
//! The name is part of a file name and of a URL, so it has only characters that are safe in both.

use std::fmt;
use std::path::PathBuf;

use hobnob_text::escaped_start;

use crate::problem::Problem;

/// 1 to 64 of `[A-Za-z0-9_-]`: it is part of a file name and of a URL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileName(Box<str>);

/// Why a profile cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// No file and no shipped profile has the name.
    #[error("there is no profile `{0}`: create it as {file}", file = .1.display())]
    Unknown(ProfileName, PathBuf),
    /// The text is not a valid name.
    #[error("`{0}` cannot name a profile: use 1 to 64 letters, digits, `_` or `-`")]
    BadName(String),
    /// The file is invalid or cannot be read.
    #[error(transparent)]
    Problem(#[from] Problem),
}

impl ProfileName {
    /// Accepts a name exactly as written, without trimming it.
    pub fn parse(raw: &str) -> Result<Self, ProfileError> {
        let legal = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
        if raw.is_empty() || 64 < raw.len() || !raw.chars().all(legal) {
            let shown = escaped_start(raw, 80);
            return Err(ProfileError::BadName(shown));
        }
        Ok(Self(raw.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
