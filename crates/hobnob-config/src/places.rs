//! Where everything is: the folders of this user and the files in them.
//!
//! The binary computes them once, from the environment and the command line; all other code only
//! reads them. All paths are absolute.

use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::make_folder;

use crate::digest::Digest;
use crate::project_files::{FILE, files_above, find_project};

/// The folders that options of the command line name.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--config-dir`, relative to the working folder.
    pub config_dir: Option<PathBuf>,
    /// `--data-dir`, relative to the working folder.
    pub data_dir: Option<PathBuf>,
    /// `--project`, relative to the working folder.
    pub project: Option<PathBuf>,
}

/// The folders of this user. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The user's home, or the folder in `HOBNOB_HOME` if nothing names a home.
    pub home: PathBuf,
    /// Files that the user writes.
    pub config_dir: PathBuf,
    /// Data that the user would miss: memories, tasks, models.
    pub data_dir: PathBuf,
    /// Files that Hobnob writes for itself: approvals, caches, the audit log.
    pub state_dir: PathBuf,
    /// Sockets and locks, which need not survive a restart.
    pub runtime_dir: PathBuf,
    /// The folder whose `.mcp.json` counts: the working folder or a parent that has such a file.
    pub project: PathBuf,
}

/// No variable says where the user's home is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the home folder is unknown: set HOME, or set HOBNOB_HOME to a folder for Hobnob's files")]
pub struct NoHome;

impl Places {
    /// The folders of Hobnob's own files, which no program of an assistant may see or be granted.
    pub fn own_folders(&self) -> Vec<PathBuf> {
        let Self { config_dir, data_dir, state_dir, runtime_dir, .. } = self;
        [config_dir, data_dir, state_dir, runtime_dir].map(Clone::clone).to_vec()
    }

    /// The places according to the environment of this process and the command line.
    pub fn detect(overrides: &Overrides) -> Result<Self, NoHome> {
        // If our working folder was deleted, its `.mcp.json` is just missing.
        let here = std::env::current_dir().unwrap_or_else(|_| std::env::temp_dir());
        Self::detect_from(overrides, &|name| std::env::var_os(name).map(PathBuf::from), &here)
    }

