//! Derives, from what a server used in one run, the narrowest sandbox in which it can do the same
//! again. `learn` calls it; it reads the file system and changes nothing.
//!
//! What must stay true: no proposal names the root, a home, Hobnob's own files, or a folder that
//! holds secrets; single files there are named one by one, and marked.

use hobnob_mcp_process::SYSTEM_PATHS;
use hobnob_mcp_process::trace::{TraceReport, TracedUse};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// If a server uses at least this many entries of a folder, the proposal names the folder instead.
const MIN_ENTRIES_FOR_FOLDER: usize = 4;

/// Folders of the kernel. Every sandbox has its own.
const KERNEL_FOLDERS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Folders beneath the home in which each program has a folder of its own.
const FOLDERS_OF_PROGRAMS: [&str; 6] =
    [".cache", ".config", ".local/share", ".local/state", ".local/lib", ".local/bin"];

/// Files and folders beneath the home that hold secrets of other programs.
const SECRETS: [&str; 22] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".password-store",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".mozilla",
    ".thunderbird",
    ".bash_history",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/chromium",
    ".config/git",
    ".local/share/keyrings",
    ".vault-token",
];

/// The file name extensions of SQLite databases.
const DATABASE_EXTENSIONS: [&str; 3] = ["db", "sqlite", "sqlite3"];

/// Where Python caches its bytecode. Python works without the cache, so writing there is no reason
/// to let a server change its own code.
const CODE_CACHE: &str = "__pycache__";

/// The folders of this machine that the proposal depends on.
pub(super) struct Surroundings {
    /// The home of the user, without links.
    pub(super) home: PathBuf,
    /// Folders with settings, state and sockets of Hobnob, which no server may see.
    pub(super) own_folders: Vec<PathBuf>,
    /// Folders for temporary files. Every sandbox has its own.
    pub(super) scratch: Vec<PathBuf>,
}

/// What the sandbox has to grant, and what it must not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) read: BTreeSet<PathBuf>,
    pub(super) write: BTreeSet<PathBuf>,
    pub(super) addresses: BTreeSet<String>,
    /// The paths in `read` and `write` that hold secrets.
    pub(super) secrets: BTreeSet<PathBuf>,
    /// Unix sockets that the server used; no sandbox grants them.
    pub(super) sockets: BTreeSet<PathBuf>,
    /// Folders that the server changed, and that no sandbox may grant as a whole.
    pub(super) refused: BTreeSet<PathBuf>,
}

/// The narrowest sandbox in which a server can do again what it did.
pub(super) fn propose(report: &TraceReport, around: &Surroundings) -> Proposal {
    let mut proposal = Proposal { addresses: report.addresses.clone(), ..Proposal::default() };
    let made: BTreeSet<&Path> = report
        .files
        .iter()
        .filter(|(_, use_)| *use_ == TracedUse::Create)
        .map(|(it, _)| it.as_path())
        .collect();
    for (path, use_) in &report.files {
        if around.is_given(path, &made) || is_code_cache(path) {
            continue;
        }
        match use_ {
            TracedUse::Read => around.add_read(&mut proposal.read, path),
            // Programs look at the parents of every path; the paths inside are proposed anyway.
            TracedUse::Look if is_parent(path, report) => {}
            TracedUse::Look => around.add_read(&mut proposal.read, path),
            TracedUse::Write => around.add_write(&mut proposal, &changed_with(path, around)),
            // The folder exists from now on, so the server need not create it again.
            TracedUse::Create if path.is_dir() && !around.may_be_whole(path) => {}
            TracedUse::Create if path.is_dir() => around.add_write(&mut proposal, path),
            TracedUse::Create => match path.parent() {
                Some(folder) if around.may_be_whole(folder) => {
                    around.add_write(&mut proposal, folder)
                }
                _ => around.add_write(&mut proposal, path),
            },
            TracedUse::WriteFolder => around.add_write(&mut proposal, path),
            TracedUse::Socket => drop(proposal.sockets.insert(path.clone())),
            TracedUse::Network => {}
        }
    }
    proposal.write = around.folded(proposal.write);
    proposal.read = around.folded(proposal.read);
    without_inner(&mut proposal);
    let secrets = proposal.read.iter().chain(&proposal.write).filter(|it| around.is_secret(it));
    proposal.secrets = secrets.cloned().collect();
    proposal
}

fn is_code_cache(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == CODE_CACHE)
}

/// The path that must be writable to change a file: its folder for a database, which keeps its
/// journal beside itself.
fn changed_with(path: &Path, around: &Surroundings) -> PathBuf {
    let is_database =
        path.extension().is_some_and(|it| DATABASE_EXTENSIONS.iter().any(|name| it == *name));
    let folder = path.parent().filter(|folder| is_database && around.may_be_whole(folder));
    folder.unwrap_or(path).to_owned()
}

/// Whether the server used another path inside this one.
fn is_parent(path: &Path, report: &TraceReport) -> bool {
    report.files.iter().any(|(other, _)| other != path && other.starts_with(path))
}

/// Removes paths that are inside another path of the proposal.
fn without_inner(proposal: &mut Proposal) {
    let is_inside = |path: &Path, all: &BTreeSet<PathBuf>| {
        path.ancestors().skip(1).any(|outer| all.contains(outer))
    };
    let write = proposal.write.clone();
    proposal.write.retain(|path| !is_inside(path, &write));
    let read = proposal.read.clone();
    proposal.read.retain(|path| {
        !is_inside(path, &read) && !is_inside(path, &write) && !write.contains(path)
    });
}

