//! Runs the user's own `git`, with the user's configuration and credentials, in a repository of
//! Hobnob's. Every run is reported to the [`ProgramLog`].

use crate::programs::{ProgramExit, ProgramLog, ProgramRun};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// Longest run of one command, with its network time.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How many bytes of a command's output are read.
const MAX_OUTPUT: u64 = 256 << 20;

/// Why a git command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum GitError {
    /// The program is not installed.
    #[error("git cannot be started: {0}")]
    Missing(io::Error),
    /// Git ran and reported a failure.
    #[error("git {command}: {message}")]
    Failed {
        /// The name of the command.
        command: String,
        /// Git's error message, without credentials.
        message: String,
    },
    /// The command did not end in time.
    #[error("git {0}: no answer within {TIMEOUT:?}")]
    Late(String),
    /// The output of the command could not be parsed.
    #[error("git {0}: its output cannot be read")]
    Strange(&'static str),
}

/// The environment variables that git and its child processes inherit: they locate the user's
/// configuration, keys, agents and proxies. No others are passed on, so that a variable meant for
/// another repository cannot redirect git.
const INHERITED: &[&str] = &[
    "ALL_PROXY",
    "DBUS_SESSION_BUS_ADDRESS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GNUPGHOME",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "KRB5CCNAME",
    "LOGNAME",
    "NO_PROXY",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USER",
    "USERPROFILE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Git in one of Hobnob's own repositories.
pub(super) struct Git {
    repository: PathBuf,
    /// Programs in this folder are never run.
    project: PathBuf,
    principal: String,
    log: Arc<dyn ProgramLog>,
}

impl Git {
    pub(super) fn new(
        repository: PathBuf,
        project: &Path,
        principal: &str,
        log: Arc<dyn ProgramLog>,
    ) -> Self {
        Self { repository, project: project.into(), principal: principal.into(), log }
    }

    /// Runs git and returns its output as text.
    pub(super) async fn ask(&self, words: &[&str]) -> Result<String, GitError> {
        let bytes = self.run(words, Vec::new()).await?;
        String::from_utf8(bytes).map_err(|_| GitError::Strange("output"))
    }

    /// Runs git with some input and returns its output.
    pub(super) async fn run(&self, words: &[&str], input: Vec<u8>) -> Result<Vec<u8>, GitError> {
        let name = words.first().copied().unwrap_or_default().to_owned();
        let mut record = Record {
            git: self,
            // Remote URLs are in the repository's configuration, never here.
            command: format!("git {}", words.join(" ")),
            begun: Instant::now(),
            exit: ProgramExit::Abandoned,
        };
        let done = tokio::time::timeout(TIMEOUT, finish(self.command(words), input)).await;
        record.exit = match &done {
            Ok(Ok((status, ..))) => status.code().map_or(ProgramExit::Signal, ProgramExit::Code),
            Ok(Err(_)) => ProgramExit::NotStarted,
            Err(_) => ProgramExit::TimedOut,
        };
        drop(record);
        let (status, output, message) = match done {
            Ok(done) => done.map_err(GitError::Missing)?,
            Err(_) => return Err(GitError::Late(name)),
        };
        if status.success() {
            return Ok(output);
        }
        let message = String::from_utf8_lossy(&message);
        Err(GitError::Failed { command: name, message: without_credentials(&message) })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(words).current_dir(&self.repository);
        command.env_clear();
        let passed = INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.envs(passed);
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path_outside(&path, &self.project));
        }
        command.env("GIT_DIR", &self.repository);
        // Allow only these protocols, even if the configuration rewrites a URL.
        command.env("GIT_ALLOW_PROTOCOL", "https:ssh:file").env("GIT_NO_LAZY_FETCH", "1");
        // No person can type a password here.
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        // ssh would ask on the terminal, which is not ours; this helper always declines.
        command.env("SSH_ASKPASS_REQUIRE", "force").env("SSH_ASKPASS", "false");
        command.env("LC_ALL", "C").env("GIT_PAGER", "cat");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        command
    }
}

/// One run, reported to the log when it is dropped, however the run ends.
struct Record<'a> {
    git: &'a Git,
    command: String,
    begun: Instant,
    exit: ProgramExit,
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        self.git.log.ran(&ProgramRun {
            principal: &self.git.principal,
            command: &self.command,
            exit: self.exit,
            duration: self.begun.elapsed(),
        });
    }
}

/// The search path without the project's folders, which package managers put first.
fn path_outside(path: &OsStr, project: &Path) -> OsString {
    let is_inside = |folder: &Path| {
        // If the project is `/`, every folder is inside it, so the check would mean nothing.
        if project.parent().is_none() {
            return false;
        }
        let real = folder.canonicalize();
        folder.starts_with(project) || real.is_ok_and(|real| real.starts_with(project))
    };
    let folders = std::env::split_paths(path);
    let outside = folders.filter(|folder| folder.is_absolute() && !is_inside(folder));
    // No folder from a search path contains the separator, so this cannot fail.
    std::env::join_paths(outside).unwrap_or_default()
}

type GitOutput = (std::process::ExitStatus, Vec<u8>, Vec<u8>);

async fn finish(mut command: Command, input: Vec<u8>) -> io::Result<GitOutput> {
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async {
        if let Some(mut stdin) = stdin {
            // If git does not read all of its input, its exit code tells why.
            drop(stdin.write_all(&input).await);
        }
    };
    let read = async |from: Option<tokio::process::ChildStdout>| {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            from.take(MAX_OUTPUT).read_to_end(&mut bytes).await?;
        }
        io::Result::Ok(bytes)
    };
    let read_errors = async {
        let mut bytes = Vec::new();
        if let Some(mut from) = stderr {
            (&mut from).take(64 << 10).read_to_end(&mut bytes).await?;
            // Read and drop the rest, so that git does not block on a full pipe.
            tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
        }
        io::Result::Ok(bytes)
    };
    let ((), output, message) = tokio::join!(feed, read(stdout), read_errors);
    Ok((child.wait().await?, output?, message?))
}

/// The message without credentials: git may repeat a URL with a password in it.
fn without_credentials(message: &str) -> String {
    let words: Vec<String> = message.split_whitespace().map(without_user).collect();
    words.join(" ").chars().take(500).collect()
}

/// The URL without its user and password.
pub(super) fn without_user(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    // A password may contain `@`, but a path begins with the first slash.
    let path = rest.find('/').unwrap_or(rest.len());
    let host = rest[..path].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host..])
}

#[cfg(test)]
mod tests {
    use super::without_credentials;

    #[test]
    fn credentials_are_not_repeated() {
        let message = "fatal: unable to access 'https://me:wo@rd@h.example/a/': no\n  route";
        let plain = "fatal: unable to access 'https://h.example/a/': no route";
        assert_eq!(without_credentials(message), plain);
    }
}
