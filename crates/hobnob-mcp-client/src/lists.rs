//! Whole lists: every page, but no more than anybody could mean.

use crate::exchange::RequestError;
use crate::remote::Remote;
use hobnob_mcp_types::json::{elements, field, object};
use hobnob_mcp_types::{Era, Method};
use std::collections::HashSet;
use std::time::Duration;

/// A list a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// `tools/list`.
    Tools,
    /// `resources/list`.
    Resources,
    /// `resources/templates/list`.
    Templates,
    /// `prompts/list`.
    Prompts,
}

impl ListKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Templates, Self::Prompts];

    /// The request for a page.
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

/// How much of a list is read.
#[derive(Debug, Clone, Copy)]
pub struct ListLimits {
    /// Pages.
    pub pages: usize,
    /// Entries.
    pub entries: usize,
    /// Bytes of all entries.
    pub bytes: usize,
    /// For all pages together.
    pub time: Duration,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self { pages: 1000, entries: 10_000, bytes: 8 << 20, time: Duration::from_secs(30) }
    }
}

/// Why a list cannot be had.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ListError {
    /// A page could not be had.
    #[error("{0}")]
    Failed(#[from] RequestError),
    /// It took too long.
    #[error("the list was not complete within {0:?}")]
    Late(Duration),
    /// It does not end, or is more than we take.
    #[error("the list is too long: {0}")]
    Endless(&'static str),
    /// A page is not what it should be.
    #[error("a page of the list has no `{0}`")]
    Shapeless(&'static str),
}

impl Remote {
    /// Every entry of a list, as JSON texts in the server's order. A server that does not offer
    /// such things has an empty list and is not asked.
    pub async fn list(&self, list: ListKind) -> Result<Vec<Box<str>>, ListError> {
        let can = &self.hello().capabilities;
        let offered = match list {
            ListKind::Tools => can.tools.is_some(),
            ListKind::Resources | ListKind::Templates => can.resources.is_some(),
            ListKind::Prompts => can.prompts.is_some(),
        };
        if !offered {
            return Ok(Vec::new());
        }
        let limit = self.options().lists.time;
        match tokio::time::timeout(limit, self.read_list(list)).await {
            Ok(Err(ListError::Failed(RequestError::Rpc(error))))
                if list != ListKind::Tools
                    && error.code == hobnob_mcp_types::ErrorCode::METHOD_NOT_FOUND =>
            {
                // Many servers have resources and never heard of templates; some declare what
                // they do not have at all.
                Ok(Vec::new())
            }
            Ok(done) => done,
            Err(_) => Err(ListError::Late(limit)),
        }
    }

    async fn read_list(&self, list: ListKind) -> Result<Vec<Box<str>>, ListError> {
        let limits = self.options().lists;
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
            let page = self.request(list.method(), &params).await?;
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
                // Only the newest revision says that an empty cursor is one like any other.
                Some(next) if next.is_empty() && self.revision().era() == Era::Legacy => {
                    return Ok(all);
                }
                Some(next) if !seen.insert(next.clone()) => {
                    return Err(ListError::Endless("a page comes back"));
                }
                Some(next) => cursor = Some(next),
            }
        }
        Err(ListError::Endless("more pages than are read"))
    }
}
