//! Personal data in logs to tokens that stay the same (users, hosts, addresses, e-mails, home folders),
//! and secrets to marks.
//!
//! In reading order: what a token is, how each kind of data is recognised, the pass over a text that
//! finds it, and what is put in its place. Nothing is stored; who has the key can compare.

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
