//! Writes Hobnob's entry into the file of another client, and takes it out again.
//!
//! `hobnob connect` calls it. What must stay true: comments, order, layout and line ends outside of
//! the entry stay, and a file that cannot be read is never written.

mod json_text;
mod masked;
mod plan;
#[cfg(test)]
mod tests;
mod toml_text;

pub use plan::{ClientEditError, ConnectChange, ConnectPlan, ConnectRequest, is_connected};
