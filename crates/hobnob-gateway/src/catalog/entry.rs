//! What goes into a catalogue, where its entries lead, and what was left out and why.
//!
//! The files of the catalogue hand these values to each other and to the router; none of them holds
//! a lock or a connection.

use crate::pins::ToolDigest;
use crate::uris::PublicUris;
pub use hobnob_mcp_client::ListKind;
use hobnob_mcp_client::mirror::HeaderPlan;
use hobnob_mcp_types::apps::ToolAudience;
use hobnob_mcp_types::tools::TaskSupport;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Whether a server's tools with invalid `x-mcp-header` marks may be offered.
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
    /// The entries of `tools/list`.
    pub tools: Vec<String>,
    /// The entries of `resources/list`.
    pub resources: Vec<String>,
    /// The entries of `resources/templates/list`.
    pub templates: Vec<String>,
    /// The entries of `prompts/list`.
    pub prompts: Vec<String>,
}

/// One of Hobnob's own entries.
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
    /// Keyed by their name.
    pub tools: Vec<BuiltIn>,
    /// Keyed by their address.
    pub resources: Vec<BuiltIn>,
    /// Keyed by their pattern.
    pub templates: Vec<BuiltIn>,
    /// Keyed by their name, which a tool may have too.
    pub prompts: Vec<BuiltIn>,
}

/// Who an entry belongs to. Built-ins come first in every order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryOwner {
    /// Hobnob itself: a built-in service or the management tools.
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
    /// The upstream's name in the configuration.
    pub server: Arc<str>,
    /// What the upstream calls the tool.
    pub original: Arc<str>,
    /// The same name as a JSON string, as every call repeats it.
    pub original_json: Box<str>,
    /// The public name of the tool unless a profile renames it; rules know the tool by this name.
    pub usual: Arc<str>,
    /// The public addresses of the upstream's resources.
    pub uris: PublicUris,
    /// The digest of the upstream's own definition.
    pub digest: ToolDigest,
    /// Whether the upstream promised structured answers.
    pub has_output_schema: bool,
    /// Whether a call may become a task.
    pub task_support: TaskSupport,
    /// Which arguments HTTP headers repeat.
    pub headers: HeaderPlan,
    /// Who the tool is for.
    pub audience: ToolAudience,
}

/// What a public tool name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolTarget {
    /// A built-in, by its own name.
    BuiltIn(Arc<str>),
    /// A tool of an upstream, which the route names.
    Upstream(Arc<ToolRoute>),
}

/// What a public prompt name leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptTarget {
    /// A built-in, by its own name.
    BuiltIn(Arc<str>),
    /// A prompt of an upstream.
    Upstream {
        /// The upstream's name in the configuration.
        server: Arc<str>,
        /// What the upstream calls the prompt.
        original: Arc<str>,
    },
}

/// What a public address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceTarget<'a> {
    /// One of Hobnob's own resources, listed or not.
    BuiltIn,
    /// A resource of an upstream, listed or not.
    Upstream {
        /// The upstream's name in the configuration.
        server: &'a Arc<str>,
        /// What the upstream calls the resource.
        original: Cow<'a, str>,
    },
}

/// An entry of an upstream that clients do not see because it is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// The upstream's name in the configuration.
    pub server: Arc<str>,
    /// The list that contains the entry.
    pub kind: ListKind,
    /// Its position in the list, from zero.
    pub index: usize,
    /// The name or address that the entry gives itself, if any.
    pub name: Option<Box<str>>,
    /// What is wrong with it, for a person.
    pub reason: Box<str>,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, list, reason) = (&self.server, self.kind.member(), &self.reason);
        match &self.name {
            Some(name) => write!(f, "server `{server}`, {list}, `{name}`: {reason}"),
            None => write!(f, "server `{server}`, {list}, entry {}: {reason}", self.index),
        }
    }
}

/// A public name or address that two entries claimed; the first one has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The list that contains both entries.
    pub kind: ListKind,
    /// The name or address both claimed.
    pub key: Arc<str>,
    /// The owner of the entry that has it.
    pub kept: EntryOwner,
    /// The owner of the other entry: left out, or under its usual name if the claim was a rename.
    pub dropped: EntryOwner,
}

/// An override of a profile that cannot be applied to its tool or prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidOverride {
    /// The list that contains the entry.
    pub kind: ListKind,
    /// Its public name unless a profile renames it.
    pub key: Arc<str>,
    /// Who the entry belongs to.
    pub owner: EntryOwner,
    /// Why the override cannot be applied.
    pub problem: OverrideProblem,
}

/// Why an override of a profile cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverrideProblem {
    /// The new name is not a valid one; the entry keeps its usual name.
    #[error("cannot be renamed to `{0}`")]
    Name(Box<str>),
    /// The entry has no such argument, so the entry is left out.
    #[error("has no argument `{0}`, which the profile wants to keep, so it is left out")]
    NoArgument(Box<str>),
    /// The entry requires this argument, so the entry is left out.
    #[error("requires the argument `{0}`, which the profile removes, so it is left out")]
    Needed(Box<str>),
}

impl fmt::Display for InvalidOverride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.key, self.problem)
    }
}

/// What a catalogue leaves out or does not do, for people.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    /// Names and addresses that two entries claimed.
    pub(crate) conflicts: Vec<Conflict>,
    /// Entries that were left out because they are broken.
    pub(crate) rejected: Vec<Rejected>,
    /// The profile's overrides that cannot be applied.
    pub(crate) invalid_overrides: Vec<InvalidOverride>,
}

/// The names of the only arguments that a tool or prompt takes.
pub type Arguments = Arc<[Box<str>]>;

/// What a view changes about calling a tool or getting a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallTerms {
    /// The only arguments it takes; `None` if it keeps all.
    pub arguments: Option<Arguments>,
    /// Its description, if the view replaces it.
    pub description: Option<Arc<str>>,
}
