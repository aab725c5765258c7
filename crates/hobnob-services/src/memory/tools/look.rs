//! The tools `get`, `list`, `history`, `status` and `namespaces`, which read without a search.
//!
//! They change nothing, and answer in pages where a list may be long.

use crate::memory::caller_memories::CallerMemories;
use crate::memory::recall::Recall;
use crate::memory::settings::SecretsRule;
use crate::memory::view::MemoryView;
use crate::memory::views::{Detail, Shown, ShownPast};
use crate::memory::words::WELL_KNOWN;
use crate::presentation::{NamespaceRule, ToolResult};
use hobnob_mcp_toolbox::CallContext;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, MemoryStatus, PageRequest, ScopeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OneArguments {
    /// The memory's id or URN
    id: String,
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

/// Most bytes of content in one history.
const MAX_HISTORY_BYTES: usize = 512 << 10;
/// How many characters of a shortened version are shown.
const PASSAGE_CHARS: usize = 200;

#[derive(Debug, Serialize)]
struct HistoryResult<'a> {
    id: &'a str,
    versions: Vec<ShownPast<'a>>,
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
    /// The models beside the main one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    beside: Vec<ModelStatus>,
}

#[derive(Debug, Serialize)]
struct ModelStatus {
    model: String,
    embedded: u64,
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

/// The tools that read and find memories.
pub(super) struct ReadTools {
    pub(super) view: MemoryView,
    pub(super) memories: Arc<CallerMemories>,
    pub(super) recall: Arc<Recall>,
    /// What happens to secrets, for the status.
    pub(super) secrets: SecretsRule,
}

impl ReadTools {
    pub(super) async fn list(&self, given: ListArguments, call: &CallContext) -> ToolResult {
        let access = self.memories.access(call)?;
        let filter = self.view.filter(given.filter.as_deref(), &access)?;
        let page = PageRequest { after: given.cursor, limit: given.limit.clamp(1, 500) };
        self.newest(access, filter, page, given.detail).await
    }

    pub(super) async fn get(&self, given: OneArguments, call: &CallContext) -> ToolResult {
        let memory = self.memories.find(self.memories.access(call)?, &given.id).await?;
        self.view.reply(&Shown::full(&self.view, &memory))
    }

    pub(super) async fn history(&self, given: OneArguments, call: &CallContext) -> ToolResult {
        let id = self.view.id(&given.id)?;
        let past = self.memories.store.history(self.memories.access(call)?, id.clone()).await;
        let past = self.view.result(past)?;
        let mut left = MAX_HISTORY_BYTES;
        let mut versions: Vec<ShownPast<'_>> = Vec::new();
        // The newest versions are shown in full; once the budget is used up, only their beginnings.
        for past in past.iter().rev() {
            left = left.saturating_sub(past.content.len());
            versions.push(ShownPast::of(past, if left == 0 { PASSAGE_CHARS } else { usize::MAX }));
        }
        versions.reverse();
        self.view.reply(&HistoryResult { id: id.as_str(), versions })
    }

    pub(super) async fn status(&self, call: &CallContext) -> ToolResult {
        let access = self.memories.access(call)?;
        let mut memories = BTreeMap::new();
        for scope in ScopeKind::ALL {
            let filter = MemoryFilter { scopes: vec![scope], ..MemoryFilter::default() };
            let count = self.memories.store.count(access.clone(), filter).await;
            memories.insert(scope.as_str(), self.view.result(count)?);
        }
        let gone =
            MemoryFilter { statuses: vec![MemoryStatus::Deleted], ..MemoryFilter::default() };
        let deleted = self.view.result(self.memories.store.count(access.clone(), gone).await)?;
        let everywhere = MemoryAccess { project: None, ..access.clone() };
        let mut total = memories.values().sum();
        let mut models = Vec::new();
        for embedder in self.recall.models.in_use() {
            let model = embedder.model().to_string();
            let counted = self.recall.search.embedded_within(everywhere.clone(), model.clone());
            let (embedded, all) = self.view.result(counted.await)?;
            models.push(ModelStatus { model, embedded });
            total = all;
        }
        let mut models = models.into_iter();
        let main = models.next();
        let embedded = main.as_ref().map_or(0, |main| main.embedded);
        let model = main.map(|main| main.model);
        let beside = models.collect();
        let project = access.project.map(|it| it.to_string()).unwrap_or_default();
        let embeddings = EmbeddingStatus { model, embedded, total, beside };
        let secrets = self.secrets.word();
        self.view.reply(&StatusResult { project, memories, deleted, embeddings, secrets })
    }

    pub(super) async fn namespaces(&self, call: &CallContext) -> ToolResult {
        let access = self.memories.access(call)?;
        let about =
            |name: &str| WELL_KNOWN.iter().find(|(it, _)| *it == name).map(|(_, about)| *about);
        let mut lines: Vec<NamespaceLine> = WELL_KNOWN
            .iter()
            .filter(|(name, _)| match &self.view.namespaces {
                NamespaceRule::Open => true,
                NamespaceRule::Closed(known) => known.iter().any(|it| it.as_str() == *name),
            })
            .map(|(name, about)| NamespaceLine {
                name: (*name).into(),
                count: 0,
                about: Some(about),
            })
            .collect();
        let used = self.memories.store.namespaces(access, MemoryFilter::default()).await;
        for count in self.view.result(used)? {
            match lines.iter_mut().find(|line| line.name == count.word) {
                Some(line) => line.count = count.count,
                None => {
                    let about = about(&count.word);
                    lines.push(NamespaceLine { name: count.word, count: count.count, about });
                }
            }
        }
        self.view.reply(&NamespaceResult { namespaces: lines })
    }
}
