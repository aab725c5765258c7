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
    StartError,
};
use hobnob_mcp_process::supervisor::{Level, detect};
use hobnob_mcp_process::{
    FileIdentity, NetworkAccess, ProcessLimits, Sandbox, SandboxNeed, SandboxPath,
};
use hobnob_policy::{Permit, RootAccess, RunCommand, SandboxRule};
use std::io;
use std::os::fd::OwnedFd;
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
    /// The grant asks for a sandbox that the machine does not have.
    #[error(
        "the command may only run confined, and this machine cannot do that: `hobnob doctor` says why"
    )]
    NoSandbox,
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

/// Starts commands in runners that wait for them.
#[derive(Debug)]
pub(crate) struct CommandLauncher {
    options: LaunchOptions,
    folders: Arc<CommandFolders>,
    scratch: Arc<ScratchFolders>,
    /// Made with the first command, since it needs the runtime.
    pool: OnceLock<RunnerPool>,
    level: OnceCell<Level>,
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
        let CommandPlaces { start, visible } = self.folders.open(permit)?;
        let (folder, scratch) = self.place(start, command.sandbox())?;
        let home = match (&scratch, command.sandbox()) {
            (Some(scratch), SandboxRule::Required | SandboxRule::WhereAvailable) => {
                CommandHome::Scratch(scratch.path())
            }
            (_, SandboxRule::Off) | (None, _) => CommandHome::Own(own_home()),
        };
        let level = self.level().await;
        let sandbox = sandbox_of(command, visible, scratch.as_ref());
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
            folder,
            input,
        };
        let started = self.pool().start(&spec, program).await;
        let (tree, pipes) = started.map_err(|error| explain(&error))?;
        Ok(LaunchedCommand { tree, pipes, scratch })
    }

    /// The folder to start in, and an empty one for a command that needs one.
    fn place(
        &self,
        start: OpenedFolder,
        sandbox: SandboxRule,
    ) -> Result<(OwnedFd, Option<CommandScratch>), LaunchError> {
        let no_folder = |error: io::Error| {
            tracing::warn!(%error, "no empty folder can be made for a command");
            LaunchError::Machine
        };
        match (start, sandbox) {
            (OpenedFolder::Granted(folder), SandboxRule::Off) => Ok((folder, None)),
            (
                OpenedFolder::Granted(folder),
                SandboxRule::Required | SandboxRule::WhereAvailable,
            ) => {
                let (scratch, _) = self.scratch.take().map_err(no_folder)?;
                Ok((folder, Some(scratch)))
            }
            (OpenedFolder::Scratch, _) => {
                let (scratch, folder) = self.scratch.take().map_err(no_folder)?;
                Ok((folder, Some(scratch)))
            }
        }
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

/// What the command may see of the files, if its grant confines it.
fn sandbox_of(
    command: &RunCommand,
    visible: Vec<VisibleFolder>,
    scratch: Option<&CommandScratch>,
) -> Option<Sandbox> {
    let need = match command.sandbox() {
        SandboxRule::Off => return None,
        SandboxRule::Required => SandboxNeed::Required,
        SandboxRule::WhereAvailable => SandboxNeed::WherePossible,
    };
    // The program itself may lie outside of the system's folders.
    let mut read = vec![SandboxPath::whatever_is_at(command.program())];
    let mut write: Vec<_> =
        scratch.into_iter().map(|it| SandboxPath::whatever_is_at(it.path())).collect();
    for VisibleFolder { path, access, device, inode } in visible {
        let identity = Some(FileIdentity { device, inode });
        match access {
            RootAccess::Read => &mut read,
            RootAccess::Write => &mut write,
        }
        .push(SandboxPath { path, identity });
    }
    Some(Sandbox { read, write, network: NetworkAccess::Allowed, need })
}

/// What a caller learns; the log has what the machine said.
fn explain(error: &StartError) -> LaunchError {
    tracing::debug!(%error, "a command was not started");
    match error {
        StartError::Program(error) => LaunchError::Program(reason(error.kind())),
        StartError::Restriction(_) => LaunchError::NoSandbox,
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

/// The home of the user that Hobnob runs as.
fn own_home() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}
