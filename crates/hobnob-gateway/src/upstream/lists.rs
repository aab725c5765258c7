//! The lists of an upstream, as last read; stored on the disk, so that a server is known without
//! being started.
//!
//! `life` reads the lists, `lists_cache` stores and loads them. Entries stay JSON text.

use hobnob_mcp_client::{ListError, ListKind, Remote};
use hobnob_mcp_types::json::{elements, field, object};
use hobnob_mcp_types::{Era, Revision};
use std::fmt::Write as _;
use std::time::Duration;
use tokio::time::timeout;

/// The four lists of one upstream, as JSON texts in the server's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    pub(crate) tools: Vec<Box<str>>,
    pub(crate) resources: Vec<Box<str>>,
    pub(crate) templates: Vec<Box<str>>,
    pub(crate) prompts: Vec<Box<str>>,
    /// The server's description of itself.
    pub(crate) about: About,
}

/// An upstream's description of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct About {
    /// The name and version of the server.
    pub(crate) server: String,
    /// The protocol revision in use with it.
    pub(crate) revision: String,
    /// The server's instructions for a model.
    pub(crate) instructions: Option<String>,
    /// Whether it can complete arguments.
    pub(crate) completes: bool,
}

impl About {
    fn of(remote: &Remote) -> Self {
        let hello = remote.hello();
        Self {
            server: format!("{} {}", hello.implementation.name, hello.implementation.version),
            revision: hello.revision.as_str().into(),
            instructions: hello.instructions.clone().filter(|text| text.len() <= MAX_INSTRUCTIONS),
            completes: hello.capabilities.completions.is_some(),
        }
    }

    /// The era of the protocol revision in use, if this Hobnob knows that revision.
    pub(crate) fn era(&self) -> Option<Era> {
        Revision::parse(&self.revision).map(Revision::era)
    }
}

/// The most bytes of instructions that are kept; longer ones are dropped.
const MAX_INSTRUCTIONS: usize = 16 << 10;

/// The outcome of reading the lists.
pub(crate) struct ListsReading {
    pub(crate) lists: Lists,
    /// The lists that could not be read, with the errors.
    pub(crate) problems: Vec<String>,
    /// Whether the tools could not be read.
    pub(crate) tools_failed: bool,
    pub(crate) unfinished: Unfinished,
}

/// Whether some lists have yet to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    Yes,
    No,
}

impl Lists {
    /// Reads all lists, and waits at most `max_wait` for those other than tools. One that cannot be read keeps
    /// its entries and is named in the problems.
    pub(crate) async fn read(
        remote: &Remote,
        known: Option<&Self>,
        max_wait: Duration,
    ) -> ListsReading {
        let rest = async {
            tokio::join!(
                remote.list(ListKind::Resources),
                remote.list(ListKind::Templates),
                remote.list(ListKind::Prompts),
            )
        };
        let (tools, rest) = tokio::join!(remote.list(ListKind::Tools), timeout(max_wait, rest));
        let (mut problems, tools_failed) = (Vec::new(), tools.is_err());
        let mut taken =
            |list: ListKind, read: Result<Vec<Box<str>>, ListError>, before: &[Box<str>]| {
                read.unwrap_or_else(|error| {
                    problems.push(format!("{}: {error}", list.method().as_str()));
                    before.to_vec()
                })
            };
        let nothing = Self::default();
        let before = known.unwrap_or(&nothing);
        let mut lists = Self {
            tools: taken(ListKind::Tools, tools, &before.tools),
            about: About::of(remote),
            ..before.clone()
        };
        let unfinished = match rest {
            Ok((resources, templates, prompts)) => {
                lists.resources = taken(ListKind::Resources, resources, &before.resources);
                lists.templates = taken(ListKind::Templates, templates, &before.templates);
                lists.prompts = taken(ListKind::Prompts, prompts, &before.prompts);
                Unfinished::No
            }
            Err(_) => Unfinished::Yes,
        };
        ListsReading { lists, problems, tools_failed, unfinished }
    }

    /// The JSON text to store.
    pub(crate) fn to_json(&self) -> String {
        object(|stored| {
            stored.string("server", &self.about.server).string("revision", &self.about.revision);
            if let Some(text) = &self.about.instructions {
                stored.string("instructions", text);
            }
            stored.raw("completes", if self.about.completes { "true" } else { "false" });
            for (key, list) in [
                ("tools", &self.tools),
                ("resources", &self.resources),
                ("templates", &self.templates),
                ("prompts", &self.prompts),
            ] {
                let _infallible = write!(stored.key(key), "[{}]", list.join(","));
            }
        })
    }

    /// Parses a stored text; `None` if it is not one.
    pub(crate) fn from_json(text: &str) -> Option<Self> {
        let string = |key| {
            let raw = field(text, key)?;
            serde_json::from_str::<String>(raw).ok()
        };
        let list = |key| {
            let raw = field(text, key)?;
            Some(elements(raw).into_iter().map(Box::<str>::from).collect())
        };
        Some(Self {
            tools: list("tools")?,
            resources: list("resources")?,
            templates: list("templates")?,
            prompts: list("prompts")?,
            about: About {
                server: string("server")?,
                revision: string("revision")?,
                instructions: string("instructions"),
                completes: field(text, "completes") == Some("true"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{About, Lists};

    #[test]
    fn what_is_stored_comes_back() {
        let lists = Lists {
            tools: vec![
                r#"{"name":"a","big":12345678901234567890123}"#.into(),
                r#"{"name":"b"}"#.into(),
            ],
            resources: vec![r#"{"uri":"x://1"}"#.into()],
            templates: Vec::new(),
            prompts: vec![r#"{"name":"p"}"#.into()],
            about: About {
                server: "s 1".into(),
                revision: "r".into(),
                instructions: Some("do \"this\"".into()),
                completes: true,
            },
        };
        assert_eq!(Lists::from_json(&lists.to_json()), Some(lists));
    }

    #[test]
    fn anything_else_is_nothing() {
        for text in ["", "null", "{}", "[]", r#"{"tools":[]}"#] {
            assert_eq!(Lists::from_json(text), None, "{text}");
        }
    }
}
