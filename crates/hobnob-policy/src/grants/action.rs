//! What a permit for the machine carries: the exact action, found and checked.
//!
//! Only this folder makes actions, and nobody changes one: the fields are private and there are
//! readers only. An effect takes a permit and reads from it what it does.
//!
//! ```compile_fail,E0451
//! use hobnob_policy::{FileAction, FileOperation, GrantedPath, Permit};
//! fn elsewhere(permit: Permit<FileAction>, path: GrantedPath) -> FileAction {
//!     // error[E0451]: the fields of an action are private
//!     FileAction { path, operation: FileOperation::Stat }
//! }
//! ```
//!
//! ```compile_fail,E0616
//! use hobnob_policy::{Permit, RunCommand};
//! fn another_program(permit: Permit<RunCommand>) -> RunCommand {
//!     let mut command = permit.into_request();
//!     command.program = "/bin/rm".into(); // error[E0616]: the field is private
//!     command
//! }
//! ```

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::glob::Glob;
use crate::grants::file_operation::FileOperation;
use crate::grants::file_root::{FileRoot, GrantedPath, RootAccess};
use crate::grants::log_query::LogOperation;
use crate::grants::registry_key::{KeyView, RegistryKey};
use crate::grants::registry_value::KeyOperation;
use crate::grants::relative_path::RelativePath;

/// An operation on a place beneath a granted folder.
#[derive(Debug)]
pub struct FileAction {
    pub(super) path: GrantedPath,
    pub(super) operation: FileOperation<GrantedPath>,
}

impl FileAction {
    /// The place it is done at.
    #[must_use]
    pub fn path(&self) -> &GrantedPath {
        &self.path
    }

    /// What is done there.
    #[must_use]
    pub fn operation(&self) -> &FileOperation<GrantedPath> {
        &self.operation
    }
}

/// How well a command must be confined to what its grant names. Where the machine cannot do that, it
/// does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SandboxRule {
    /// By a root and namespaces of its own.
    Full,
    /// At least so that it reads and writes no other files and opens no sockets.
    Partial,
    /// As well as the machine can, which may be not at all.
    Any,
    /// Not at all: it sees all that its user sees.
    Off,
}

/// The network of a command that is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NetworkRule {
    /// None but a loopback interface of its own.
    Denied,
    /// The network of the machine, its loopback interface included.
    Host,
}

/// Whether a command may run as root, where Hobnob does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootRule {
    /// It does not run then.
    Refused,
    /// The person who granted it has said so.
    Allowed,
}

/// A folder that a confined command sees, and whether it may write there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SandboxFolder {
    pub(super) root: Arc<FileRoot>,
    pub(super) access: RootAccess,
}

impl SandboxFolder {
    /// The folder that was granted with the command.
    #[must_use]
    pub fn root(&self) -> &Arc<FileRoot> {
        &self.root
    }

    /// What the command may do in it; less than the grant says while the service may only read.
    #[must_use]
    pub fn access(&self) -> RootAccess {
        self.access
    }
}

/// The folder a command starts in; a grant without folders has one of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkingFolder {
    /// In an empty folder of its own, since none was granted with it.
    Scratch,
    /// At a place in a granted folder.
    Granted(GrantedPath),
}

impl WorkingFolder {
    /// The top of a granted folder, for a caller that names no place.
    pub(super) fn root_of(root: &Arc<FileRoot>) -> Self {
        Self::Granted(GrantedPath::new(root, RelativePath::root()))
    }
}

/// A command that is run: a program by its absolute path, and never through a search path.
pub struct RunCommand {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<OsString>,
    pub(super) working_folder: WorkingFolder,
    pub(super) folders: Vec<SandboxFolder>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) input: Vec<u8>,
    pub(super) timeout: Duration,
    pub(super) sandbox: SandboxRule,
    pub(super) network: NetworkRule,
    pub(super) root: RootRule,
}

impl RunCommand {
    /// The file that is run.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The words behind the program's name; each is one argument, whatever is in it.
    #[must_use]
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// The folder it runs in.
    #[must_use]
    pub fn working_folder(&self) -> &WorkingFolder {
        &self.working_folder
    }

    /// The folders it sees if it is confined.
    #[must_use]
    pub fn folders(&self) -> &[SandboxFolder] {
        &self.folders
    }

    /// The variables that the caller set, all of them allowed by name.
    #[must_use]
    pub fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// What it reads from its standard input.
    #[must_use]
    pub fn input(&self) -> &[u8] {
        &self.input
    }

    /// How long it may run.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// How well it must be confined.
    #[must_use]
    pub fn sandbox(&self) -> SandboxRule {
        self.sandbox
    }

    /// The network it has if it is confined.
    #[must_use]
    pub fn network(&self) -> NetworkRule {
        self.network
    }

    /// Whether it may run as root.
    #[must_use]
    pub fn root(&self) -> RootRule {
        self.root
    }
}

/// Arguments, variables and input may be secrets: they are never shown.
impl fmt::Debug for RunCommand {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunCommand")
            .field("program", &self.program)
            .field("arguments", &self.arguments.len())
            .field("working_folder", &self.working_folder)
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}

/// A query of one log.
#[derive(Debug)]
pub struct LogAction {
    pub(super) system: Option<Box<str>>,
    pub(super) files: Vec<GrantedPath>,
    pub(super) operation: LogOperation,
}

impl LogAction {
    /// The name of the system's log, if such a log is granted.
    #[must_use]
    pub fn system_log(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// The files it can be, the first that exists counts; without a system's log at least one.
    #[must_use]
    pub fn files(&self) -> &[GrantedPath] {
        &self.files
    }

    /// What is asked of it.
    #[must_use]
    pub fn operation(&self) -> &LogOperation {
        &self.operation
    }
}

/// The logs that may be listed.
#[derive(Debug)]
pub struct LogListing {
    pub(super) names: Vec<Glob>,
    pub(super) folders: Vec<Arc<FileRoot>>,
}

impl LogListing {
    /// Whether a log that the system names so may be listed.
    #[must_use]
    pub fn shows(&self, system_log: &str) -> bool {
        self.names.iter().any(|glob| glob.matches(system_log))
    }

    /// The folders whose log files may be listed.
    #[must_use]
    pub fn folders(&self) -> &[Arc<FileRoot>] {
        &self.folders
    }
}

/// An operation on one key of a registry.
#[derive(Debug)]
pub struct KeyAction {
    pub(super) key: RegistryKey,
    pub(super) view: KeyView,
    pub(super) operation: KeyOperation,
}

impl KeyAction {
    /// The key it is done at.
    #[must_use]
    pub fn key(&self) -> &RegistryKey {
        &self.key
    }

    /// Which of the two views of the registry.
    #[must_use]
    pub fn view(&self) -> KeyView {
        self.view
    }

    /// What is done there.
    #[must_use]
    pub fn operation(&self) -> &KeyOperation {
        &self.operation
    }
}
