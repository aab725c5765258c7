//! A running hub's description of itself, which `hobnob hubs` shows.
//!
//! The control socket sends it, and the commands read it.

use crate::local_clients::LocalClients;
use crate::running_program::{ProgramFile, build};
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
    /// By a pipe, to learn servers' lists; it ends soon after its last client.
    Background,
}

/// A running hub, as commands show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubDescription {
    /// The id of its process.
    pub pid: u32,
    /// How it was started.
    pub kind: HubKind,
    /// The project whose servers it runs.
    pub project: PathBuf,
    /// The build of its program.
    pub version: String,
    /// Whether its program file was replaced or removed since it started.
    #[serde(default)]
    pub replaced: bool,
    /// The seconds since it was started.
    pub uptime_seconds: u64,
    /// Pipes and commands that are connected to its local socket.
    pub clients: usize,
}

impl HubDescription {
    /// How its program differs from this one, and what to do; `None` if it does not.
    pub fn outdated(&self) -> Option<OutdatedHub> {
        let hub = format!("the running hub (process {})", self.pid);
        let what = if self.version != build() {
            format!("{hub} is hobnob {}, and this program is {}", self.version, build())
        } else if self.replaced {
            format!("the program of {hub} was replaced or removed since it started")
        } else {
            return None;
        };
        let remedy = match self.kind {
            HubKind::Background | HubKind::Pipe => {
                "restart the clients that use it; it ends with them".to_owned()
            }
            HubKind::Listener => format!(
                "hobnob stop {}, then start it again as before; a service: systemctl --user \
                 restart hobnob",
                self.pid
            ),
        };
        Some(OutdatedHub { what, remedy })
    }
}

/// A hub that runs another program than the command that asks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}; to use the new one: {remedy}")]
pub struct OutdatedHub {
    /// Which hub it is, and what differs.
    pub what: String,
    /// How a person gets the hub to run the new program.
    pub remedy: String,
}

/// The facts that the description is made from.
#[derive(Clone)]
pub(crate) struct HubFacts {
    pub(crate) kind: HubKind,
    pub(crate) project: PathBuf,
    pub(crate) started: Instant,
    pub(crate) program: Option<ProgramFile>,
    pub(crate) clients: LocalClients,
}

impl HubFacts {
    pub(crate) fn describe(&self) -> HubDescription {
        HubDescription {
            pid: std::process::id(),
            kind: self.kind,
            project: self.project.clone(),
            version: build().to_owned(),
            replaced: self.program.as_ref().is_some_and(ProgramFile::is_replaced),
            uptime_seconds: self.started.elapsed().as_secs(),
            clients: self.clients.count(),
        }
    }
}
