//! What goes into a catalogue, where its entries lead, and what was left out and why.

use crate::pins::ToolDigest;
use hobnob_mcp_client::mirror::HeaderPlan;
use hobnob_mcp_types::tools::TaskSupport;
use std::fmt;
use std::sync::Arc;

/// The four lists of a catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListKind {
    /// Tools.
    Tools,
    /// Resources.
    Resources,
    /// Resource templates.
    Templates,
    /// Prompts.
    Prompts,
}

impl ListKind {
    /// The member of the list's result that holds the entries.
    pub fn list_key(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }
}

/// Whether tools with broken `x-mcp-header` marks may be offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mirroring {
    /// The server is not a modern one over HTTP: the marks mean nothing.
    #[default]
    Ignored,
    /// Spec 2026-07-28, transports: such tools must be left out.
    Required,
}

/// Everything one upstream lists, in its order; each entry is JSON text as it came.
#[derive(Debug, Clone, Default)]
pub struct ServerLists {
    /// The server's name in the configuration.
    pub server: Arc<str>,
    /// What its `x-mcp-header` marks mean.
    pub mirroring: Mirroring,
    /// Its tools.
    pub tools: Vec<String>,
    /// Its resources.
    pub resources: Vec<String>,
    /// Its resource templates.
    pub templates: Vec<String>,
    /// Its prompts.
    pub prompts: Vec<String>,
}

/// One entry of Hobnob's own.
#[derive(Debug, Clone)]
pub struct BuiltIn {
    /// The tool's or prompt's name, the resource's address or the template's pattern.
    pub key: Arc<str>,
    /// The entry as it is listed.
    pub json: Arc<str>,
}

/// Hobnob's own entries, in the order they are listed.
#[derive(Debug, Clone, Default)]
pub struct BuiltIns {
    /// Tools.
    pub tools: Vec<BuiltIn>,
    /// Resources.
    pub resources: Vec<BuiltIn>,
    /// Resource templates.
    pub templates: Vec<BuiltIn>,
    /// Prompts.
    pub prompts: Vec<BuiltIn>,
}

/// Who an entry belongs to. Built-ins come first in every order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryOwner {
    /// Hobnob itself.
    BuiltIn,
    /// An upstream, by its name in the configuration.
    Server(Arc<str>),
}

impl fmt::Display for EntryOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::Server(name) => write!(f, "server `{name}`"),
        }
    }
}

/// Where a call of an upstream's tool goes, and what must be known to make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRoute {
    /// The upstream.
    pub server: Arc<str>,
    /// What the upstream calls the tool.
    pub original: Arc<str>,
    /// The digest of the upstream's own definition.
    pub digest: ToolDigest,
    /// Whether the upstream promised structured answers.
    pub has_output_schema: bool,
    /// Whether a call may become a task.
    pub task_support: TaskSupport,
    /// Which arguments are repeated in headers.
    pub headers: HeaderPlan,
}

/// What a public tool name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolTarget {
    /// A built-in, by its own name.
    BuiltIn(Arc<str>),
    /// An upstream's tool.
    Upstream(Arc<ToolRoute>),
}

/// What a public prompt name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptTarget {
    /// A built-in, by its own name.
    BuiltIn(Arc<str>),
    /// An upstream's prompt.
    Upstream {
        /// The upstream.
        server: Arc<str>,
        /// What the upstream calls the prompt.
        original: Arc<str>,
    },
}

/// What a public address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceTarget<'a> {
    /// One of Hobnob's own, listed or not.
    BuiltIn,
    /// An upstream's, listed or not.
    Upstream {
        /// The upstream.
        server: &'a Arc<str>,
        /// What the upstream calls it.
        original: &'a str,
    },
}

/// An entry that an upstream listed and clients do not see, because it is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The upstream.
    pub server: Arc<str>,
    /// Which list.
    pub kind: ListKind,
    /// Where in the list, from zero.
    pub index: usize,
    /// What it calls itself, if it does.
    pub name: Option<Box<str>>,
    /// What is wrong.
    pub reason: Box<str>,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, list, reason) = (&self.server, self.kind.list_key(), &self.reason);
        match &self.name {
            Some(name) => write!(f, "server `{server}`, {list}, `{name}`: {reason}"),
            None => write!(f, "server `{server}`, {list}, entry {}: {reason}", self.index),
        }
    }
}

/// A public name or address that two entries claimed; the first one has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Which list.
    pub kind: ListKind,
    /// The name or address.
    pub key: Arc<str>,
    /// Who has it.
    pub kept: EntryOwner,
    /// Who does not: left out, or under its usual name if the claim was a rename.
    pub dropped: EntryOwner,
}

/// Something that a profile wants of a tool or prompt and that cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidOverride {
    /// Which list.
    pub kind: ListKind,
    /// The usual public name.
    pub key: Arc<str>,
    /// Whose it is.
    pub owner: EntryOwner,
    /// What is wrong.
    pub problem: OverrideProblem,
}

/// Why a profile's wish cannot be met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverrideProblem {
    /// No tool or prompt may have the name; it keeps its usual one.
    #[error("cannot be renamed to `{0}`")]
    Name(Box<str>),
    /// It has no such argument; it is left out.
    #[error("has no argument `{0}` that could be left to it, so it is left out")]
    NoArgument(Box<str>),
    /// It cannot do without this argument; it is left out.
    #[error("needs the argument `{0}`, which is taken from it, so it is left out")]
    Needed(Box<str>),
}

impl fmt::Display for InvalidOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.key, self.problem)
    }
}

/// The only arguments that something takes.
pub type Arguments = Arc<[Box<str>]>;

/// What a view changes about calling a tool or getting a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallTerms {
    /// The only arguments it takes.
    pub arguments: Option<Arguments>,
    /// How it is described.
    pub description: Option<Arc<str>>,
}
