//! Where a key comes from: an environment variable, a command, the system's keyring, or a file.
//!
//! Settings name the source; the exchange reads it before its first request. What must stay true:
//! no shell is involved, and an error names the source, never its content.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::program;
use super::secret::ProviderKey;
use crate::error::ProviderError;

/// How long a command may run. It may ask a person for a password.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);

/// The most bytes that are read from a key file.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The value of this environment variable.
    Variable(Box<str>),
    /// The first line that this command prints: a program and its arguments, which no shell parses.
    Command(Vec<Box<str>>),
    /// An entry of the system's keyring, read with the system's own program.
    Keyring {
        /// The service that the entry belongs to.
        service: Box<str>,
        /// The account within the service.
        account: Box<str>,
    },
    /// The first line of this file.
    File(PathBuf),
}

impl KeySource {
    /// Reads the key. The result is not cached.
    pub async fn read(&self) -> Result<ProviderKey, ProviderError> {
        match self {
            Self::Variable(name) => {
                let value = std::env::var(&**name).unwrap_or_default();
                ProviderKey::new(&value)
                    .ok_or_else(|| missing(format!("the variable `{name}` is not set")))
            }
            Self::Command(words) => {
                let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
                run(&words, "the command of the settings").await
            }
            Self::Keyring { service, account } => {
                let words = keyring_words(std::env::consts::OS, service, account)
                    .ok_or_else(|| missing(NO_KEYRING.into()))?;
                let what = format!("the entry `{account}` of `{service}` in the keyring");
                run(&words, &what).await
            }
            // Its path is private: a caller from elsewhere may see the error.
            Self::File(path) => {
                read_file(path).map_err(|why| missing(format!("the file with the key: {why}")))
            }
        }
    }

    /// Why there is no key, as far as that is visible without running a program.
    pub async fn problem(&self) -> Option<ProviderError> {
        match self {
            Self::Variable(_) | Self::File(_) => self.read().await.err(),
            Self::Command(_) | Self::Keyring { .. } => None,
        }
    }
}

/// Reads the first line of a file that only its owner may access.
fn read_file(path: &Path) -> Result<ProviderKey, String> {
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().map_err(|error| error.to_string())?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err("others may read it; to change that: chmod 600 FILE".into());
        }
    }
    let mut text = String::new();
    let read = Read::by_ref(&mut file).take(MAX_FILE_BYTES).read_to_string(&mut text);
    read.map_err(|error| error.to_string())?;
    let line = text.lines().next().unwrap_or_default();
    ProviderKey::new(line).ok_or_else(|| "its first line is no key".to_owned())
}

const NO_KEYRING: &str =
    "the keyring of this system has no program to read it with; set a variable instead";

/// The system's own keyring program and its arguments.
pub(super) fn keyring_words<'a>(
    system: &str,
    service: &'a str,
    account: &'a str,
) -> Option<Vec<&'a str>> {
    match system {
        "linux" => Some(vec!["secret-tool", "lookup", "service", service, "account", account]),
        "macos" => {
            Some(vec!["security", "find-generic-password", "-s", service, "-a", account, "-w"])
        }
        _ => None,
    }
}

async fn run(words: &[&str], what: &str) -> Result<ProviderKey, ProviderError> {
    let output = tokio::time::timeout(COMMAND_TIMEOUT, program::first_line(words)).await;
    let line = match output {
        Ok(Ok(line)) => line,
        Ok(Err(reason)) => return Err(missing(format!("{what} gave none: {reason}"))),
        Err(_) => return Err(missing(format!("{what} took more than {COMMAND_TIMEOUT:?}"))),
    };
    ProviderKey::new(&line).ok_or_else(|| missing(format!("{what} gave an empty line")))
}

fn missing(what: String) -> ProviderError {
    ProviderError::Key(what.into())
}
