//! From a permit to running processes: the only place where a permitted program is started.
//!
//! Program, words, folder, variables and sandbox are read from the permit. The program must not be
//! Hobnob, under whatever name; what else it is, the person who granted its path has decided.

use super::environment::{CommandHome, ForbiddenVariable, check, environment_of};
use super::launch_options::LaunchOptions;
use super::scratch::{CommandScratch, ScratchFolders};
use hobnob_machine::files::{
    CommandFolders, CommandPlaces, FileError, HiddenFolders, OpenedFolder, VisibleFolder,
};
use hobnob_mcp_process::runner::{
    CommandInput, PoolOptions, ProcessPipes, ProcessTree, ProgramStart, RunnerPool, RunnerSpec,
    StartError, StartFolder,
};
use hobnob_mcp_process::supervisor::{Level, detect, sandbox_support};
use hobnob_mcp_process::{
    FileIdentity, NetworkAccess, ProcessLimits, SCRATCH, Sandbox, SandboxLevel, SandboxPath,
    landlock_support,
};
use hobnob_policy::{NetworkRule, Permit, RootAccess, RootRule, RunCommand, SandboxRule};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::OnceCell;

/// Open descriptors of each process of a command.
const DESCRIPTORS: u64 = 1024;
/// How long a command waits for another to end before it is refused.
const WAIT: Duration = Duration::from_secs(2);

/// Why a command does not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    /// The caller set a variable that is never set.
    #[error(transparent)]
    Variable(#[from] ForbiddenVariable),
    /// The working folder cannot be used.
    #[error("the working folder {0}")]
    Folder(#[from] FileError),
    /// It would have been Hobnob.
    #[error("Hobnob itself is never run as a command")]
    OwnProgram,
    /// The program cannot be run.
    #[error("the program cannot be started: {0}")]
    Program(&'static str),
    /// The grant asks for a better sandbox than the machine has.
    #[error(
        "the command may only run in a sandbox of level `{needed}` or better, and this machine has \
         `{found}`: `hobnob doctor` says why; to accept less, grant it again with `--sandbox {accepts}`"
    )]
    NoSandbox { needed: SandboxLevel, found: SandboxLevel, accepts: &'static str },
    /// The runner could not enter its sandbox.
    #[error(
        "the sandbox of the command could not be set up: `hobnob doctor` tries it and says why"
    )]
    SandboxFailed,
    /// The command would reach this hub over loopback, as its owner.
    #[error(
        "the command may use the network, and this kernel cannot keep it away from Hobnob's own \
         address (that needs Linux 6.7): stop `hobnob serve --http`, or grant it without `--network`"
    )]
    OpenPorts,
    /// Hobnob is root, and the grant does not say that the command may be.
    #[error(
        "Hobnob runs as root, and this grant lets no command run as root: run Hobnob as an ordinary \
         user, or grant the command again with `--as-root`"
    )]
    AsRoot,
    /// As many commands run as may.
    #[error("too many commands run at once: wait for one to end, or stop one")]
    Busy,
    /// The machine does not let us; the log says more.
    #[error("no process could be started: `hobnob doctor` says what this machine allows")]
    Machine,
}

/// A command that runs, with the folder that is its own.
#[derive(Debug)]
pub(crate) struct LaunchedCommand {
    pub(crate) tree: ProcessTree,
    pub(crate) pipes: ProcessPipes,
    /// Given back once the command has ended.
    pub(crate) scratch: Option<CommandScratch>,
}

/// Where a command starts.
struct CommandPlace {
    start: StartFolder,
    /// A folder on disk for its home and its temporary files.
    scratch: Option<CommandScratch>,
}

/// Starts commands in runners that wait for them.
#[derive(Debug)]
pub(crate) struct CommandLauncher {
    options: LaunchOptions,
    folders: Arc<CommandFolders>,
    scratch: Arc<ScratchFolders>,
    /// Made with the first command, since it needs the runtime.
    pool: OnceLock<RunnerPool>,
    level: OnceCell<Level>,
    sandbox: OnceCell<SandboxLevel>,
    /// Which file Hobnob is.
    own_file: Option<FileIdentity>,
}