    /// The places for an environment and a working folder that the caller supplies.
    pub fn detect_from(
        overrides: &Overrides,
        variable: &dyn Fn(&str) -> Option<PathBuf>,
        here: &Path,
    ) -> Result<Self, NoHome> {
        let given = |name: &str| variable(name).filter(|it| !it.as_os_str().is_empty());
        // The XDG specification says to ignore relative paths.
        let absolute = |name: &str| given(name).filter(|it| it.is_absolute());
        let own_home = given("HOBNOB_HOME").map(|it| here.join(it));
        let home = absolute(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
            .or_else(|| own_home.clone())
            .ok_or(NoHome)?;
        let mut folders = match own_home {
            Some(own) => Folders {
                config: own.join("config"),
                data: own.join("data"),
                state: own.join("state"),
                runtime: own.join("run"),
            },
            None => Folders::standard(&home, &absolute),
        };
        if let Some(config) = &overrides.config_dir {
            folders.config = here.join(config);
        }
        if let Some(data) = &overrides.data_dir {
            folders.data = here.join(data);
        }
        // Approvals are keyed by this path, so each folder needs one spelling.
        let real = |folder: PathBuf| folder.canonicalize().unwrap_or(folder);
        let project = match &overrides.project {
            Some(named) => real(here.join(named)),
            None => find_project(&real(here.into()), &home),
        };
        Ok(Self {
            home,
            config_dir: folders.config,
            data_dir: folders.data,
            state_dir: folders.state,
            runtime_dir: folders.runtime,
            project,
        })
    }

    /// `.mcp.json` in the user's home.
    pub fn user_mcp_json(&self) -> PathBuf {
        self.home.join(".mcp.json")
    }

    /// Hobnob's own list of servers.
    pub fn own_mcp_json(&self) -> PathBuf {
        self.config_dir.join("mcp.json")
    }

    /// `.mcp.json` of the project, unless it is the same file as in the user's home.
    pub fn project_mcp_json(&self) -> Option<PathBuf> {
        let file = self.project.join(FILE);
        let user = self.user_mcp_json();
        let same_folder = self.home.canonicalize().is_ok_and(|home| home == self.project);
        let same_file = match (file.canonicalize(), user.canonicalize()) {
            (Ok(file), Ok(user)) => file == user,
            _ => file == user,
        };
        (!same_folder && !same_file).then_some(file)
    }

    /// The files that count in the project, the outermost folder's first, the project's own last.
    pub fn project_mcp_jsons(&self) -> Vec<PathBuf> {
        let mut files = files_above(&self.project, &self.home);
        files.extend(self.project_mcp_json());
        files
    }

    /// `config.toml`, which need not exist.
    pub fn settings(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// The folder with the user's own profiles.
    pub fn profiles(&self) -> PathBuf {
        self.config_dir.join("profiles")
    }

    /// The file of `Approvals`.
    pub fn approvals(&self) -> PathBuf {
        self.state_dir.join("approvals.json")
    }

    /// Copies of server files and of the settings, from before a command changed them.
    pub fn backups(&self) -> PathBuf {
        self.state_dir.join("backups")
    }

    /// What a person granted to the services of the machine; `GrantsFile` reads and writes it.
    pub fn grants(&self) -> PathBuf {
        self.state_dir.join("grants.json")
    }

    /// A secret for the owner's scripts: with it, they may do things that else need a terminal.
    pub fn owner_secret(&self) -> PathBuf {
        self.state_dir.join("owner-secret")
    }

    /// The secret of HTTP requests in mode `local`, where the kernel does not say who connects.
    pub fn listener_secret(&self) -> PathBuf {
        self.state_dir.join("listener-secret")
    }

    /// The static tokens that a person made; `TokensFile` reads and writes it.
    pub fn tokens(&self) -> PathBuf {
        self.state_dir.join("tokens.json")
    }

    /// When each static token was last used, as the listeners record it.
    pub fn token_uses(&self) -> PathBuf {
        self.state_dir.join("token-uses.json")
    }

    /// A file that is rewritten whenever a command changes users or ends logins.
    pub fn login_changes(&self) -> PathBuf {
        self.state_dir.join("login-changes")
    }

    /// Logins to servers, encrypted.
    pub fn logins(&self) -> PathBuf {
        self.state_dir.join("logins")
    }

    /// The newest file of the audit log.
    pub fn audit(&self) -> PathBuf {
        self.state_dir.join("audit.jsonl")
    }

    /// Catalogues of servers that are not running.
    pub fn catalogues(&self) -> PathBuf {
        self.state_dir.join("catalogues")
    }

    /// Vectors of tools' definitions, for any process that searches tools by meaning.
    pub fn tool_vectors(&self) -> PathBuf {
        self.state_dir.join("tool-vectors.bin")
    }

    /// One server's standard error, and when it started and ended. Another entry of the same name
    /// is another server.
    pub fn server_log(&self, name: &str, identity: &Digest) -> PathBuf {
        let key = Digest::of_parts(["server log", name, &identity.to_string()]);
        self.state_dir.join("logs").join(format!("{key}.log"))
    }

    /// The new path of a server's log when it is full.
    pub fn previous_log(log: &Path) -> PathBuf {
        log.with_extension("log.1")
    }

    /// Definitions of tools as they were accepted, for people to compare with.
    pub fn definitions(&self) -> PathBuf {
        self.state_dir.join("definitions")
    }

    /// The SQLite file with memories, tasks and long calls.
    pub fn store(&self) -> PathBuf {
        self.data_dir.join("hobnob.db")
    }

    /// The folder of installed embedding models.
    pub fn models(&self) -> PathBuf {
        self.data_dir.join("models")
    }

    /// A short stable key of the project, for names of sockets and other files.
    pub fn project_key(&self) -> String {
        let digest = Digest::of(self.project.as_os_str().as_encoded_bytes()).to_string();
        digest.chars().take(16).collect()
    }

    /// Every file whose change is a change of configuration.
    pub fn watched_files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.user_mcp_json(), self.own_mcp_json(), self.settings()];
        files.extend(self.project_mcp_jsons());
        files
    }

    /// Creates Hobnob's folders; only their owner may enter them.
    pub fn create(&self) -> io::Result<()> {
        [&self.config_dir, &self.data_dir, &self.state_dir, &self.runtime_dir]
            .into_iter()
            .try_for_each(|folder| {
                // The person has to know which of the four folders failed.
                let named = |error: io::Error| {
                    let message = format!("cannot make the folder {}: {error}", folder.display());
                    io::Error::new(error.kind(), message)
                };
                make_folder(folder).map_err(named)
            })
    }
}

struct Folders {
    config: PathBuf,
    data: PathBuf,
    state: PathBuf,
    runtime: PathBuf,
}

impl Folders {
    /// The locations that the system prescribes.
    fn standard(home: &Path, absolute: &dyn Fn(&str) -> Option<PathBuf>) -> Self {
        let folder = |variable: &str, default: &str| {
            absolute(variable).unwrap_or_else(|| home.join(default)).join("hobnob")
        };
        let (config, data, state) = if cfg!(windows) {
            let local = folder("LOCALAPPDATA", "AppData/Local");
            (folder("APPDATA", "AppData/Roaming"), local.join("data"), local)
        } else {
            (
                folder("XDG_CONFIG_HOME", ".config"),
                folder("XDG_DATA_HOME", ".local/share"),
                folder("XDG_STATE_HOME", ".local/state"),
            )
        };
        // Not `XDG_RUNTIME_DIR`: many clients start their servers without that variable, and these
        // servers must find the same hub as a command in a terminal.
        let runtime = state.join("run");
        Self { config, data, state, runtime }
    }
}
