//! How much the service runs at once, keeps and waits for, each with its reason.

use crate::commands::{LaunchOptions, OwnPorts, SearchPath};
use std::path::PathBuf;
use std::time::Duration;

/// How long one chat may take. Calls end after 15 minutes whatever they do, and the agent must be gone
/// before.
const LONGEST_CHAT: Duration = Duration::from_secs(14 * 60);
/// How long a program may take to end after it has said how the chat ended: some clean up.
const LINGER: Duration = Duration::from_secs(10);
/// Chats that run at once, of all clients and of one: each is a large program, and costs money.
pub(super) const CHATS: (usize, usize) = (8, 4);
/// CPU time of an agent with all that it starts, in one chat.
pub(super) const CPU: Duration = Duration::from_secs(2 * 60 * 60);

/// Bytes that a query may have.
pub(super) const QUERY_BYTES: usize = 1 << 20;
/// Bytes that a system prompt may have: it is one word of a command line.
pub(super) const PROMPT_BYTES: usize = 64 * 1024;
/// Turns that a caller may allow at most.
pub(super) const MAX_TURNS: u32 = 1000;

/// Bytes of a tool's input or output, or of another value, that an event has.
pub(super) const SHOWN_JSON: usize = 32 * 1024;
/// Bytes of a message or a name that an event has.
pub(super) const SHOWN_TEXT: usize = 4 * 1024;
/// Bytes of what a program wrote to its standard error that are kept, in case it fails.
pub(super) const KEPT_STDERR: usize = 4 * 1024;
/// Sessions in one answer, if nobody says how many.
pub(super) const USUAL_PAGE: u32 = 50;

/// Where the service keeps its files, and how it starts programs.
#[derive(Debug, Clone)]
pub struct AgentOptions {
    /// How programs are started and what they may use.
    pub launch: LaunchOptions,
    /// A private folder for the locks of sessions, which all processes of a user share.
    pub locks: PathBuf,
    /// Whether this process was started by an agent that Hobnob runs: then it runs none itself, since
    /// agents that start each other never end.
    pub nesting: AgentNesting,
    /// How long one chat may take.
    pub longest_chat: Duration,
    /// How long a program may take to end after it has said how the chat ended.
    pub linger: Duration,
}

/// Who started this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentNesting {
    /// No agent, as far as is known.
    Outside,
    /// An agent that Hobnob runs.
    InsideAgent,
}

impl AgentOptions {
    /// The limits of agents: their programs are large, do the work of a person, and find others where
    /// this process does. Our own program is the runner.
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
        let (longest_chat, linger) = (LONGEST_CHAT, LINGER);
        Self { launch, locks, nesting: AgentNesting::Outside, longest_chat, linger }
    }
}
