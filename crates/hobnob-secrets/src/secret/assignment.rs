//! Secrets by name: `DB_PASSWORD=…`, `"apiKey": "…"`, "the password is …".
//!
//! A trigger word leads to a name, a connector and a value, each parsed in its own file.

mod connector;
mod find;
pub(crate) mod judge;
mod look_alike;
mod name;
mod value;

pub(crate) use find::{find, find_session};
