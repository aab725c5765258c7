//! Why an action on the Windows registry failed.
//!
//! The texts have no names: the caller knows the key, and the system's own text is not passed on.

use std::io;
use std::time::Duration;

/// An action on a registry that was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// `reg` did not find it. It does not say more, except in the language of the system.
    #[error("there is no such key or value, or this user may not read it")]
    Missing,
    /// `reg` did not change it, and gives the reason only in the language of the system.
    #[error("the system did not change it: it does not exist, or this user may not change it")]
    Refused,
    /// The request cannot be passed to `reg` unambiguously.
    #[error("{0}")]
    Unusable(&'static str),
    /// The program did not end in time, and was killed.
    #[error("the registry gave no answer within {} s", .0.as_secs())]
    Late(Duration),
    /// The key or value has more data than is read at once.
    #[error("there is more than can be read at once: name a key further down, or one value")]
    TooMuch,
    /// The caller cancelled the action; a write may have happened.
    #[error("the action was cancelled")]
    Cancelled,
    /// The output is not what any version of `reg` prints.
    #[error("the program of the registry printed something that cannot be understood")]
    Unreadable,
    /// The program could not be run at all.
    #[error("the program of the registry cannot be run: {}", .0.kind())]
    NotRun(#[from] io::Error),
}
