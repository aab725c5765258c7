//! Which supervisor stands between us and a server's program, so that nothing of it survives us.
//!
//! `launch` asks for each program that it starts; what the machine allows is found out once.

use hobnob_config::ConfinementLevel;
use hobnob_mcp_process::child::Supervision;
use hobnob_mcp_process::supervisor::{Level, detect};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How servers' processes are supervised, found out when the first one is started: a hub without
/// any need not.
#[derive(Debug, Clone)]
pub struct SupervisionPolicy {
    /// Our own program, which is also the supervisor.
    supervisor: PathBuf,
    /// What the settings say; a server's own entry may say otherwise.
    wanted: ConfinementLevel,
    found: Arc<OnceLock<Level>>,
}

impl SupervisionPolicy {
    /// Supervisors are this program.
    pub fn new(supervisor: PathBuf, wanted: ConfinementLevel) -> Self {
        Self { supervisor, wanted, found: Arc::default() }
    }

    /// Takes over what other settings say.
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

    /// What this machine allows.
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
