//! Why something was not done with a registry. Every other file of this folder uses it.
//!
//! The texts name nothing: whoever asked knows the key, and the words of the system stay here.

use std::io;
use std::time::Duration;

/// An action on a registry that was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// `reg` says no more than that it did not find it, in the language of the system.
    #[error("there is no such key or value, or this user may not read it")]
    Missing,
    /// `reg` did not change it; why is only in words of the system.
    #[error("the system did not change it: it does not exist, or this user may not change it")]
    Refused,
    /// It cannot be handed to `reg` in a way that only has one meaning.
    #[error("{0}")]
    Unusable(&'static str),
    /// The program was ended, because it did not end by itself.
    #[error("the registry gave no answer within {} s", .0.as_secs())]
    Late(Duration),
    /// More than is read at once.
    #[error("there is more than can be read at once: name a key further down, or one value")]
    TooMuch,
    /// Nobody waits for it any more; a write may have happened.
    #[error("the action was cancelled")]
    Cancelled,
    /// Something was printed that no version of `reg` prints.
    #[error("the program of the registry printed something that cannot be understood")]
    Unreadable,
    /// The program could not be run at all.
    #[error("the program of the registry cannot be run: {}", .0.kind())]
    NotRun(#[from] io::Error),
}
