//! The user's own `git`, with the user's own credentials: what it is asked, and how it ends.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// How long one command may take; the network is in it.
const PATIENCE: Duration = Duration::from_secs(120);
/// The most bytes that are taken from one command.
const MOST: u64 = 256 << 20;

/// Why git did not do it.
#[derive(Debug, thiserror::Error)]
pub(super) enum GitError {
    /// There is no such program.
    #[error("git cannot be started: {0}")]
    Missing(io::Error),
    /// It said no.
    #[error("git {command}: {said}")]
    Failed {
        /// What it was asked.
        command: String,
        /// Its own words, without credentials.
        said: String,
    },
    /// It did not end.
    #[error("git {0}: no answer within {PATIENCE:?}")]
    Late(String),
    /// It said something nobody understands.
    #[error("git {0}: an answer that makes no sense")]
    Strange(&'static str),
}

/// One work tree.
#[derive(Debug, Clone)]
pub(super) struct Git {
    folder: PathBuf,
}

impl Git {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.into() }
    }

    /// What it prints.
    pub(super) async fn ask(&self, words: &[&str]) -> Result<String, GitError> {
        let bytes = self.run(words, Vec::new()).await?;
        String::from_utf8(bytes).map_err(|_| GitError::Strange("output"))
    }

    /// What it prints when it is given something to read.
    pub(super) async fn run(&self, words: &[&str], input: Vec<u8>) -> Result<Vec<u8>, GitError> {
        let name = words.first().copied().unwrap_or_default().to_owned();
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder);
        // What a repository runs by itself on such occasions is not for us to set off.
        command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]);
        command.args(["-c", "protocol.ext.allow=never"]);
        command.args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]);
        command.args(words);
        // Nobody is there to type a password.
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0");
        // ssh would ask on the terminal, which is not ours; this asks nobody, and the answer is no.
        command.env("SSH_ASKPASS_REQUIRE", "force").env("SSH_ASKPASS", "false");
        command.env("LC_ALL", "C");
        // Whoever started us may have been inside another repository's command.
        for inherited in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_OBJECT_DIRECTORY",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES",
            "GIT_COMMON_DIR",
            "GIT_NAMESPACE",
        ] {
            command.env_remove(inherited);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        let done = tokio::time::timeout(PATIENCE, finish(command, input)).await;
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
}

type Ended = (std::process::ExitStatus, Vec<u8>, Vec<u8>);

async fn finish(mut command: Command, input: Vec<u8>) -> io::Result<Ended> {
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
            from.take(MOST).read_to_end(&mut bytes).await?;
        }
        io::Result::Ok(bytes)
    };
    let hear = async {
        let mut bytes = Vec::new();
        if let Some(mut from) = stderr {
            (&mut from).take(64 << 10).read_to_end(&mut bytes).await?;
            // The rest is read so that nobody waits for us, and dropped.
            tokio::io::copy(&mut from, &mut tokio::io::sink()).await?;
        }
        io::Result::Ok(bytes)
    };
    let ((), output, said) = tokio::join!(feed, read(stdout), hear);
    Ok((child.wait().await?, output?, said?))
}

/// What git says may repeat an address with a password in it.
fn without_credentials(said: &str) -> String {
    let plain = |word: &str| {
        let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
        // A password may hold the sign that ends it; a path begins with the first slash.
        let path = rest.find('/').unwrap_or(rest.len());
        let host = rest[..path].rfind('@').map_or(0, |at| at + 1);
        format!("{scheme}://{}", &rest[host..])
    };
    let words: Vec<String> = said.split_whitespace().map(plain).collect();
    words.join(" ").chars().take(500).collect()
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
