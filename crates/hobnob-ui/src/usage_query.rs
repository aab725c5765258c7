//! Which figures about calls the page asks for: the query of `/ui/api/usage` as values.
//!
//! `api/usage` parses it, and the hub reads the figures.

/// Which figures to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageQuery {
    /// How many days back, including today: 1 to 400.
    pub days: u16,
    /// What the rows are about.
    pub by: UsageBy,
}

/// What a row of figures is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageBy {
    /// A tool, a resource or a prompt.
    Tool,
    /// A server of the configuration.
    Server,
    /// A client, by the name that it gives itself.
    Client,
    /// A user or a token of the hub; the owner has no name.
    Principal,
}

impl UsageBy {
    /// Every kind, in the order in which errors list them.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Server, Self::Client, Self::Principal];

    /// Its word in the query.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Server => "server",
            Self::Client => "client",
            Self::Principal => "principal",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|by| by.as_str() == word)
    }
}
