//! The programs that are compared, by group: how each is had, and how it is started for a case.

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
