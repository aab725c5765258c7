//! Reads whole lists: every page, within limits.
//!
//! `Remote` reads the lists of a server here. A server that repeats itself or never ends must not
//! cost more than [`ListLimits`](crate::ListLimits) allow.

use crate::error::RequestError;
use crate::open_connection::OpenConnection;
use hobnob_mcp_types::json::{elements, field, object};
use hobnob_mcp_types::{Era, ErrorCode, Method};
use std::collections::HashSet;
use std::time::Duration;

/// One of the four lists a server may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ListKind {
    /// Each entry is identified by its `name`.
    Tools,
    /// Each entry is identified by its `uri`.
    Resources,
    /// Each entry is identified by its `uriTemplate`; offered by servers that have resources.
    Templates,
    /// Each entry is identified by its `name`.
    Prompts,
}

impl ListKind {
    /// All four lists, in the order in which the client asks for them.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Templates, Self::Prompts];

    /// The request for one page of the list.
    pub fn method(self) -> Method {
        match self {
            Self::Tools => Method::ToolsList,
            Self::Resources => Method::ResourcesList,
            Self::Templates => Method::ResourcesTemplatesList,
            Self::Prompts => Method::PromptsList,
        }
    }

    /// The member of the result that holds the entries.
    pub fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
            Self::Prompts => "prompts",
        }
    }
}

/// Why a list cannot be read.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ListError {
    /// The request for a page failed.
    #[error("{0}")]
    Failed(#[from] RequestError),
    /// Not all pages came within the time of [`ListLimits`](crate::ListLimits).
    #[error("the list was not complete within {0:?}")]
    Late(Duration),
    /// The list does not end, or exceeds [`ListLimits`](crate::ListLimits).
    #[error("the list is too long: {0}")]
    Endless(&'static str),
    /// A page lacks the member that holds the entries.
    #[error("a page of the list has no `{0}`")]
    Shapeless(&'static str),
    /// An entry violates the protocol; names the list, and what is wrong.
    #[error("an entry of `{0}` cannot be read: {1}")]
    Entry(&'static str, String),
}

/// Every entry of a list, as JSON texts in the server's order. If the server does not offer the
/// feature, the list is empty and no request is sent.
pub(crate) async fn read(
    connection: &OpenConnection,
    list: ListKind,
) -> Result<Vec<Box<str>>, ListError> {
    let can = &connection.hello.capabilities;
    let offered = match list {
        ListKind::Tools => can.tools.is_some(),
        ListKind::Resources | ListKind::Templates => can.resources.is_some(),
        ListKind::Prompts => can.prompts.is_some(),
    };
    if !offered {
        return Ok(Vec::new());
    }
    let limit = connection.options.lists.time;
    match tokio::time::timeout(limit, read_pages(connection, list)).await {
        Ok(Err(ListError::Failed(RequestError::Rpc(error))))
            if list != ListKind::Tools && error.code == ErrorCode::METHOD_NOT_FOUND =>
        {
            // Many servers have resources but do not know templates, and some declare features that
            // they do not have.
            Ok(Vec::new())
        }
        Ok(done) => done,
        Err(_) => Err(ListError::Late(limit)),
    }
}

async fn read_pages(
    connection: &OpenConnection,
    list: ListKind,
) -> Result<Vec<Box<str>>, ListError> {
    let limits = connection.options.lists;
    let mut all = Vec::new();
    let mut bytes = 0;
    let mut cursor: Option<String> = None;
    let mut seen = HashSet::new();
    for _ in 0..limits.pages {
        let params = object(|object| {
            if let Some(cursor) = &cursor {
                object.string("cursor", cursor);
            }
        });
        let page = connection.request(list.method(), &params).await?;
        let entries = field(&page, list.member()).filter(|entries| entries.starts_with('['));
        let entries = elements(entries.ok_or(ListError::Shapeless(list.member()))?);
        bytes += entries.iter().map(|entry| entry.len()).sum::<usize>();
        all.extend(entries.into_iter().map(Box::<str>::from));
        if all.len() > limits.entries || bytes > limits.bytes {
            return Err(ListError::Endless("more entries than are taken"));
        }
        let next = field(&page, "nextCursor");
        let next = next.and_then(|raw| serde_json::from_str::<Option<String>>(raw).ok());
        match next.flatten() {
            None => return Ok(all),
            // Only the newest revision says that an empty cursor is a cursor like any other.
            Some(next) if next.is_empty() && connection.revision().era() == Era::Legacy => {
                return Ok(all);
            }
            Some(next) if !seen.insert(next.clone()) => {
                return Err(ListError::Endless("the server sent the same cursor twice"));
            }
            Some(next) => cursor = Some(next),
        }
    }
    Err(ListError::Endless("more pages than are read"))
}
