//! Fetches a published package with the user's package client, uv, pip or npm, and with the mirrors,
//! proxies and credentials that it is configured with.
//!
//! `command` calls it. What must stay true: no code of a package runs, all files are written below
//! one folder, and no client outlives the fetch.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hobnob_web_client::one_line;

use super::error::InstallError;
use super::progress::{InstallProgress, InstallStage, ProgressSender};
use super::staging::{create_file, create_folder};
use crate::package::{PackageRegistry, PublishedPackage};

/// The timeout for all clients together.
const FETCH_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// How often to poll the client and the size of its files.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum bytes that a client may write: the package twice, once of it unpacked.
const MAX_WRITTEN: u64 = 512 << 20;

/// Lines at the end of a client's output that an error shows.
const SHOWN_LINES: usize = 3;

/// The package clients of this machine, in the order to try them.
#[derive(Clone, Debug)]
pub(super) struct PackageClients {
    pub(super) clients: Vec<PackageClient>,
    pub(super) limit: Duration,
}

/// A program that fetches packages by name.
#[derive(Clone, Debug)]
pub(super) struct PackageClient {
    pub(super) kind: ClientKind,
    pub(super) program: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ClientKind {
    Uv,
    Pip,
    /// Python, which may have pip as a module.
    Python,
    Npm,
}

impl PackageClients {
    /// Finds the clients in the folders of `PATH`.
    pub(super) fn find() -> Self {
        let names: [(ClientKind, &[&str]); 4] = [
            (ClientKind::Uv, &["uv"]),
            (ClientKind::Pip, &["pip", "pip3"]),
            (ClientKind::Python, &["python3", "python"]),
            (ClientKind::Npm, &["npm"]),
        ];
        let found = names.iter().filter_map(|(kind, names)| {
            let program = names.iter().find_map(|name| program(name))?;
            Some(PackageClient { kind: *kind, program })
        });
        Self { clients: found.collect(), limit: FETCH_TIMEOUT }
    }

    /// Fetches the package into this folder, with the first client that can.
    pub(super) fn fetch(
        &self,
        package: &PublishedPackage,
        folder: &Path,
        progress_sender: &ProgressSender,
    ) -> Result<FetchedFiles, InstallError> {
        let deadline = Instant::now() + self.limit;
        let mut reasons = Vec::new();
        for client in self.clients.iter().filter(|it| it.kind.registry() == package.registry) {
            let fetch = Fetch { client, package, folder, deadline, progress_sender };
            match fetch.run()? {
                FetchEnd::Fetched => return FetchedFiles::find(&folder.join(FETCHED)),
                FetchEnd::Failed(reason) => {
                    reasons.push(format!("{}: {reason}", client.kind.shown()))
                }
            }
        }
        if reasons.is_empty() {
            let reason = match package.registry {
                PackageRegistry::PyPi => "neither uv nor pip is installed",
                PackageRegistry::Npm => "npm is not installed",
            };
            return Err(unfetched(package, reason));
        }
        Err(unfetched(package, reasons.join("; ")))
    }
}

/// The absolute path of a program, since clients run in another working folder.
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(&file))
        .find(|path| path.is_file())
}

fn unfetched(package: &PublishedPackage, reason: impl Into<Box<str>>) -> InstallError {
    InstallError::Unfetched { package: package.requirement(), reason: reason.into() }
}

impl ClientKind {
    fn shown(self) -> &'static str {
        match self {
            Self::Uv => "uv",
            Self::Pip => "pip",
            Self::Python => "python -m pip",
            Self::Npm => "npm",
        }
    }

    fn registry(self) -> PackageRegistry {
        match self {
            Self::Uv | Self::Pip | Self::Python => PackageRegistry::PyPi,
            Self::Npm => PackageRegistry::Npm,
        }
    }

    /// Wheels only, since building a package would run its code; and no cache, so that no file is
    /// left behind.
    fn arguments(self) -> impl Iterator<Item = &'static str> {
        let (module, verb): (&[_], &[_]) = match self {
            Self::Uv => (&[], UV),
            Self::Pip => (&[], PIP),
            Self::Python => (&["-m", "pip"], PIP),
            Self::Npm => (&[], NPM),
        };
        module.iter().chain(verb).copied()
    }

    fn folder_option(self) -> &'static str {
        match self {
            Self::Uv => "--target",
            Self::Pip | Self::Python => "--dest",
            Self::Npm => "--pack-destination",
        }
    }
}

const UV: &[&str] = &["pip", "install", "--no-cache", "--no-deps", "--only-binary=:all:"];

const PIP: &[&str] = &[
    "download",
    "--no-input",
    "--no-cache-dir",
    "--disable-pip-version-check",
    "--progress-bar=off",
    "--no-deps",
    "--only-binary=:all:",
];

