//! What a call is about, as rules see it: the input of every decision.
//!
//! The gateway describes each request with it before the request reaches an upstream or a built-in.
//! A tool's annotations are not part of it, so they can never relax a rule.

use crate::rule_callers::SubjectCaller;

/// What a call is about. Callers know the parts; they are never split out of a name.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The public name, as the clients of this view call the tool.
    pub tool: &'a str,
    /// The public name of the tool without a profile, if a profile renamed it. Rules may use either
    /// name, and the stricter verdict counts.
    pub usual: Option<&'a str>,
    /// The upstream server's name.
    pub server: Option<&'a str>,
    /// The tool's name at that server.
    pub original: Option<&'a str>,
    /// The caller: rules may name principals and groups.
    pub caller: SubjectCaller<'a>,
    /// The kind of target, which decides if no rule applies.
    pub kind: SubjectKind,
    /// The arguments: the raw text of a JSON object.
    pub arguments: Option<&'a str>,
}

/// What is called, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    /// A tool of a configured server: it asks by default.
    Upstream,
    /// Hobnob's own tools for servers and subscriptions: they never ask.
    Management,
    /// A tool of one of Hobnob's services.
    BuiltIn,
    /// Resources and prompts of a configured server: denied if every tool of the server is, and
    /// never asked about. `tool` is the server's `mcp__SERVER__*`, `original` is `*`.
    ServerContents,
    /// Hobnob's own resources and prompts, which no rule is about.
    OwnContents,
}

/// One exact request, as the rules see it. A [`Permit`](crate::Permit) owns the request it was made
/// for, so that the effect does what was decided.
pub trait PermissionRequest {
    /// The subject that the rules decide about.
    fn subject(&self) -> Subject<'_>;
}

impl PermissionRequest for Subject<'_> {
    fn subject(&self) -> Subject<'_> {
        *self
    }
}
