//! The limits of the agents service on running chats, sizes and times, each with its reason.

use crate::commands::{LaunchOptions, OwnPorts, SearchPath};
use std::path::PathBuf;
use std::time::Duration;

/// Longest chat. A call ends after 15 minutes in any case, and the agent must have ended before
/// that.
const MAX_CHAT_TIME: Duration = Duration::from_secs(14 * 60);
/// How long a program may run on after it has reported the end of the chat: some programs clean up.
const LINGER: Duration = Duration::from_secs(10);
/// Chats that run at once, in total and per client: each is a large program, and costs money.
pub(super) const CHATS: (usize, usize) = (8, 4);
/// CPU time of an agent and all its child processes in one chat.
pub(super) const CPU: Duration = Duration::from_secs(2 * 60 * 60);

/// Largest query, in bytes.
pub(super) const QUERY_BYTES: usize = 1 << 20;
/// Largest system prompt, in bytes: it is one argument of a command line.
pub(super) const PROMPT_BYTES: usize = 64 * 1024;
/// The highest turn limit that a caller may set.
pub(super) const MAX_TURNS: u32 = 1000;

/// Largest tool input, tool output or other value in an event, in bytes.
pub(super) const MAX_EVENT_JSON: usize = 32 * 1024;
/// Largest message or name in an event, in bytes.
pub(super) const MAX_EVENT_TEXT: usize = 4 * 1024;
/// How many of the last bytes of a program's standard error are kept, in case it fails.
pub(super) const STDERR_TAIL_BYTES: usize = 4 * 1024;
/// Sessions on a page if the caller sets no limit.
pub(super) const DEFAULT_PAGE_SIZE: u32 = 50;

/// Where the service keeps its files, and how it starts programs.
#[derive(Debug, Clone)]
pub struct AgentOptions {
    /// How programs are started, and how much they may use.
    pub launch: LaunchOptions,
    /// A private folder for session locks, which all processes of a user share.
    pub locks: PathBuf,
    /// Whether this process runs inside an agent that Hobnob started: then it starts none itself,
    /// since agents that start each other would never end.
    pub nesting: AgentNesting,
    /// How long one chat may take.
    pub longest_chat: Duration,
    /// How long a program may run on after it has reported the end of the chat.
    pub linger: Duration,
}

/// Whether this process runs inside an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentNesting {
    /// No agent started this process, as far as Hobnob can tell.
    Outside,
    /// An agent that Hobnob started runs this process.
    InsideAgent,
}

impl AgentOptions {
    /// The limits for agents: their programs are large, do a person's work, and look other programs
    /// up in this process's own search path. Hobnob's own executable is the runner.
    pub fn new(scratch: PathBuf, hidden: Vec<PathBuf>, locks: PathBuf) -> Self {
        let launch = LaunchOptions {
            // At 512 MiB `claude` does not even start, and what it builds and tests counts too.
            memory: 8 << 30,
            processes: 512,
            parallel: CHATS.0,
            runner: PathBuf::from("/proc/self/exe"),
            level: None,
            markers: Vec::new(),
            search_path: SearchPath::Own,
            scratch,
            hidden,
            own_ports: OwnPorts::default(),
        };
        let (longest_chat, linger) = (MAX_CHAT_TIME, LINGER);
        Self { launch, locks, nesting: AgentNesting::Outside, longest_chat, linger }
    }
}
