//! The compared programs, by group: how to get each one, and how to start it for a case.

mod builder;
mod start;

mod file_tree;
mod gateways;
mod hub;
mod machine;

mod server;

mod build;

pub(super) use build::Built;
pub(super) use server::Server;
pub(super) use start::{Start, text};
