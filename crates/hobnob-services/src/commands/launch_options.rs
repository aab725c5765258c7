//! How programs are started and what each of them may use. A service says it once, in its options.

use hobnob_mcp_process::supervisor::Level;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// How programs are started, and what each may use with everything it starts.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// Bytes of memory that a program may have.
    pub memory: u64,
    /// Processes that a program may be at once.
    pub processes: u32,
    /// Programs that may run at once.
    pub parallel: usize,
    /// A program that is a runner when started with its argument: usually our own, as
    /// `/proc/self/exe`. No program may be this file.
    pub runner: PathBuf,
    /// What makes sure that nothing of a program survives; without one, the strongest that works,
    /// found out with the first program.
    pub level: Option<Level>,
    /// Names of variables that every program has, without a value. Hobnob's own commands refuse to
    /// change grants where they find one of them.
    pub markers: Vec<String>,
    /// Where a program finds others.
    pub search_path: SearchPath,
    /// A private folder, in which empty folders are made for programs that have none of their own.
    /// Processes may share it.
    pub scratch: PathBuf,
    /// Hobnob's own folders, which no confined program may see.
    pub hidden: Vec<PathBuf>,
    /// Hobnob's own TCP ports, which no confined program may connect to.
    pub own_ports: OwnPorts,
}

/// Asks for the TCP ports at which Hobnob listens, each time a program is started.
#[derive(Clone)]
pub struct OwnPorts(Arc<dyn Fn() -> Vec<u16> + Send + Sync>);

impl OwnPorts {
    /// `ask` finds those that are open now.
    pub fn new(ask: impl Fn() -> Vec<u16> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// In ascending order, so that equal sets make equal sandboxes.
    pub(crate) fn open_now(&self) -> Vec<u16> {
        let mut ports = (self.0)();
        ports.sort_unstable();
        ports.dedup();
        ports
    }
}

/// For a process that listens nowhere.
impl Default for OwnPorts {
    fn default() -> Self {
        Self::new(Vec::new)
    }
}

impl fmt::Debug for OwnPorts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("OwnPorts")
    }
}

/// Where a program finds others, behind the folder that it is in itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchPath {
    /// In the system's folders.
    System,
    /// In the folders that this process has in its own search path.
    Own,
}
