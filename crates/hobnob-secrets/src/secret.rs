//! Rules about secrets, which are recognised by form, by position, or by name.
//!
//! `trigger` and the scanner run them.

mod assignment;
mod azure;
mod command_line;
pub(crate) mod discord;
mod header;
mod jwt;
mod private_key;
mod rules;
pub(crate) mod token_pattern;
pub(crate) mod tokens;
mod url;

pub(crate) use rules::RULES;
