//! Personal data in logs to tokens that stay the same: users, hosts, addresses, e-mails, home folders.
//!
//! In reading order: what a token is, how each kind of data is recognised, and the one pass over a text
//! that puts tokens in their place. Nothing is stored; who has the key can compare.

mod token;

mod address;
mod context;
mod email;
mod home;
mod known;

mod find;

mod anonymiser;

#[cfg(test)]
mod tests;

pub use anonymiser::{Anonymiser, HiddenSpan};
pub use known::KnownNames;
pub use token::{AnonymiserKey, BadToken, PersonalKind, PersonalToken};
