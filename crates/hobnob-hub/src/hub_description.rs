//! What a running hub says of itself when a person asks: `hobnob hubs` shows it.
//!
//! The control socket answers with it, and the commands read it.

use crate::local_clients::LocalClients;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Instant;

/// How a hub was started, which decides when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HubKind {
    /// By a client, on its pipe; it ends with the client.
    Pipe,
    /// With `--http`; it ends when it is stopped.
    Listener,
    /// By a pipe, to learn what servers offer; it ends soon after its last client.
    Background,
}

/// A hub that runs, as commands show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubDescription {
    /// The process to stop or to look at.
    pub pid: u32,
    /// How it was started.
    pub kind: HubKind,
    /// The project whose servers it has.
    pub project: PathBuf,
    /// The version of its program.
    pub version: String,
    /// For how long it has run.
    pub uptime_seconds: u64,
    /// Pipes and commands that are connected to its local socket.
    pub clients: usize,
}

/// What the description is made from.
#[derive(Clone)]
pub(crate) struct HubFacts {
    pub(crate) kind: HubKind,
    pub(crate) project: PathBuf,
    pub(crate) started: Instant,
    pub(crate) clients: LocalClients,
}

impl HubFacts {
    pub(crate) fn describe(&self) -> HubDescription {
        HubDescription {
            pid: std::process::id(),
            kind: self.kind,
            project: self.project.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            uptime_seconds: self.started.elapsed().as_secs(),
            clients: self.clients.count(),
        }
    }
}
