//! What a permit for the machine carries: the exact action, resolved and checked.
//!
//! Only this folder makes actions, and they never change: the fields are private and have only
//! getters. An effect takes a permit and reads from it what it does.
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
    /// The place in the granted folder.
    #[must_use]
    pub fn path(&self) -> &GrantedPath {
        &self.path
    }

    /// The operation at that place.
    #[must_use]
    pub fn operation(&self) -> &FileOperation<GrantedPath> {
        &self.operation
    }
}

/// How well a command must be confined to the folders of its grant. Where the machine cannot
/// confine it so, it does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SandboxRule {
    /// It has a root and namespaces of its own.
    Full,
    /// At least, it reads and writes no other files and opens no sockets.
    Partial,
    /// It is confined as well as the machine can, which may be not at all.
    Any,
    /// It is not confined: it sees everything that its user sees.
    Off,
}

/// The network of a command that is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NetworkRule {
    /// It has only a loopback interface of its own.
    Denied,
    /// It has the machine's network, including the loopback interface.
    Host,
}

/// Whether a command may run as root if Hobnob does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RootRule {
    /// It does not run as root.
    Refused,
    /// It may run as root: the person who granted it said so.
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

    /// What the command may do in it; less than the grant says while the service is read-only.
    #[must_use]
    pub fn access(&self) -> RootAccess {
        self.access
    }
}

/// The folder in which a command starts. A grant without folders has one of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkingFolder {
    /// An empty folder of its own, since none was granted with the command.
    Scratch,
    /// A place in a granted folder.
    Granted(GrantedPath),
}

impl WorkingFolder {
    /// The top of a granted folder, for a caller that names no place.
    pub(super) fn root_of(root: &Arc<FileRoot>) -> Self {
        Self::Granted(GrantedPath::new(root, RelativePath::root()))
    }
}

/// A command to run: a program by its absolute path, never by a search path.
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
    /// The absolute path of the program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The words after the program's name; each is one argument and is never split.
    #[must_use]
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// The folder it runs in.
    #[must_use]
    pub fn working_folder(&self) -> &WorkingFolder {
        &self.working_folder
    }

    /// The folders the command sees if it is confined.
    #[must_use]
    pub fn folders(&self) -> &[SandboxFolder] {
        &self.folders
    }

    /// The variables that the caller set; the grant allows each by name.
    #[must_use]
    pub fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// What the command reads from its standard input.
    #[must_use]
    pub fn input(&self) -> &[u8] {
        &self.input
    }

    /// How long the command may run.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// How well the command must be confined.
    #[must_use]
    pub fn sandbox(&self) -> SandboxRule {
        self.sandbox
    }

    /// The network that the command has if it is confined.
    #[must_use]
    pub fn network(&self) -> NetworkRule {
        self.network
    }

    /// Whether the command may run as root.
    #[must_use]
    pub fn root(&self) -> RootRule {
        self.root
    }
}

/// Arguments, variables and input may be secrets: they are never printed.
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
    /// The name of the system's log, if a grant covers one of that name.
    #[must_use]
    pub fn system_log(&self) -> Option<&str> {
        self.system.as_deref()
    }

    /// The files the name may mean; the first that exists counts. Not empty if there is no system
    /// log.
    #[must_use]
    pub fn files(&self) -> &[GrantedPath] {
        &self.files
    }

    /// The query of the log.
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
    /// Whether the system's log of this name may be listed.
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
    /// The key to work on.
    #[must_use]
    pub fn key(&self) -> &RegistryKey {
        &self.key
    }

    /// Which of the registry's two views.
    #[must_use]
    pub fn view(&self) -> KeyView {
        self.view
    }

    /// The operation at that key.
    #[must_use]
    pub fn operation(&self) -> &KeyOperation {
        &self.operation
    }
}
