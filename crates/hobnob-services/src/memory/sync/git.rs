//! The user's own `git`, with the user's own configuration and credentials, in a repository of
//! ours: what it is asked, and how it ends. Every run is reported to the [`ProgramLog`].

use crate::programs::{ProgramExit, ProgramLog, ProgramRun};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// How long one command may take; the network is in it.
const TIMEOUT: Duration = Duration::from_secs(120);
/// The most bytes that are taken from one command.
const MAX_OUTPUT: u64 = 256 << 20;

/// Why git did not do it.
#[derive(Debug, thiserror::Error)]
pub(super) enum GitError {
    /// There is no such program.
    #[error("git cannot be started: {0}")]
    Missing(io::Error),
    /// Git ran and reported a failure.
    #[error("git {command}: {said}")]
    Failed {
        /// What it was asked.
        command: String,
        /// Its own words, without credentials.
        said: String,
    },
    /// It did not end.
    #[error("git {0}: no answer within {TIMEOUT:?}")]
    Late(String),
    /// It said something nobody understands.
    #[error("git {0}: its output cannot be read")]
    Strange(&'static str),
}

/// What git and the programs it starts may know of our environment: where the user's own
/// configuration, keys, agents and proxies are. Nothing else is passed on, so that no variable
/// of another repository's command can lead git elsewhere.
const PASSED: &[&str] = &[
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

/// Git in a repository of ours.
pub(super) struct Git {
    repository: PathBuf,
    /// Whose programs are none of ours.
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

    /// Runs git and returns what it prints, as text.
    pub(super) async fn ask(&self, words: &[&str]) -> Result<String, GitError> {
        let bytes = self.run(words, Vec::new()).await?;
        String::from_utf8(bytes).map_err(|_| GitError::Strange("output"))
    }

    /// What it prints when it is given something to read.
    pub(super) async fn run(&self, words: &[&str], input: Vec<u8>) -> Result<Vec<u8>, GitError> {
        let name = words.first().copied().unwrap_or_default().to_owned();
        let mut record = Record {
            git: self,
            // Addresses are in our repository's configuration, never here.
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
        let (status, output, said) = match done {
            Ok(done) => done.map_err(GitError::Missing)?,
            Err(_) => return Err(GitError::Late(name)),
        };
        if status.success() {
            return Ok(output);
        }
        let said = String::from_utf8_lossy(&said);
        Err(GitError::Failed { command: name, said: without_credentials(&said) })
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(words).current_dir(&self.repository);
        command.env_clear();
        let passed = PASSED.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        command.envs(passed);
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path_outside(&path, &self.project));
        }
        command.env("GIT_DIR", &self.repository);
        // What is not one of these is not spoken, whatever an address is rewritten to.
        command.env("GIT_ALLOW_PROTOCOL", "https:ssh:file").env("GIT_NO_LAZY_FETCH", "1");
        // Nobody is there to type a password.
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        // ssh would ask on the terminal, which is not ours; this asks nobody, and the answer is no.
        command.env("SSH_ASKPASS_REQUIRE", "force").env("SSH_ASKPASS", "false");
        command.env("LC_ALL", "C").env("GIT_PAGER", "cat");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        command
    }
}

/// One run, reported to the log when it ends, however it ends.
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

/// The folders in which programs are looked for, without those of the project: package managers
/// put these first.
fn path_outside(path: &OsStr, project: &Path) -> OsString {
    let is_inside = |folder: &Path| {
        // If the project is the root folder, everything is inside of it, so that says nothing.
        if project.parent().is_none() {
            return false;
        }
        let real = folder.canonicalize();
        folder.starts_with(project) || real.is_ok_and(|real| real.starts_with(project))
    };
    let folders = std::env::split_paths(path);
    let outside = folders.filter(|folder| folder.is_absolute() && !is_inside(folder));
    // No folder that came out of such a list holds the sign that parts them.
    std::env::join_paths(outside).unwrap_or_default()
}

type GitOutput = (std::process::ExitStatus, Vec<u8>, Vec<u8>);

async fn finish(mut command: Command, input: Vec<u8>) -> io::Result<GitOutput> {
    let mut child = command.spawn()?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let feed = async {
        if let Some(mut stdin) = stdin {
            // One that does not want it all says so by its exit code.
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
            // The rest is read so that nobody waits for us, and dropped.
            tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
        }
        io::Result::Ok(bytes)
    };
    let ((), output, said) = tokio::join!(feed, read(stdout), read_errors);
    Ok((child.wait().await?, output?, said?))
}

/// What git says may repeat an address with a password in it.
fn without_credentials(said: &str) -> String {
    let words: Vec<String> = said.split_whitespace().map(without_user).collect();
    words.join(" ").chars().take(500).collect()
}

/// An address without who asks.
pub(super) fn without_user(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    // A password may hold the sign that ends it; a path begins with the first slash.
    let path = rest.find('/').unwrap_or(rest.len());
    let host = rest[..path].rfind('@').map_or(0, |at| at + 1);
    format!("{scheme}://{}", &rest[host..])
}

#[cfg(test)]
mod tests {
    use super::without_credentials;

    #[test]
    fn credentials_are_not_repeated() {
        let said = "fatal: unable to access 'https://me:wo@rd@h.example/a/': no\n  route";
        let plain = "fatal: unable to access 'https://h.example/a/': no route";
        assert_eq!(without_credentials(said), plain);
    }
}
