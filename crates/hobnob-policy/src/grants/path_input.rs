//! A path as a caller types it, and the granted folders it can mean.
//!
//! It has three forms: an absolute path, a `file:` address, and `FOLDER/rest` with the last name of
//! a granted folder. All of them are normalised first and then compared, name by name; nothing here
//! reads the file system.

use std::ffi::OsString;
use std::sync::Arc;

use percent_encoding::percent_decode_str;

use crate::grants::file_root::{FileRoot, GrantedPath, RootAccess};
use crate::grants::relative_path::{BadRelativePath, RelativePath};

/// A parsed path, not yet resolved to a granted folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathInput {
    /// From the root of the file system.
    Absolute(RelativePath),
    /// From the granted folder with this name.
    InFolder { folder: OsString, rest: RelativePath },
}

/// Why a text is not a path that a grant could cover.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadPathInput {
    #[error(transparent)]
    Path(#[from] BadRelativePath),
    #[error(
        "a `file:` address needs an absolute path, this machine as its host, and no `?` or `#`"
    )]
    Address,
    #[error("the path is empty: write an absolute path, or the name of a granted folder first")]
    Empty,
}

/// Why no granted folder covers a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unresolved {
    /// No granted folder covers it.
    Outside,
    /// A granted folder covers it, but only for reading.
    ReadingOnly,
    /// Several granted folders have the name that it begins with.
    Ambiguous,
}

impl PathInput {
    pub(super) fn parse(text: &str) -> Result<Self, BadPathInput> {
        if let Some(address) = without_scheme(text) {
            return Ok(Self::Absolute(RelativePath::parse(path_of_address(address)?)?));
        }
        if text.starts_with('/') {
            return Ok(Self::Absolute(RelativePath::parse(text.trim_start_matches('/'))?));
        }
        let (folder, rest) = text.split_once('/').unwrap_or((text, ""));
        // Parse the rest by itself, so that `..` cannot lead from one folder to another.
        let rest = RelativePath::parse(rest.trim_start_matches('/'))?;
        match RelativePath::root().join(folder) {
            Ok(name) => {
                let folder = name.leaf().ok_or(BadPathInput::Empty)?.to_owned();
                Ok(Self::InFolder { folder, rest })
            }
            Err(_) if folder == ".." => Err(BadRelativePath::Climbs.into()),
            Err(_) if folder.is_empty() || folder == "." => Err(BadPathInput::Empty),
            Err(problem) => Err(problem.into()),
        }
    }

    /// Resolves the path in the folders of one caller, for this access. If several cover it, the
    /// deepest one with enough access counts; grants only add access.
    pub(super) fn resolve(
        &self,
        roots: &[&Arc<FileRoot>],
        needed: RootAccess,
    ) -> Result<GrantedPath, Unresolved> {
        let mut covering: Vec<(&Arc<FileRoot>, RelativePath)> =
            roots.iter().filter_map(|root| Some((*root, self.below(root)?))).collect();
        covering.sort_by_key(|(root, _)| root.depth());
        let one_meaning = match self {
            Self::Absolute(_) => true,
            // The name must mean the same folder for any access, so all covering folders count.
            Self::InFolder { .. } => covering.windows(2).all(|it| it[0].0.path() == it[1].0.path()),
        };
        if !one_meaning {
            return Err(Unresolved::Ambiguous);
        }
        let enough = covering.iter().rfind(|(root, _)| needed <= root.access());
        match enough {
            Some((root, below)) => Ok(GrantedPath::new(root, below.clone())),
            None if covering.is_empty() => Err(Unresolved::Outside),
            None => Err(Unresolved::ReadingOnly),
        }
    }

    fn below(&self, root: &FileRoot) -> Option<RelativePath> {
        match self {
            Self::Absolute(path) => root.below(path),
            Self::InFolder { folder, rest } => {
                (root.name() == Some(folder.as_os_str())).then(|| rest.clone())
            }
        }
    }
}

/// The text after `file:` in upper or lower case.
fn without_scheme(text: &str) -> Option<&str> {
    const SCHEME: &str = "file:";
    let head = text.get(..SCHEME.len())?;
    head.eq_ignore_ascii_case(SCHEME).then(|| &text[SCHEME.len()..])
}

/// The path of `//HOST/path` or `/path` without its first separators, percent-decoded once.
fn path_of_address(address: &str) -> Result<OsString, BadPathInput> {
    if address.contains(['?', '#']) {
        return Err(BadPathInput::Address);
    }
    let path = match address.strip_prefix("//") {
        None => address,
        Some(rest) => {
            let (host, _) = rest.split_once('/').ok_or(BadPathInput::Address)?;
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(BadPathInput::Address);
            }
            &rest[host.len()..]
        }
    };
    if !path.starts_with('/') {
        return Err(BadPathInput::Address);
    }
    // The decoded path may begin with a separator again; it is normalised like any other text.
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    let start = bytes.iter().take_while(|byte| **byte == b'/').count();
    os_text(&bytes[start..])
}

#[cfg(unix)]
fn os_text(bytes: &[u8]) -> Result<OsString, BadPathInput> {
    Ok(std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
fn os_text(bytes: &[u8]) -> Result<OsString, BadPathInput> {
    let text = std::str::from_utf8(bytes).map_err(|_| BadPathInput::Address)?;
    Ok(text.into())
}
