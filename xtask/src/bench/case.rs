//! One line of a table for each server: how the server is started, what is asked of it, and what is
//! good enough.
//!
//! `kinds` makes cases, `programs` starts servers for them, `measure` runs them.

/// A case of a kind, by its name in the table.
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

    /// The same, with a limit for our own server in the column of this heading.
    pub(super) fn target(mut self, heading: &'static str, limit: f64) -> Self {
        self.targets.push(Target { heading, limit });
        self
    }
}

/// The most that a column may show for our own server.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) heading: &'static str,
    pub(super) limit: f64,
}

/// How a server is started. Each belongs to one group of programs.
#[derive(Clone, Copy)]
pub(super) enum Setup {
    /// A server with the echo tool, on its pipes.
    Stdio,
    /// The same, on a port.
    Http,
    /// A gateway in front of one server.
    Gateway { era: Era, payload: usize },
    /// A gateway in front of [`UPSTREAMS`] servers, and nothing remembered from before.
    Upstreams,
    /// The hub, on a store with this number of memories.
    Hub { over: Over, memories: usize },
    /// Only the search of the hub, in the program that measures it.
    Recall { memories: usize },
    /// The hub with what a task needs granted, or a program that does the task by itself.
    Machine(Task),
    /// A server that emits as many events as it is asked for.
    Events,
}

/// What a client speaks over.
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

/// One task that a service of the machine does.
#[derive(Clone, Copy)]
pub(super) enum Task {
    /// A command that does nothing.
    Shell,
    /// A search for [`NEEDLE`] in the text of this number of files.
    Text(usize),
    /// The same in their names.
    Names(usize),
}

/// How many servers the catalogue is made of, and how many tools each has.
pub(super) const UPSTREAMS: usize = 50;
pub(super) const TOOLS_EACH: usize = 20;

/// What is in a tenth of a percent of the files, and in the names of as many.
pub(super) const NEEDLE: &str = "needle7f3a";

/// What is done with the server. The strings are arguments of the load generator, where `{TOOL}`
/// becomes what the echo tool is called and `{FOLDER}` the folder of the server's files.
pub(super) enum Work {
    Report(String),
    /// Valgrind counts this number of calls and six times as many; the difference is their cost.
    Count {
        arguments: String,
        few: usize,
    },
    /// The same twice; the second start may remember the first.
    Twice(String),
    /// The program measures itself with these arguments, without the load generator.
    Itself(String),
}
