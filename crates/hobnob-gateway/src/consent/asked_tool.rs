//! The tool that a person is asked about: a server's tool or a built-in.

use crate::catalog::ToolRoute;
use hobnob_config::RuleText;
use hobnob_policy::{DefinitionDigest, Glob, RuleAction};

/// A tool as a question names it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AskedTool<'a> {
    /// The name that its caller used.
    pub(crate) public: &'a str,
    pub(crate) origin: AskedOrigin<'a>,
}

/// Who offers the tool.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AskedOrigin<'a> {
    /// The server at the end of this route.
    Server(&'a ToolRoute),
    /// A built-in, by its own name.
    BuiltIn(&'a str),
}

impl<'a> AskedTool<'a> {
    /// The server that offers it; `None` for a built-in.
    pub(crate) fn server(self) -> Option<&'a str> {
        match self.origin {
            AskedOrigin::Server(route) => Some(&route.server),
            AskedOrigin::BuiltIn(_) => None,
        }
    }

    /// What its owner calls it.
    pub(crate) fn original(self) -> &'a str {
        match self.origin {
            AskedOrigin::Server(route) => &route.original,
            AskedOrigin::BuiltIn(own) => own,
        }
    }

    /// What a lasting answer is about: a server's definition. The definition of a built-in cannot change
    /// while this process runs, so its place is taken by zeros.
    pub(crate) fn definition(self) -> DefinitionDigest {
        match self.origin {
            AskedOrigin::Server(route) => DefinitionDigest(route.digest.bytes()),
            AskedOrigin::BuiltIn(_) => DefinitionDigest([0; 32]),
        }
    }

    /// The rule that allows or denies this tool from now on.
    pub(crate) fn rule(self, action: RuleAction) -> RuleText {
        rule_for_tool(self.server(), self.original(), action)
    }
}

/// The rule about exactly one tool of a server, or about a built-in, for all callers.
pub(super) fn rule_for_tool(server: Option<&str>, original: &str, action: RuleAction) -> RuleText {
    RuleText {
        principal: None,
        group: None,
        server: server.map(Glob::escape),
        tool: Some(Glob::escape(original)),
        pattern: None,
        action: action.as_str().into(),
    }
}