/// Which file is at this path now.
fn identity_of(path: &Path) -> io::Result<FileIdentity> {
    let facts = std::fs::metadata(path)?;
    Ok(FileIdentity { device: facts.dev(), inode: facts.ino() })
}

impl CommandLauncher {
    pub(crate) fn new(options: LaunchOptions) -> Self {
        let hidden = HiddenFolders::new(options.hidden.iter().cloned());
        Self {
            folders: Arc::new(CommandFolders::new(hidden)),
            scratch: ScratchFolders::new(options.scratch.clone()),
            pool: OnceLock::new(),
            level: OnceCell::new_with(options.level),
            sandbox: OnceCell::new(),
            own_file: identity_of(&options.runner).ok(),
            options,
        }
    }

    /// Starts what the permit says, with this much CPU time. `owner` keeps the commands of different
    /// callers apart: they never share a runner.
    pub(crate) async fn launch(
        &self,
        permit: &Permit<RunCommand>,
        cpu: Duration,
        owner: &str,
        input: CommandInput,
    ) -> Result<LaunchedCommand, LaunchError> {
        let command = permit.request();
        check(command)?;
        self.refuse_own_program(command.program())?;
        if is_root() && command.root() == RootRule::Refused {
            return Err(LaunchError::AsRoot);
        }
        let sandbox_level = self.sandbox_level(command.sandbox()).await?;
        let CommandPlaces { start, visible } = self.folders.open(permit)?;
        let place = self.place(start, sandbox_level)?;
        let home = match (&place.scratch, sandbox_level) {
            (_, None) => CommandHome::Own(own_home()),
            (Some(scratch), Some(_)) => CommandHome::Scratch(scratch.path()),
            (None, Some(_)) => CommandHome::Scratch(Path::new(SCRATCH)),
        };
        let level = self.level().await;
        let sandbox = match sandbox_level {
            None => None,
            Some(level) => {
                let network = self.network(command.network())?;
                let scratch = place.scratch.as_ref();
                Some(sandbox_of(command, visible, scratch, level, network))
            }
        };
        let LaunchOptions { memory, processes, markers, search_path, .. } = &self.options;
        let (memory, processes) = (*memory, *processes);
        let limits = ProcessLimits { memory, processes, cpu, descriptors: DESCRIPTORS };
        let spec = RunnerSpec { limits, sandbox, level, key: owner.to_owned() };
        let own = |name: &str| std::env::var_os(name);
        let environment = environment_of(command, home, markers, *search_path, own);
        let program = ProgramStart {
            program: command.program().into(),
            arguments: command.arguments().to_vec(),
            environment,
            folder: place.start,
            input,
        };
        let started = self.pool().start(&spec, program).await;
        let (tree, pipes) = started.map_err(|error| explain(&error))?;
        Ok(LaunchedCommand { tree, pipes, scratch: place.scratch })
    }

    /// The folder to start in, and an empty one on disk for a command whose sandbox has none.
    fn place(
        &self,
        start: OpenedFolder,
        sandbox: Option<SandboxLevel>,
    ) -> Result<CommandPlace, LaunchError> {
        let start = match start {
            OpenedFolder::Granted(folder) => Some(StartFolder::Opened(folder)),
            OpenedFolder::Scratch => None,
        };
        match (start, sandbox) {
            (start, Some(SandboxLevel::Full)) => {
                let start = start.unwrap_or(StartFolder::Scratch);
                Ok(CommandPlace { start, scratch: None })
            }
            (Some(start), None) => Ok(CommandPlace { start, scratch: None }),
            (start, _) => {
                let (scratch, folder) = self.scratch.take().map_err(|error| {
                    tracing::warn!(%error, "no empty folder can be made for a command");
                    LaunchError::Machine
                })?;
                let start = start.unwrap_or(StartFolder::Opened(folder));
                Ok(CommandPlace { start, scratch: Some(scratch) })
            }
        }
    }

