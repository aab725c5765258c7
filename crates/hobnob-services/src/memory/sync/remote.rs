//! Validates a project's git remote: which URLs git may contact, and which local folders it may
//! use.
//!
//! The project's author controls the configuration, so a URL that could start a program is refused
//! before git sees it.

use super::git::without_user;
use crate::memory::git_config::parse_git_config;
use crate::memory::project::{ConfiguredRemote, remote_key};
use std::fs;
use std::path::{Path, PathBuf};

/// Longest URL, in bytes.
const MAX_URL_BYTES: usize = 2_048;
/// Largest configuration file, in bytes.
const MAX_CONFIG_BYTES: u64 = 1 << 20;

/// The allowlist of settings in a local repository: none of them names a program, another file or
/// another repository.
const ALLOWED_SETTINGS: &[&str] = &[
    "branch.merge",
    "branch.rebase",
    "branch.remote",
    "core.autocrlf",
    "core.bare",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.precomposeunicode",
    "core.repositoryformatversion",
    "core.sharedrepository",
    "core.symlinks",
    "extensions.objectformat",
    "gc.auto",
    "http.receivepack",
    "receive.denydeletes",
    "receive.denynonfastforwards",
    "remote.fetch",
    "remote.mirror",
    "remote.url",
    "user.email",
    "user.name",
];

/// Why a remote is refused.
#[derive(Debug, thiserror::Error)]
pub(in crate::memory) enum BadRemote {
    #[error(
        "the remote `{0}` is not used: only https://, ssh://, user@host:path and folders of this \
         machine are"
    )]
    Kind(String),
    #[error("the remote `{0}` is not used: it would be read as an option or holds odd characters")]
    Odd(String),
    #[error(
        "memories are not sent: `pushurl` is `{0}`, which is another repository than the remote's \
         `url`"
    )]
    Elsewhere(String),
    #[error("there is no git repository at {}", .0.display())]
    Absent(PathBuf),
    #[error("{} is not used: {why}", folder.display())]
    Unsafe { folder: PathBuf, why: String },
}

/// Where git finds a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    /// A URL on the network, in the form that git takes.
    Network(String),
    /// A repository on this machine.
    Folder(PathBuf),
}

/// The addresses to fetch memories from and to send them to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remote {
    pub(super) fetch: Address,
    /// Set if pushes go to the same repository by another address.
    pub(super) push: Option<Address>,
    /// Whether the repository's object names are SHA-256.
    pub(super) sha256: bool,
}

impl Remote {
    /// The remote of the work tree at `root`, if it passes all checks.
    pub(super) fn check(root: &Path, configured: &ConfiguredRemote) -> Result<Self, BadRemote> {
        let fetch = Address::parse(root, &configured.url)?;
        let push = match &configured.push_url {
            // Memories belong to the repository that `url` names; sending them elsewhere would leak
            // one project's memories into another.
            Some(url) if remote_key(url) != remote_key(&configured.url) => {
                return Err(BadRemote::Elsewhere(shown(url)));
            }
            Some(url) => Some(Address::parse(root, url)?),
            None => None,
        };
        let push = push.filter(|push| *push != fetch);
        Ok(Self { fetch, push, sha256: configured.sha256 })
    }

    /// The addresses as a person may see them: without credentials.
    pub(super) fn shown(&self) -> String {
        match &self.push {
            Some(push) => format!("{} (sent to {})", self.fetch.shown(), push.shown()),
            None => self.fetch.shown(),
        }
    }
}

