//! Other people's programs that our tests run against: what they are, and having them here.
//!
//! `test` and `conformance` call in. A peer that cannot be had is named with its reason, never
//! silently left out.

mod command;
mod install;
mod manifest;
mod roster;

pub(crate) use command::{Args, install_all, install_clients, run};
pub(crate) use install::{debian as install_debian, install};
pub(crate) use manifest::{
    CONFORMANCE, CONFORMANCE_LEGACY, FASTMCP, FD, MCP_PROXY, Peer, RIPGREP, Registry, SUPERGATEWAY,
    WEIGHTS,
};
pub(crate) use roster::Roster;
