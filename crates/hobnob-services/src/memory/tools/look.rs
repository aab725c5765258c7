//! The tools `get`, `list`, `history`, `status` and `namespaces`, which read without a search.
//!
//! They change nothing, and answer in pages where a list may be long.

use crate::memory::service::PresentedMemory;
use crate::memory::views::{Detail, Shown, ShownPast};
use crate::memory::words::WELL_KNOWN;
use crate::presentation::NamespaceRule;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryStatus, PageRequest, ScopeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OneArguments {
    /// The memory's id or URN
    id: String,
}

pub(super) async fn get(
    arguments: OneArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let memory = presented.find(presented.access(&context)?, &arguments.id).await?;
    presented.presentation.reply(&Shown::full(&presented.presentation, &memory))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArguments {
    /// Which memories: ns:decisions tag:a,b -tag:c since:7d source:docs/* scope:user status:deleted
    filter: Option<String>,
    /// How much of each memory to return
    #[serde(default = "light")]
    detail: Detail,
    /// How many memories at most, 1 to 500
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 500))]
    limit: usize,
    /// Where the answer before ended, to go on from there
    cursor: Option<String>,
}

fn light() -> Detail {
    Detail::Light
}

fn fifty() -> usize {
    50
}

pub(super) async fn list(
    arguments: ListArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let access = presented.access(&context)?;
    let filter = presented.filter(arguments.filter.as_deref(), &access)?;
    let page = PageRequest { after: arguments.cursor, limit: arguments.limit.clamp(1, 500) };
    presented.newest(access, filter, page, arguments.detail).await
}

/// Most bytes of content in one history.
const MAX_HISTORY_BYTES: usize = 512 << 10;
/// How many characters of a shortened version are shown.
const PASSAGE_CHARS: usize = 200;

#[derive(Debug, Serialize)]
struct HistoryResult<'a> {
    id: &'a str,
    versions: Vec<ShownPast<'a>>,
}

pub(super) async fn history(
    arguments: OneArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let id = presented.id(&arguments.id)?;
    let past = presented.shared().memories.history(presented.access(&context)?, id.clone()).await;
    let past = past.map_err(|error| presented.refused(error))?;
    let mut left = MAX_HISTORY_BYTES;
    let mut versions: Vec<ShownPast<'_>> = Vec::new();
    // The newest versions are shown in full; once the budget is used up, only their beginnings.
    for past in past.iter().rev() {
        left = left.saturating_sub(past.content.len());
        versions.push(ShownPast::of(past, if left == 0 { PASSAGE_CHARS } else { usize::MAX }));
    }
    versions.reverse();
    presented.presentation.reply(&HistoryResult { id: id.as_str(), versions })
}

#[derive(Debug, Serialize)]
struct StatusResult {
    project: String,
    memories: BTreeMap<&'static str, u64>,
    deleted: u64,
    embeddings: EmbeddingStatus,
    secrets: &'static str,
}

#[derive(Debug, Serialize)]
struct EmbeddingStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    embedded: u64,
    total: u64,
}

pub(super) async fn status(context: Context<PresentedMemory>) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let shared = presented.shared();
    let access = presented.access(&context)?;
    let mut memories = BTreeMap::new();
    for scope in ScopeKind::ALL {
        let filter = MemoryFilter { scopes: vec![scope], ..MemoryFilter::default() };
        let count = shared.memories.count(access.clone(), filter).await;
        memories.insert(scope.as_str(), count.map_err(|error| presented.store(&error))?);
    }
    let gone = MemoryFilter { statuses: vec![MemoryStatus::Deleted], ..MemoryFilter::default() };
    let deleted = shared.memories.count(access.clone(), gone).await;
    let deleted = deleted.map_err(|error| presented.store(&error))?;
    let model = shared.recall.embedder.as_ref().map(|it| it.model().to_string());
    let (embedded, total) = match &model {
        Some(model) => {
            let everywhere = MemoryAccess { project: None, ..access.clone() };
            let counted = shared.recall.search.embedded_within(everywhere, model.clone()).await;
            counted.map_err(|error| presented.store(&error))?
        }
        None => (0, memories.values().sum()),
    };
    let project = access.project.map(|it| it.to_string()).unwrap_or_default();
    let embeddings = EmbeddingStatus { model, embedded, total };
    let secrets = shared.settings.secrets.word();
    presented.presentation.reply(&StatusResult { project, memories, deleted, embeddings, secrets })
}

#[derive(Debug, Serialize)]
struct NamespaceResult {
    namespaces: Vec<NamespaceLine>,
}

#[derive(Debug, Serialize)]
struct NamespaceLine {
    name: String,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<&'static str>,
}

pub(super) async fn namespaces(context: Context<PresentedMemory>) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let access = presented.access(&context)?;
    let used = presented.shared().memories.namespaces(access, MemoryFilter::default()).await;
    let used = used.map_err(|error| presented.store(&error))?;
    let about = |name: &str| WELL_KNOWN.iter().find(|(it, _)| *it == name).map(|(_, about)| *about);
    let mut lines: Vec<NamespaceLine> = WELL_KNOWN
        .iter()
        .filter(|(name, _)| match &presented.presentation.namespaces {
            NamespaceRule::Open => true,
            NamespaceRule::Closed(known) => known.iter().any(|it| it.as_str() == *name),
        })
        .map(|(name, about)| NamespaceLine { name: (*name).into(), count: 0, about: Some(about) })
        .collect();
    for count in used {
        match lines.iter_mut().find(|line| line.name == count.word) {
            Some(line) => line.count = count.count,
            None => {
                let about = about(&count.word);
                lines.push(NamespaceLine { name: count.word, count: count.count, about });
            }
        }
    }
    presented.presentation.reply(&NamespaceResult { namespaces: lines })
}
