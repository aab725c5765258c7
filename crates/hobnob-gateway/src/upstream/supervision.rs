//! Chooses the supervisor of a server's program, so that no process survives Hobnob.
//!
//! `launch` asks for each program it starts; what the machine supports is detected once.

use hobnob_config::ConfinementLevel;
use hobnob_mcp_process::child::Supervision;
use hobnob_mcp_process::supervisor::{Level, detect};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How servers' processes are supervised. The machine is examined when the first server starts: a
/// hub without servers need not do it.
#[derive(Debug, Clone)]
pub struct SupervisionPolicy {
    /// Hobnob's own program, which is also the supervisor.
    supervisor: PathBuf,
    /// The level in the settings; a server's own entry may override it.
    wanted: ConfinementLevel,
    found: Arc<OnceLock<Level>>,
}

impl SupervisionPolicy {
    /// A policy with `supervisor` as the supervising program.
    pub fn new(supervisor: PathBuf, wanted: ConfinementLevel) -> Self {
        Self { supervisor, wanted, found: Arc::default() }
    }

    /// Takes over changed settings.
    pub(super) fn adopt(&mut self, wanted: ConfinementLevel) {
        self.wanted = wanted;
    }

    pub(super) fn supervisor(&self) -> &Path {
        &self.supervisor
    }

    pub(super) async fn for_server(&self, own: ConfinementLevel) -> Supervision {
        let wanted = if own == ConfinementLevel::Auto { self.wanted } else { own };
        let level = match wanted {
            ConfinementLevel::Namespace => Level::Namespace,
            ConfinementLevel::Subreaper => Level::Subreaper,
            ConfinementLevel::Group => Level::Group,
            ConfinementLevel::Auto => self.detect().await,
        };
        Supervision::Supervisor { program: self.supervisor.clone(), level }
    }

    /// Detects the best level that this machine supports.
    pub async fn detect(&self) -> Level {
        if let Some(level) = self.found.get() {
            return *level;
        }
        let (supervisor, found) = (self.supervisor.clone(), Arc::clone(&self.found));
        let detecting =
            tokio::task::spawn_blocking(move || *found.get_or_init(|| detect(&supervisor)));
        detecting.await.unwrap_or(Level::Group)
    }
}
