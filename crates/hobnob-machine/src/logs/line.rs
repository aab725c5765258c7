//! One line of a text log: whether an entry begins with it, and its parts.
//!
//! Each file of this folder parses one family of formats. Nothing here fails: text that is not
//! recognised becomes part of the message.

mod stamp;

mod access;
mod app;
mod json;
mod logfmt;
mod parsed;
mod syslog;

mod begin;
mod parse;

#[cfg(test)]
mod tests;

pub(crate) use begin::begins_entry;
pub(crate) use parse::parse_line;
pub(crate) use stamp::LineClock;
