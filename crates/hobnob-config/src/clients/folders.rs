//! The folders in which other clients keep their settings, on each system.
//!
//! `program` joins file names to them. Only this file knows which variables move a folder.

use std::path::{Path, PathBuf};

use crate::places::Places;

/// The system whose conventions apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostSystem {
    /// Linux and other systems that follow the XDG specification.
    Linux,
    /// macOS, where applications keep their settings in `Library`.
    Mac,
    /// Windows, where `APPDATA` names the folder of applications.
    Windows,
}

impl HostSystem {
    /// The system that this program was built for.
    pub fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Linux
        }
    }
}

/// The folders in which clients look for their files. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFolders {
    pub(super) home: PathBuf,
    pub(super) project: PathBuf,
    /// The settings folder of applications with a window.
    pub(super) applications: PathBuf,
    /// The folder of Zed's settings, which differs between systems.
    pub(super) zed: PathBuf,
    /// Codex's folder, which `CODEX_HOME` moves.
    pub(super) codex: PathBuf,
    /// The folder of `.claude.json`, which `CLAUDE_CONFIG_DIR` moves.
    pub(super) claude: PathBuf,
}

impl ClientFolders {
    /// The folders according to the environment of this process.
    pub fn detect(places: &Places) -> Self {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        Self::detect_from(places, HostSystem::current(), &variable)
    }

    /// The folders for a system and an environment that the caller supplies.
    pub fn detect_from(
        places: &Places,
        system: HostSystem,
        variable: &dyn Fn(&str) -> Option<PathBuf>,
    ) -> Self {
        // A relative path would mean another folder for each working folder.
        let folder = |name: &str, default: PathBuf| {
            variable(name).filter(|it| it.is_absolute()).unwrap_or(default)
        };
        let home = places.home.as_path();
        let roaming = || folder("APPDATA", home.join("AppData").join("Roaming"));
        let xdg = || folder("XDG_CONFIG_HOME", home.join(".config"));
        let (applications, zed) = match system {
            HostSystem::Linux => (xdg(), xdg().join("zed")),
            HostSystem::Mac => {
                (home.join("Library").join("Application Support"), home.join(".config").join("zed"))
            }
            HostSystem::Windows => (roaming(), roaming().join("Zed")),
        };
        Self {
            applications,
            zed,
            codex: folder("CODEX_HOME", home.join(".codex")),
            claude: folder("CLAUDE_CONFIG_DIR", home.into()),
            home: home.into(),
            project: places.project.clone(),
        }
    }

    /// The folder of the project.
    pub fn project(&self) -> &Path {
        &self.project
    }
}
