//! Determines the project of a folder: its git remote, so that every clone has the same key, or
//! else the folder itself. It only reads files and runs no program.

use super::git_config::parse_git_config;
use hobnob_store::ProjectKey;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest git file that is read, in bytes.
const MAX_GIT_FILE: u64 = 1 << 20;

/// A folder's project, and the source of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The same key in every clone, if it comes from a remote.
    pub key: ProjectKey,
    /// The folder of the work tree.
    pub root: PathBuf,
    /// What the key was made from.
    pub source: ProjectSource,
}

/// What a project's key was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectSource {
    /// The URL of its git remote.
    Remote,
    /// The path of a git repository that has no remote.
    Repository,
    /// The path of a folder outside any repository.
    Path,
}

impl Project {
    /// The project that contains a folder.
    pub fn of(folder: &Path) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let repository = folder.ancestors().find_map(|root| Some((root, git_folder(root)?)));
        let Some((root, git)) = repository else {
            return Self { key: path_key(&folder), root: folder, source: ProjectSource::Path };
        };
        let remote = read(&git.join("config")).and_then(|config| remote(&config));
        match remote.and_then(|remote| remote_key(&from_root(root, remote.url))) {
            Some(key) => Self { key, root: root.into(), source: ProjectSource::Remote },
            None => {
                Self { key: path_key(root), root: root.into(), source: ProjectSource::Repository }
            }
        }
    }
}

/// A remote from a repository's `config`, which the repository's author controls: untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfiguredRemote {
    pub(super) url: String,
    /// The URL for pushes, if it differs.
    pub(super) push_url: Option<String>,
    /// Whether the repository's object names are SHA-256.
    pub(super) sha256: bool,
}

/// The remote of the work tree at `root`, as it is configured now.
pub(super) fn configured_remote(root: &Path) -> Option<ConfiguredRemote> {
    remote(&read(&git_folder(root)?.join("config"))?)
}

/// Resolves a relative remote, which names different folders for repositories in different places.
fn from_root(root: &Path, url: String) -> String {
    if !url.starts_with("./") && !url.starts_with("../") {
        return url;
    }
    let folder = root.join(&url);
    folder.canonicalize().unwrap_or(folder).display().to_string()
}

fn path_key(folder: &Path) -> ProjectKey {
    ProjectKey::new(&format!("folder:{}", folder.display()))
}

/// The folder with the repository's `config`: `.git`, or the folder that the file `.git` of a
/// worktree or a submodule points to.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let text = read(&git)?;
    let folder = root.join(text.trim().strip_prefix("gitdir:")?.trim());
    let shared = read(&folder.join("commondir")).map(|common| folder.join(common.trim()));
    Some(shared.unwrap_or(folder))
}

fn read(file: &Path) -> Option<String> {
    let small = fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= MAX_GIT_FILE);
    if small { fs::read_to_string(file).ok() } else { None }
}

/// `origin`, or else the first remote by name, in the order of `git remote`.
fn remote(config: &str) -> Option<ConfiguredRemote> {
    let settings = parse_git_config(config)?;
    let value = |section: &str, subsection: Option<&str>, key: &str| {
        let wanted = settings.iter().find(|it| {
            it.section == section && it.subsection.as_deref() == subsection && it.key == key
        });
        wanted.and_then(|it| it.value.clone())
    };
    let named = settings.iter().filter(|it| it.section == "remote" && it.key == "url");
    let names = named.filter_map(|it| it.subsection.as_deref());
    let name = names.min_by_key(|name| (*name != "origin", *name))?;
    let format = value("extensions", None, "objectformat");
    Some(ConfiguredRemote {
        url: value("remote", Some(name), "url")?,
        push_url: value("remote", Some(name), "pushurl"),
        sha256: format.is_some_and(|it| it.eq_ignore_ascii_case("sha256")),
    })
}

/// The key `host/owner/name` for `git@host:owner/name.git`, `https://user:key@host/owner/name` and
/// other spellings: equal repositories have equal keys, without any credentials.
pub(super) fn remote_key(url: &str) -> Option<ProjectKey> {
    let (host, path) = match url.split_once("://") {
        Some(("file", path)) => ("", path),
        Some((_, rest)) => rest.split_once('/')?,
        None => match url.split_once(':') {
            // One letter before the colon is a drive, not a host.
            Some((host, path)) if 1 < host.len() && !host.contains('/') => (host, path),
            _ => ("", url),
        },
    };
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host).to_lowercase();
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let path = if host.is_empty() { path } else { path.trim_start_matches('/') };
    if path.is_empty() {
        return None;
    }
    let key = if host.is_empty() { format!("folder:{path}") } else { format!("{host}/{path}") };
    Some(ProjectKey::new(&key))
}

#[cfg(test)]
mod tests;
