//! A case is one line per server in a table: how to start the server, what to ask of it, and which
//! figures are good enough.
//!
//! `kinds` makes cases, `programs` starts servers for them, `measure` runs them.

/// A case of a kind, with its name in the table.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) setup: Setup,
    pub(super) work: Work,
    pub(super) targets: Vec<Target>,
}

impl Case {
    pub(super) fn new(name: impl Into<String>, setup: Setup, work: Work) -> Self {
        Self { name: name.into(), setup, work, targets: Vec::new() }
    }

    /// Adds a limit for our own server, in the column with this heading.
    pub(super) fn target(mut self, heading: &'static str, limit: f64) -> Self {
        self.targets.push(Target { heading, limit });
        self
    }
}

/// The highest value of a column that is good enough for our own server.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) heading: &'static str,
    pub(super) limit: f64,
}

/// How to start a server. Each setup belongs to one group of programs.
#[derive(Clone, Copy)]
pub(super) enum Setup {
    /// A server with the echo tool, on its pipes.
    Stdio,
    /// A server with the echo tool, on a port.
    Http,
    /// A gateway in front of one server.
    Gateway { era: Era, payload: usize },
    /// A gateway in front of [`UPSTREAMS`] servers, with an empty cache.
    Upstreams,
    /// The hub, on a store with this number of memories.
    Hub { over: Over, memories: usize },
    /// Only the hub's search, in the program that measures it.
    Recall { memories: usize },
    /// The hub with the grants for a task, or a program that does the task by itself.
    Machine(Task),
    /// A server that emits the requested number of events.
    Events,
}

/// The transport between client and server.
#[derive(Clone, Copy)]
pub(super) enum Over {
    Stdio,
    Http,
}

/// The two ways in which a server identifies a caller.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Era {
    Legacy,
    Stateless,
}

/// One task for a service that acts on the machine.
#[derive(Clone, Copy)]
pub(super) enum Task {
    /// Run a command that does nothing.
    Shell,
    /// Search for [`NEEDLE`] in the text of this number of files.
    Text(usize),
    /// Search for it in the names of this number of files.
    Names(usize),
}

/// The number of servers in the catalogue, and the number of tools of each.
pub(super) const UPSTREAMS: usize = 50;
pub(super) const TOOLS_EACH: usize = 20;

/// A word that one file in a thousand contains, and one in a thousand has in its name.
pub(super) const NEEDLE: &str = "needle7f3a";

/// What to do with the server. The strings are arguments of the load generator, in which `{TOOL}`
/// stands for the name of the echo tool and `{FOLDER}` for the folder of the server's files.
pub(super) enum Work {
    Report(String),
    /// Valgrind counts this number of calls and six times as many; the difference is their cost.
    Count {
        arguments: String,
        few: usize,
    },
    /// The same twice; the second start may use what the first one cached.
    Twice(String),
    /// The program measures itself with these arguments, without the load generator.
    Itself(String),
}
