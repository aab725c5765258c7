//! Everything that opens a door, by how it gives itself away: its form, its place, or its name.

mod assignment;
mod azure;
mod command_line;
pub(crate) mod discord;
mod header;
mod jwt;
mod private_key;
mod rules;
pub(crate) mod token;
mod tokens;
mod url;

pub(crate) use rules::RULES;