    /// The best sandbox that this machine has, if it satisfies the grant; none if the grant wants none.
    async fn sandbox_level(&self, rule: SandboxRule) -> Result<Option<SandboxLevel>, LaunchError> {
        let (needed, accepts) = match rule {
            SandboxRule::Off => return Ok(None),
            SandboxRule::Full => (SandboxLevel::Full, "on"),
            SandboxRule::Partial => (SandboxLevel::Partial, "any"),
            SandboxRule::Any => (SandboxLevel::Weak, "any"),
        };
        let find = async || {
            let runner = self.options.runner.clone();
            let found = tokio::task::spawn_blocking(move || sandbox_support(&runner)).await;
            found.map_or(SandboxLevel::Weak, |support| support.level)
        };
        let best = *self.sandbox.get_or_init(find).await;
        // A root of its own needs a PID namespace around it.
        let found = match self.level().await {
            Level::Namespace => best,
            Level::Subreaper | Level::Group => best.min(SandboxLevel::Partial),
        };
        if found < needed {
            return Err(LaunchError::NoSandbox { needed, found, accepts });
        }
        Ok(Some(found))
    }

    /// The network that a grant gives, without the ports that lead back into this hub.
    fn network(&self, rule: NetworkRule) -> Result<NetworkAccess, LaunchError> {
        if rule == NetworkRule::Denied {
            return Ok(NetworkAccess::Denied);
        }
        let closed_ports = self.options.own_ports.open_now();
        if !closed_ports.is_empty() && !landlock_support().closes_ports() {
            return Err(LaunchError::OpenPorts);
        }
        Ok(NetworkAccess::Host { closed_ports })
    }

    fn refuse_own_program(&self, program: &Path) -> Result<(), LaunchError> {
        let file =
            identity_of(program).map_err(|error| LaunchError::Program(reason(error.kind())))?;
        if self.own_file == Some(file) { Err(LaunchError::OwnProgram) } else { Ok(()) }
    }

    /// What this machine allows, found out once.
    async fn level(&self) -> Level {
        let find = async || {
            let runner = self.options.runner.clone();
            tokio::task::spawn_blocking(move || detect(&runner)).await.unwrap_or(Level::Group)
        };
        *self.level.get_or_init(find).await
    }

    fn pool(&self) -> &RunnerPool {
        self.pool.get_or_init(|| {
            let usual = PoolOptions::new(self.options.runner.clone());
            RunnerPool::new(PoolOptions { parallel: self.options.parallel, wait: WAIT, ..usual })
        })
    }
}

/// What a command finds on its input that gets all of it at once.
pub(crate) fn whole_input(command: &RunCommand) -> CommandInput {
    if command.input().is_empty() { CommandInput::Nothing } else { CommandInput::Pipe }
}

/// What the command can reach.
fn sandbox_of(
    command: &RunCommand,
    visible: Vec<VisibleFolder>,
    scratch: Option<&CommandScratch>,
    level: SandboxLevel,
    network: NetworkAccess,
) -> Sandbox {
    // The program itself may lie outside of the system's folders.
    let mut read = vec![SandboxPath::unchecked(command.program())];
    let mut write: Vec<_> =
        scratch.into_iter().map(|it| SandboxPath::unchecked(it.path())).collect();
    for VisibleFolder { path, access, device, inode } in visible {
        let identity = Some(FileIdentity { device, inode });
        match access {
            RootAccess::Read => &mut read,
            RootAccess::Write => &mut write,
        }
        .push(SandboxPath { path, identity });
    }
    Sandbox { level, read, write, network }
}

/// What a caller learns; the log has what the machine said.
fn explain(error: &StartError) -> LaunchError {
    tracing::debug!(%error, "a command was not started");
    match error {
        StartError::Program(error) => LaunchError::Program(reason(error.kind())),
        StartError::Restriction(why) => {
            tracing::warn!(%why, "a runner cannot enter its sandbox");
            LaunchError::SandboxFailed
        }
        StartError::Busy(_) => LaunchError::Busy,
        StartError::Runner(_) => LaunchError::Machine,
    }
}

/// The kind of a failure, without what the system says about paths and users.
fn reason(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::NotFound => "it does not exist, or what interprets it does not",
        io::ErrorKind::PermissionDenied => "it may not be run",
        io::ErrorKind::ArgumentListTooLong => "its arguments and variables are too long",
        _ => "the system does not take it for a program",
    }
}

/// Whether Hobnob runs as root.
fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// The home of the user that Hobnob runs as.
fn own_home() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}
