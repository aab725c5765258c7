//! One measurement of a plan: how the server is started, what is asked of it, what is good enough.
//!
//! The files beside this one make jobs; `measure` runs them and `table` shows them.

use super::kind::Kind;

/// How a server is started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bench) enum Transport {
    Stdio,
    Http,
    /// In front of one server, for callers of this era with messages of so many bytes.
    Gateway(Era, usize),
    /// In front of one server, for legacy callers that open streams.
    GatewayStreams,
    /// In front of [`UPSTREAMS`] servers, and nothing remembered from before.
    Upstreams,
    /// The chat, with [`SLEEPING`] servers that nobody has to start.
    Chat,
    /// With the built-in services, on a store with so many memories.
    BuiltIns(Over, usize),
    /// The same, and beside it without those services.
    BuiltInsOnOrOff(Over, usize),
    /// Only the search in so many memories, in the program that measures it.
    InProcess(usize),
    /// With what a task on the machine needs granted.
    Machine(MachineTask),
    /// As a program that measures one part of ours.
    Part,
    /// With a service that emits as many events as it is asked for.
    Streams,
    /// The same, and nothing beside it.
    StreamsOfOurs,
    /// With tokens of this kind, in the words of the program.
    Tokens(&'static str),
    /// As a program that fills a store with trees and measures them.
    Trees,
    /// Not at all: our program is built with this profile.
    Sources(&'static str),
}

/// What a client speaks over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bench) enum Over {
    Stdio,
    Http,
}

/// The two ways in which a server identifies a caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bench) enum Era {
    Legacy,
    Stateless,
}

/// One task that a service of the machine does; the numbers say how many files or entries there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::bench) enum MachineTask {
    /// A command that does nothing.
    Shell,
    Text(usize),
    Regex(usize),
    Names(usize),
    Logs(usize),
    /// The list of tools of the profile `sysmcp`, and so on.
    Discovery,
    Stat,
    EventLog,
    Validation,
    Parsing,
}

impl MachineTask {
    /// The file with its request, in the folder of the server.
    pub(in crate::bench) fn requests(self) -> &'static str {
        match self {
            Self::Shell => "shell.jsonl",
            Self::Text(_) => "text.jsonl",
            Self::Regex(_) => "regex.jsonl",
            Self::Names(_) => "names.jsonl",
            Self::Logs(_) => "logs.jsonl",
            Self::Discovery => "discovery.jsonl",
            Self::Stat => "stat.jsonl",
            Self::EventLog => "eventlog.jsonl",
            Self::Validation => "validation.jsonl",
            Self::Parsing => "parsing.jsonl",
        }
    }

    /// Whether it is asked of the profile `sysmcp`.
    pub(in crate::bench) fn is_sysmcp(self) -> bool {
        match self {
            Self::Shell | Self::Text(_) | Self::Regex(_) | Self::Names(_) | Self::Logs(_) => false,
            Self::Discovery | Self::Stat | Self::EventLog | Self::Validation | Self::Parsing => {
                true
            }
        }
    }
}

/// How many servers the catalogue is made of, and how many tools each has.
pub(in crate::bench) const UPSTREAMS: usize = 50;
pub(in crate::bench) const TOOLS_EACH: usize = 20;

/// How many servers a chat has.
pub(in crate::bench) const SLEEPING: usize = 12;

/// One line of a table, for every server.
pub(in crate::bench) struct Job {
    pub(in crate::bench) kind: Kind,
    pub(in crate::bench) case: String,
    pub(in crate::bench) transport: Transport,
    pub(in crate::bench) work: Work,
    /// All of them have to be met.
    pub(in crate::bench) targets: Vec<Target>,
    /// The case that this one is compared with.
    pub(in crate::bench) other: Option<String>,
}

/// What the load generator has to do; the strings are its arguments, where `{TOOL}` becomes what
/// the tool is called, `{FOLDER}` where a server's files are, and `{UPSTREAM}` the program behind a
/// gateway.
pub(in crate::bench) enum Work {
    Report(Vec<String>),
    /// The first of a server; the second of a program that does the same by itself.
    BesideProgram {
        requests: Vec<String>,
        program: Vec<String>,
    },
    /// Two runs of different length; what the longer one needs more is the cost of its calls.
    Instructions {
        arguments: Vec<String>,
        few: usize,
        many: usize,
    },
    /// The same twice, of which the second start may remember the first.
    Twice(Vec<String>),
    /// Nothing: the program measures itself with these arguments.
    Itself(Vec<String>),
    /// Nothing: the program says how many megabytes it worked on, as `(268 MB …`.
    Speed,
    /// The command is a build, whose processor time and product are measured.
    Build,
}

/// A target is met by either of its limits.
#[derive(Clone, Copy)]
pub(in crate::bench) struct Target {
    /// Which column it is about.
    pub(in crate::bench) column: usize,
    pub(in crate::bench) at_most: Option<f64>,
    pub(in crate::bench) times_raw: Option<f64>,
}

pub(super) fn at_most(limit: f64) -> Vec<Target> {
    vec![column_at_most(0, limit)]
}

pub(super) fn times_raw(limit: f64) -> Vec<Target> {
    vec![Target { column: 0, at_most: None, times_raw: Some(limit) }]
}

pub(super) fn either(limit: f64, times: f64) -> Vec<Target> {
    vec![Target { column: 0, at_most: Some(limit), times_raw: Some(times) }]
}

/// A limit for another column than the first.
pub(super) fn column_at_most(column: usize, limit: f64) -> Target {
    Target { column, at_most: Some(limit), times_raw: None }
}

/// The words of a command line that needs no quotes.
pub(super) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
