//! What a call is about, as rules see it: the input of every decision.
//!
//! The gateway describes each request so before it reaches an upstream or a built-in. A tool's
//! annotations are not part of it, so they can never relax a rule.

use crate::rule_callers::SubjectCaller;

/// What a call is about. The caller knows the parts; they are never split out of a name.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The public name, as the clients of this view call it.
    pub tool: &'a str,
    /// The public name it has where no profile renames it, if that is another one. Rules may know
    /// a tool by either name, and the stricter verdict counts.
    pub usual: Option<&'a str>,
    /// The upstream server's name.
    pub server: Option<&'a str>,
    /// The tool's name at that server.
    pub original: Option<&'a str>,
    /// Who calls: rules may name principals and groups.
    pub caller: SubjectCaller<'a>,
    /// Decides what happens where no rule applies.
    pub kind: SubjectKind,
    /// The arguments: the raw text of a JSON object.
    pub arguments: Option<&'a str>,
}

/// What is called, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A configured server's: it asks by default.
    Upstream,
    /// One of Hobnob's own about servers and subscriptions: it never asks.
    Management,
    /// One of Hobnob's services.
    BuiltIn,
    /// A configured server's resources and prompts: denied if everything of the server is, and
    /// never asked about. `tool` is the server's `mcp__SERVER__*`, `original` is `*`.
    ServerContents,
    /// Hobnob's own resources and prompts, which no rule is about.
    OwnContents,
}

/// One exact request, as the rules see it. A [`Permit`](crate::Permit) owns the request it was made
/// for, so that the effect reads what it does from what was decided.
pub trait PermissionRequest {
    /// What the rules are asked about.
    fn subject(&self) -> Subject<'_>;
}

impl PermissionRequest for Subject<'_> {
    fn subject(&self) -> Subject<'_> {
        *self
    }
}
