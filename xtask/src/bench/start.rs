//! How a server is started, whatever kind of program it is.
//!
//! `gateways` and `builtins` make these; `measure` hands them to the load generator.

use std::path::Path;

/// The bare loop that all others are compared with.
pub(super) const RAW: &str = "raw";
/// The bare proxy that gateways are compared with.
pub(super) const PROXY: &str = "raw proxy";
/// The only server that is held to targets.
pub(super) const OURS: &str = "ours";

/// Programs that do by themselves what a service does; no two of them have a case in common.
pub(super) const BESIDE: [&str; 3] = ["fork and exec", "rg", "fd"];
/// The same as the first of them, started without a copy of memory.
pub(super) const SPAWN: &str = "posix_spawn";

/// How the load generator starts a server and what it has to know about it.
#[derive(Clone, Default)]
pub(super) struct Start {
    /// It puts a free port into it.
    pub(super) command: Vec<String>,
    /// What the load generator has to do with it.
    pub(super) role: StartRole,
    /// What differs from our own environment.
    pub(super) environment: Vec<(&'static str, String)>,
    /// What the echo tool is called there.
    pub(super) tool: String,
    /// The program of the servers behind it, where there are any.
    pub(super) upstream: String,
    /// A folder with files that a job's arguments name.
    pub(super) folder: String,
}

/// What a started program is to the load generator.
#[derive(Clone, Copy, Default)]
pub(super) enum StartRole {
    #[default]
    Server,
    /// It runs to its end and answers nobody.
    Program(StartCall),
}

/// How the system is asked to start a program.
#[derive(Clone, Copy)]
pub(super) enum StartCall {
    /// With `posix_spawn`, which copies no memory.
    Spawn,
    /// With `fork` and `exec`.
    Fork,
}

/// A path as a word of a command.
pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
