//! What a tool may be called, and under which names calls reach it.

use super::error::KitError;

/// How a kit names its tools.
#[derive(Debug, Clone)]
pub(super) enum Naming {
    /// As given.
    Plain,
    /// After the service they belong to.
    Service(Box<str>),
}

/// The names of one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    /// In lists, and in calls.
    pub(super) listed: Box<str>,
    /// In calls only: `service.method`, as the inside calls it.
    pub(super) spoken: Option<Box<str>>,
}

/// The longest name the protocol allows.
const LONGEST: usize = 128;
/// The longest name that every model provider takes.
const LONGEST_OF_SERVICE: usize = 64;

impl Naming {
    /// The names of a tool, if they are within the rules.
    pub(super) fn names(&self, tool: &str) -> Result<Names, KitError> {
        match self {
            Self::Plain => {
                let dotted = |c: char| is_simple(c) || c == '.';
                check(tool, LONGEST, dotted, "[A-Za-z0-9_.-]")?;
                Ok(Names { listed: tool.into(), spoken: None })
            }
            Self::Service(service) => {
                check(service, LONGEST_OF_SERVICE, is_simple, "[A-Za-z0-9_-]")?;
                check(tool, LONGEST_OF_SERVICE, is_simple, "[A-Za-z0-9_-]")?;
                let listed = format!("{service}_{tool}");
                check(&listed, LONGEST_OF_SERVICE, is_simple, "[A-Za-z0-9_-]")?;
                let spoken = format!("{service}.{tool}");
                Ok(Names { listed: listed.into(), spoken: Some(spoken.into()) })
            }
        }
    }
}

fn is_simple(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn check(name: &str, most: usize, legal: fn(char) -> bool, set: &str) -> Result<(), KitError> {
    if name.is_empty() || name.len() > most || !name.chars().all(legal) {
        let message = format!("the name `{name}` must have 1 to {most} characters of {set}");
        return Err(KitError::new(message));
    }
    Ok(())
}
