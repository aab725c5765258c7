//! From a permit to running processes: the only place where a permitted program is started.
//!
//! Program, arguments, folder, variables and sandbox come from the permit. The program must not be
//! Hobnob itself, under any name; the person who granted its path has approved everything else.

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

/// How many files each process of a command may have open.
const MAX_DESCRIPTORS: u64 = 1024;
/// How long a new command waits for a running one to end before it is refused.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Why a command was not started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    /// The caller set a variable that no command may have.
    #[error(transparent)]
    Variable(#[from] ForbiddenVariable),
    /// The working folder cannot be used.
    #[error("the working folder {0}")]
    Folder(#[from] FileError),
    /// The program is Hobnob itself.
    #[error("Hobnob itself is never run as a command")]
    OwnProgram,
    /// The program does not exist or cannot be run.
    #[error("the program cannot be started: {0}")]
    Program(&'static str),
    /// The grant requires a better sandbox than the machine offers.
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
    /// Hobnob is root, and the grant does not allow the command to be.
    #[error(
        "Hobnob runs as root, and this grant lets no command run as root: run Hobnob as an ordinary \
         user, or grant the command again with `--as-root`"
    )]
    AsRoot,
    /// The limit of running commands is reached.
    #[error("too many commands run at once: wait for one to end, or stop one")]
    Busy,
    /// The machine does not let Hobnob start a process; the log has the details.
    #[error("no process could be started: `hobnob doctor` says what this machine allows")]
    Machine,
}

/// A running command, with its own scratch folder.
#[derive(Debug)]
pub(crate) struct LaunchedCommand {
    pub(crate) tree: ProcessTree,
    pub(crate) pipes: ProcessPipes,
    /// To be given back once the command has ended.
    pub(crate) scratch: Option<CommandScratch>,
}

/// The folders in which a command starts and keeps its files.
struct CommandPlace {
    start: StartFolder,
    /// A folder on disk for the command's home and temporary files.
    scratch: Option<CommandScratch>,
}

/// Starts commands in runners: processes of the pool that wait for a command.
#[derive(Debug)]
pub(crate) struct CommandLauncher {
    options: LaunchOptions,
    folders: Arc<CommandFolders>,
    scratch: Arc<ScratchFolders>,
    /// Made with the first command, since it needs the async runtime.
    pool: OnceLock<RunnerPool>,
    level: OnceCell<Level>,
    sandbox: OnceCell<SandboxLevel>,
    /// The identity of Hobnob's own executable.
    own_file: Option<FileIdentity>,
}

/// The identity of the file at this path.
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

    /// Starts the permitted command with this much CPU time. Commands with different `owner`s never
    /// share a runner.
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
        let limits = ProcessLimits { memory, processes, cpu, descriptors: MAX_DESCRIPTORS };
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

    /// The folder to start in, with a scratch folder on disk unless the sandbox brings its own.
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

    /// The best sandbox of this machine, if it satisfies the grant; `None` if the grant wants none.
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
        // A root file system of its own needs a PID namespace around it.
        let found = match self.level().await {
            Level::Namespace => best,
            Level::Subreaper | Level::Group => best.min(SandboxLevel::Partial),
        };
        if found < needed {
            return Err(LaunchError::NoSandbox { needed, found, accepts });
        }
        Ok(Some(found))
    }

    /// The network access that a grant gives, without the ports that lead back into this hub.
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

    /// How well this machine can end a process tree, detected once.
    async fn level(&self) -> Level {
        let find = async || {
            let runner = self.options.runner.clone();
            tokio::task::spawn_blocking(move || detect(&runner)).await.unwrap_or(Level::Group)
        };
        *self.level.get_or_init(find).await
    }

    fn pool(&self) -> &RunnerPool {
        self.pool.get_or_init(|| {
            let base = PoolOptions::new(self.options.runner.clone());
            RunnerPool::new(PoolOptions { parallel: self.options.parallel, wait: MAX_WAIT, ..base })
        })
    }
}

/// The kind of input for a command that gets all of its input at once.
pub(crate) fn whole_input(command: &RunCommand) -> CommandInput {
    if command.input().is_empty() { CommandInput::Nothing } else { CommandInput::Pipe }
}

/// The sandbox: the files and the network that the command can reach.
fn sandbox_of(
    command: &RunCommand,
    visible: Vec<VisibleFolder>,
    scratch: Option<&CommandScratch>,
    level: SandboxLevel,
    network: NetworkAccess,
) -> Sandbox {
    // The program itself may be outside the system's folders.
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

/// The error for the caller; the details from the machine go to the log.
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

/// The kind of a failure, without paths and user names from the system's message.
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

/// The home folder of the user that runs Hobnob.
fn own_home() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}
