//! The rules for tool names, and the names under which calls reach a tool. A kit checks every name
//! here before it registers a tool.

/// How a kit names its tools.
#[derive(Debug, Clone)]
pub(crate) enum Naming {
    /// Lists and calls use the author's names.
    Plain,
    /// Names begin with the name of the service.
    Service(Box<str>),
}

/// The names of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegisteredNames {
    /// The name in lists and in calls.
    pub(crate) listed: Box<str>,
    /// A second name that only calls may use: `service.method`.
    pub(crate) alias: Option<Box<str>>,
}

/// The longest name that the protocol allows.
const MAX_NAME: usize = 128;
/// The longest name that every model provider accepts.
const MAX_SERVICE_NAME: usize = 64;

impl Naming {
    /// The names of a tool; fails if they break the rules.
    pub(crate) fn names(&self, tool: &str) -> Result<RegisteredNames, String> {
        match self {
            Self::Plain => {
                let dotted = |c: char| is_simple(c) || c == '.';
                check(tool, MAX_NAME, dotted, "[A-Za-z0-9_.-]")?;
                Ok(RegisteredNames { listed: tool.into(), alias: None })
            }
            Self::Service(service) => {
                check(service, MAX_SERVICE_NAME, is_simple, "[A-Za-z0-9_-]")?;
                check(tool, MAX_SERVICE_NAME, is_simple, "[A-Za-z0-9_-]")?;
                let listed = format!("{service}_{tool}");
                check(&listed, MAX_SERVICE_NAME, is_simple, "[A-Za-z0-9_-]")?;
                let alias = format!("{service}.{tool}");
                Ok(RegisteredNames { listed: listed.into(), alias: Some(alias.into()) })
            }
        }
    }
}

fn is_simple(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn check(name: &str, max_length: usize, legal: fn(char) -> bool, set: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > max_length || !name.chars().all(legal) {
        return Err(format!("the name `{name}` must have 1 to {max_length} characters of {set}"));
    }
    Ok(())
}
