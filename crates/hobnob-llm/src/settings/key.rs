//! The source of a provider's key, as users write it: exactly one of four kinds.

use std::path::PathBuf;

use serde::Deserialize;

use super::problem::Problems;
use crate::key::KeySource;

/// The table `key` of a provider. Exactly one of its fields is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeySettings {
    /// The environment variable that holds the key.
    pub variable: Option<String>,
    /// A program and its arguments, which no shell parses; the first line of its output is the key.
    pub command: Option<Vec<String>>,
    /// An entry of the system's keyring.
    pub keyring: Option<KeyringSettings>,
    /// A file whose first line is the key. Only its owner may have access to it.
    pub file: Option<PathBuf>,
}

/// An entry of the system's keyring.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyringSettings {
    /// The service that the entry belongs to.
    pub service: String,
    /// The account within the service.
    pub account: String,
}

impl KeySettings {
    pub(super) fn check(&self, problems: &mut Problems<'_>) -> Option<KeySource> {
        let Self { variable, command, keyring, file } = self;
        match (variable, command, keyring, file) {
            (Some(name), None, None, None) => {
                if name.is_empty() || name.contains(['=', '\0']) {
                    problems.report("key.variable", "write the name of a variable");
                }
                Some(KeySource::Variable(name.as_str().into()))
            }
            (None, Some(words), None, None) => {
                if words.first().is_none_or(String::is_empty) {
                    let what = "write the program and its arguments as a list of words";
                    problems.report("key.command", what);
                }
                let words = words.iter().map(|word| word.as_str().into());
                Some(KeySource::Command(words.collect()))
            }
            (None, None, Some(KeyringSettings { service, account }), None) => {
                // The system's program would read a word with a leading hyphen as an option.
                for (below, word) in [("service", service), ("account", account)] {
                    if word.is_empty() || word.starts_with('-') {
                        let what = "write a name that is not empty and begins with no hyphen";
                        problems.report(&format!("key.keyring.{below}"), what);
                    }
                }
                let (service, account) = (service.as_str().into(), account.as_str().into());
                Some(KeySource::Keyring { service, account })
            }
            (None, None, None, Some(file)) => {
                if !file.is_absolute() {
                    problems.report("key.file", "write the whole path, which begins with /");
                }
                Some(KeySource::File(file.clone()))
            }
            _ => {
                let what = "set exactly one of `variable`, `command`, `keyring` and `file`";
                problems.report("key", what);
                None
            }
        }
    }
}
