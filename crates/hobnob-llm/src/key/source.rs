//! Where a key comes from: a variable of the environment, a command, or the keyring of the system.
//!
//! Settings name the source; the exchange reads it before its first request. What must stay true: no
//! shell is involved, and an error names the source, never what it gave.

use std::time::Duration;

use super::program;
use super::secret::ProviderKey;
use crate::error::ProviderError;

/// How long a command may take: it may ask a person for a password.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The value of this variable.
    Variable(Box<str>),
    /// The first line that this program writes, given as words; no shell reads them.
    Command(Vec<Box<str>>),
    /// An entry of the system's keyring, asked for with the system's own program.
    Keyring {
        /// The service that the entry is of.
        service: Box<str>,
        /// The account within the service.
        account: Box<str>,
    },
}

impl KeySource {
    /// Reads the key, anew each time.
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
        }
    }
}

const NO_KEYRING: &str =
    "the keyring of this system has no program to read it with; set a variable instead";

/// The system's own program for its keyring, and what it is given.
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
    let output = tokio::time::timeout(PATIENCE, program::first_line(words)).await;
    let line = match output {
        Ok(Ok(line)) => line,
        Ok(Err(reason)) => return Err(missing(format!("{what} gave none: {reason}"))),
        Err(_) => return Err(missing(format!("{what} took more than {PATIENCE:?}"))),
    };
    ProviderKey::new(&line).ok_or_else(|| missing(format!("{what} gave an empty line")))
}

fn missing(what: String) -> ProviderError {
    ProviderError::Key(what.into())
}