impl Address {
    fn parse(root: &Path, url: &str) -> Result<Self, BadRemote> {
        let odd = || BadRemote::Odd(shown(url));
        let is_odd = |it: char| it.is_control() || matches!(it, '\u{2028}' | '\u{2029}');
        if url.is_empty() || MAX_URL_BYTES < url.len() || url.contains(is_odd) {
            return Err(odd());
        }
        if url.starts_with('-') {
            return Err(odd());
        }
        let scheme_end = url.find(|it: char| !it.is_ascii_alphanumeric() && !"+-.".contains(it));
        let (scheme, rest) = url.split_at(scheme_end.unwrap_or(url.len()));
        // `name::address` starts the program `git-remote-name`.
        if rest.starts_with("::") {
            return Err(BadRemote::Kind(shown(url)));
        }
        if let Some(rest) = rest.strip_prefix("://") {
            return match scheme {
                "https" | "ssh" => {
                    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
                    let host = authority.rsplit('@').next().unwrap_or(authority);
                    let is_option = |part: &str| part.starts_with('-');
                    let bad = host.is_empty() || path.is_empty() || url.contains(' ');
                    if bad || is_option(authority) || is_option(host) || is_option(path) {
                        return Err(odd());
                    }
                    Ok(Self::Network(url.into()))
                }
                "file" if rest.starts_with('/') => {
                    Ok(Self::Folder(vetted_folder(Path::new(rest))?))
                }
                _ => Err(BadRemote::Kind(shown(url))),
            };
        }
        // One letter before the colon is a drive, not a host.
        let host = url.split_once(':').filter(|(host, _)| host.len() != 1 && !host.contains('/'));
        match host {
            Some((host, path)) => {
                let name = host.rsplit('@').next().unwrap_or(host);
                let bad = name.is_empty() || path.is_empty() || url.contains(' ');
                if bad || name.starts_with('-') || path.starts_with('-') {
                    return Err(odd());
                }
                Ok(Self::Network(url.into()))
            }
            None => Ok(Self::Folder(vetted_folder(&root.join(url))?)),
        }
    }

    /// The address in the form that git takes.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Network(url) => url.clone(),
            Self::Folder(folder) => folder.display().to_string(),
        }
    }

    fn shown(&self) -> String {
        shown(&self.text())
    }
}

/// A URL without its credentials and with everything escaped, since people decide by it.
fn shown(url: &str) -> String {
    let url = &url[..url.floor_char_boundary(MAX_URL_BYTES)];
    without_user(url).chars().flat_map(char::escape_debug).collect()
}

/// The repository in a local folder. Git would run programs that its configuration names, so all
/// settings must be on the allowlist. Its hooks are disabled when git runs.
fn vetted_folder(path: &Path) -> Result<PathBuf, BadRemote> {
    let absent = || BadRemote::Absent(path.into());
    // Git finds `atlas.git` when the URL says `atlas`.
    let named = || PathBuf::from(format!("{}.git", path.display())).canonicalize();
    let there = path.canonicalize().or_else(|_| named()).map_err(|_| absent());
    let folder = there.and_then(|path| {
        // The order in which git itself searches.
        let with = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
        let places = [with("/.git"), path.clone(), with(".git/.git"), with(".git")];
        places.into_iter().find(|place| place.is_file() || is_repository(place)).ok_or_else(absent)
    })?;
    let refuse = |why: String| BadRemote::Unsafe { folder: folder.clone(), why };
    if folder.to_str().is_none_or(|text| text.contains(char::is_control)) {
        return Err(refuse("its path holds odd characters".into()));
    }
    let elsewhere = ["commondir", ".git"].iter().any(|name| folder.join(name).exists());
    if !folder.is_dir() || elsewhere || folder.canonicalize().ok().as_ref() != Some(&folder) {
        return Err(refuse("it leads to another repository".into()));
    }
    let config = folder.join("config");
    let is_small = fs::metadata(&config).is_ok_and(|it| it.len() <= MAX_CONFIG_BYTES);
    let text = if is_small { fs::read_to_string(&config).ok() } else { None };
    let settings = text.as_deref().and_then(parse_git_config);
    let settings = settings.ok_or_else(|| refuse("its `config` cannot be read".into()))?;
    match settings.iter().map(|it| it.name()).find(|name| !ALLOWED_SETTINGS.contains(&&**name)) {
        Some(name) => {
            let why = format!(
                "its `config` sets `{name}`, which may start programs; name the repository by \
                 ssh or https, or remove that setting"
            );
            Err(refuse(why))
        }
        None => Ok(folder),
    }
}

fn is_repository(folder: &Path) -> bool {
    folder.join("HEAD").exists() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

#[cfg(test)]
mod tests;