/// Packing a published package only downloads it; scripts are off all the same.
const NPM: &[&str] = &["pack", "--ignore-scripts", "--loglevel=error"];

/// The subfolder that the client puts the package into.
const FETCHED: &str = "fetched";

/// The subfolder for the client's temporary files.
const TEMPORARY: &str = "temporary";

/// The file for the client's output.
const OUTPUT: &str = "output.txt";

/// One run of one client.
struct Fetch<'a> {
    client: &'a PackageClient,
    package: &'a PublishedPackage,
    folder: &'a Path,
    deadline: Instant,
    progress_sender: &'a ProgressSender,
}

/// The result of a client that ended by itself.
enum FetchEnd {
    Fetched,
    Failed(Box<str>),
}

impl Fetch<'_> {
    fn run(&self) -> Result<FetchEnd, InstallError> {
        // Files of the client tried before this one.
        drop(fs::remove_dir_all(self.folder));
        let [fetched, temporary] = [FETCHED, TEMPORARY].map(|name| self.folder.join(name));
        create_folder(&fetched)?;
        create_folder(&temporary)?;
        let output = self.folder.join(OUTPUT);
        let written = create_file(&output)?;
        let mut client = match self.command(&fetched, &temporary, written)?.spawn() {
            Ok(child) => RunningClient(child),
            Err(error) => return Ok(FetchEnd::Failed(one_line(&error.to_string()))),
        };
        let total = self.package.bytes;
        loop {
            let ended = client.0.try_wait();
            match ended.map_err(InstallError::disk("run", &self.client.program))? {
                Some(status) if status.success() => return Ok(FetchEnd::Fetched),
                Some(status) => return Ok(FetchEnd::Failed(last_lines(&output, status))),
                None => {}
            }
            let written = bytes_below(self.folder);
            if MAX_WRITTEN < written {
                let reason = format!("the client wrote more than {MAX_WRITTEN} bytes");
                return Err(unfetched(self.package, reason));
            }
            if self.deadline <= Instant::now() {
                return Err(unfetched(self.package, "the client did not end in time"));
            }
            let (stage, done) = (InstallStage::Downloading, written.min(total));
            self.progress_sender.send(InstallProgress { stage, done, total: Some(total) })?;
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn command(
        &self,
        fetched: &Path,
        temporary: &Path,
        output: File,
    ) -> Result<Command, InstallError> {
        let kind = self.client.kind;
        let errors = output.try_clone().map_err(InstallError::disk("write", self.folder))?;
        let mut command = Command::new(&self.client.program);
        command
            .args(kind.arguments())
            .arg(kind.folder_option())
            .arg(fetched)
            .arg(&*self.package.requirement())
            // A working folder of another user could contain project settings or Python modules.
            .current_dir(self.folder)
            // A user's ban on installing outside virtual environments does not apply to a download.
            .env("PIP_REQUIRE_VIRTUALENV", "0")
            // npm has no option for a fetch without a cache.
            .env("npm_config_cache", temporary)
            // The user has not asked for an interpreter to be downloaded.
            .env("UV_PYTHON_DOWNLOADS", "never")
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors);
        for variable in ["TMPDIR", "TEMP", "TMP"] {
            command.env(variable, temporary);
        }
        Ok(command)
    }
}

/// Kills the client when dropped.
struct RunningClient(Child);

impl Drop for RunningClient {
    fn drop(&mut self) {
        // Both fail only if the client has already ended.
        let (_killed, _waited) = (self.0.kill(), self.0.wait());
    }
}

/// The last lines of a client's output.
fn last_lines(output: &Path, status: std::process::ExitStatus) -> Box<str> {
    let text = fs::read(output).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines.len().saturating_sub(SHOWN_LINES) {
        0 if lines.is_empty() => one_line(&status.to_string()),
        first => one_line(&lines[first..].join(" ")),
    }
}

/// The size of a folder; files deleted meanwhile are ignored.
fn bytes_below(folder: &Path) -> u64 {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        bytes += match entry.metadata() {
            Ok(found) if found.is_dir() => bytes_below(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        };
    }
    bytes
}

/// What a client has fetched.
pub(super) enum FetchedFiles {
    /// A wheel, as pip leaves it, or a `.tgz` file, as npm does.
    Archive(PathBuf),
    /// The folder of an unpacked wheel, as uv leaves it.
    Unpacked(PathBuf),
}

impl FetchedFiles {
    fn find(folder: &Path) -> Result<Self, InstallError> {
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let entries = entries.map_err(InstallError::disk("read", folder))?;
        let mut paths = entries.iter().map(fs::DirEntry::path);
        let archive = paths
            .find(|path| path.extension().is_some_and(|found| found == "whl" || found == "tgz"));
        Ok(archive.map_or_else(|| Self::Unpacked(folder.into()), Self::Archive))
    }
}
