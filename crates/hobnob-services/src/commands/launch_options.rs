//! How a service's programs are started, and how much each may use.

use hobnob_mcp_process::supervisor::Level;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// How programs are started, and what each may use together with its child processes.
#[derive(Debug, Clone)]
pub struct LaunchOptions {
    /// Largest amount of memory of a program, in bytes.
    pub memory: u64,
    /// Most processes that a program may have at once.
    pub processes: u32,
    /// Most programs that may run at once.
    pub parallel: usize,
    /// The executable that acts as a runner when started with the runner's argument: usually
    /// Hobnob's own, as `/proc/self/exe`. No program may be this file.
    pub runner: PathBuf,
    /// The mechanism that ends every process of a program. If `None`, the strongest one that works
    /// is detected with the first program.
    pub level: Option<Level>,
    /// Names of empty variables that every program gets. Hobnob's own commands refuse to change
    /// grants where they find one of them.
    pub markers: Vec<String>,
    /// Where a program looks up other programs.
    pub search_path: SearchPath,
    /// A private folder for the scratch folders of programs that have no granted folder. Several
    /// processes may share it.
    pub scratch: PathBuf,
    /// Hobnob's own folders, which no confined program may see.
    pub hidden: Vec<PathBuf>,
    /// Hobnob's own TCP ports, which no confined program may connect to.
    pub own_ports: OwnPorts,
}

/// Looks up the TCP ports on which Hobnob listens, each time a program is started.
#[derive(Clone)]
pub struct OwnPorts(Arc<dyn Fn() -> Vec<u16> + Send + Sync>);

impl OwnPorts {
    /// `ask` returns the ports that are open now.
    pub fn new(ask: impl Fn() -> Vec<u16> + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// The open ports in ascending order, so that equal sets make equal sandboxes.
    pub(crate) fn open_now(&self) -> Vec<u16> {
        let mut ports = (self.0)();
        ports.sort_unstable();
        ports.dedup();
        ports
    }
}

/// No ports, for a process that does not listen.
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

/// Where a program looks up other programs, after its own folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchPath {
    /// The folders of the system, such as `/usr/bin`.
    System,
    /// The folders of this process's own search path.
    Own,
}