impl Surroundings {
    /// Whether every sandbox has this path, or its own version of it.
    fn is_given(&self, path: &Path, made: &BTreeSet<&Path>) -> bool {
        let of_system = SYSTEM_PATHS.iter().chain(&KERNEL_FOLDERS).any(|it| path.starts_with(it));
        let real = path.canonicalize().unwrap_or_else(|_| path.into());
        // A link elsewhere that leads into a system folder is not given: the link itself is needed.
        let temporary = self.scratch.iter().any(|scratch| {
            path == scratch
                || (path.starts_with(scratch) && path.ancestors().any(|it| made.contains(it)))
        });
        of_system || temporary || real == Path::new("/")
    }

    /// Adds the path and the file that it resolves to: a link and its target must be readable.
    fn add_read(&self, paths: &mut BTreeSet<PathBuf>, path: &Path) {
        let Ok(real) = path.canonicalize() else { return };
        for path in [path, &real] {
            let of_system = SYSTEM_PATHS.iter().any(|it| path.starts_with(it));
            let whole = self.package_of(path).unwrap_or_else(|| path.into());
            // Reading a folder means listing it, which a server can do without.
            if !of_system && (!whole.is_dir() || self.may_be_whole(&whole)) {
                paths.insert(whole);
            }
        }
    }

    fn add_write(&self, proposal: &mut Proposal, path: &Path) {
        let real = path.canonicalize().unwrap_or_else(|_| path.into());
        let whole = self.package_of(&real).unwrap_or(real);
        if !whole.exists() {
            return;
        }
        if whole.is_dir() && !self.may_be_whole(&whole) {
            proposal.refused.insert(whole);
        } else {
            proposal.write.insert(whole);
        }
    }

    /// The folder of the package, the environment or the program that a path belongs to.
    fn package_of(&self, path: &Path) -> Option<PathBuf> {
        if self.is_secret(path) {
            return None;
        }
        let found = node_modules(path)
            .or_else(|| virtual_environment(path))
            .or_else(|| self.folder_of_program(path))?;
        (found.is_dir() && self.may_be_whole(&found)).then_some(found)
    }

    /// The folder of a program, such as `~/.cache/NAME` or `~/.NAME`, that contains the path.
    fn folder_of_program(&self, path: &Path) -> Option<PathBuf> {
        let inside = path.strip_prefix(&self.home).ok()?;
        let depth = match FOLDERS_OF_PROGRAMS.iter().find(|it| inside.starts_with(it)) {
            Some(folder) => Path::new(folder).components().count() + 1,
            None => 1,
        };
        let mut parts = inside.components();
        let folder: PathBuf = parts.by_ref().take(depth).collect();
        let is_hidden = folder.to_string_lossy().starts_with('.');
        (is_hidden && folder.components().count() == depth).then(|| self.home.join(folder))
    }

    /// Whether a sandbox may grant the whole folder.
    fn may_be_whole(&self, folder: &Path) -> bool {
        let below_root = 2 < folder.components().count();
        let shared = FOLDERS_OF_PROGRAMS.iter().map(|it| self.home.join(it));
        let secret = SECRETS.iter().map(|it| self.home.join(it));
        let mut kept = shared.chain(secret).chain(self.own_folders.iter().cloned());
        below_root
            && !self.home.starts_with(folder)
            && !kept.any(|it| it.starts_with(folder))
            && !self.is_secret(folder)
    }

    /// Whether the path belongs to Hobnob or to the secrets of another program.
    fn is_secret(&self, path: &Path) -> bool {
        let secret = SECRETS.iter().map(|it| self.home.join(it));
        secret.chain(self.own_folders.iter().cloned()).any(|it| path.starts_with(it))
    }

    /// Replaces many entries of a folder by the folder, until no folder has enough entries.
    fn folded(&self, mut paths: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
        loop {
            let mut entries: BTreeMap<&Path, usize> = BTreeMap::new();
            for folder in paths.iter().filter_map(|path| path.parent()) {
                *entries.entry(folder).or_default() += 1;
            }
            let full = |(folder, count): &(&Path, usize)| {
                MIN_ENTRIES_FOR_FOLDER <= *count
                    && self.may_be_whole(folder)
                    && !paths.contains(*folder)
            };
            // Take the innermost folder first: an outer one may have too few entries afterwards.
            let full = entries.into_iter().filter(full);
            let Some((folder, _)) = full.max_by_key(|(folder, _)| folder.components().count())
            else {
                return paths;
            };
            let folder = folder.to_owned();
            paths.retain(|path| !path.starts_with(&folder));
            paths.insert(folder);
        }
    }
}

/// The outermost `node_modules` that a path is in.
fn node_modules(path: &Path) -> Option<PathBuf> {
    let parts: Vec<Component<'_>> = path.components().collect();
    let at = parts.iter().position(|part| part.as_os_str() == "node_modules")?;
    Some(parts.iter().take(at + 1).collect())
}

/// The virtual environment of Python that a path is in.
fn virtual_environment(path: &Path) -> Option<PathBuf> {
    let mut folders = path.ancestors().skip(1);
    folders.find(|folder| folder.join("pyvenv.cfg").is_file()).map(Path::to_owned)
}

#[cfg(test)]
mod tests;
