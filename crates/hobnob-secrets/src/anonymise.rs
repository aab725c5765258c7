//! Pseudonymises logs: replaces personal data (users, hosts, addresses, e-mails, home folders) by
//! stable tokens, and secrets by marks.
//!
//! In reading order: tokens, recognisers of each kind of data, the pass over a text that runs them,
//! and the replacement. No value is stored; with the key, a token can be compared with a value.

mod token;

mod account;
mod address;
mod device;
mod email;
mod hardware;
mod home;
mod known;
mod names;
mod security_id;

mod around;
mod cue;
mod form;
mod keys;
mod sentence;

mod words;

mod word_scan;

mod find;

mod hidden;

mod anonymiser;

#[cfg(test)]
mod tests;

pub use anonymiser::{Anonymiser, HiddenSpan};
pub use known::KnownNames;
pub use token::{AnonymiserKey, BadToken, PersonalKind, PersonalToken};
