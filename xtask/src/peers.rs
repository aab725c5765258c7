//! Other projects' programs that our tests run against: their versions and their installation.
//!
//! `test` and `conformance` call in. A peer that cannot be installed is reported with the reason,
//! never silently skipped.

mod command;
mod install;
mod manifest;
mod roster;

pub(crate) use command::{Args, install_all, install_clients, run};
pub(crate) use install::{debian as install_debian, install};
pub(crate) use manifest::{
    CONFORMANCE, CONFORMANCE_LEGACY, FASTMCP, FD, GTE_SMALL, MCP_PROXY, MULTILINGUAL, Peer,
    RIPGREP, Registry, SUPERGATEWAY, WEIGHTS,
};
pub(crate) use roster::Roster;
