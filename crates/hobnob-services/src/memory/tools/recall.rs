//! The tool `recall`: the memories that match a question, best first; without one, the newest.
//!
//! An empty answer means that nothing relevant is stored; it is no failure.

use super::look::ReadTools;
use crate::memory::recall::{RecallError, RecallMode, RecallRequest};
use crate::memory::views::{Detail, Shown, beginning};
use crate::presentation::{Failure, ToolResult};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_store::memory::{Memory, MemoryAccess, MemoryFilter, PageRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many characters of a memory a list shows.
const PASSAGE_CHARS: usize = 200;
/// Most hits in one answer.
const MAX_HITS: usize = 100;
/// Most bytes of content in one answer.
const MAX_CONTENT_BYTES: usize = 512 << 10;
/// Longest question, in bytes.
const MAX_QUERY_BYTES: usize = 16 << 10;

/// The note in an answer if even its best hit is weak.
const WEAK_MATCHES: &str = "weak matches: they may have nothing to do with the question";

/// How memories are found.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ModeWord {
    /// By words and by meaning.
    #[default]
    Hybrid,
    #[schemars(description = "By words.")]
    Text,
    /// By meaning; needs an embedding model.
    Vector,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecallArguments {
    /// What you want to know, as a question or in words; the newest memories if not given
    query: Option<String>,
    /// Which memories count: ns:decisions tag:a,b -tag:c since:7d until:2026-01-31 source:docs/*
    /// scope:project,user,org status:active,superseded,deleted
    filter: Option<String>,
    /// How memories are found
    #[serde(default)]
    mode: ModeWord,
    /// How much of each memory to return
    #[serde(default)]
    detail: Detail,
    /// How many memories at most, 1 to 100
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    limit: usize,
    /// Where the answer before ended, to go on from there
    cursor: Option<String>,
}

fn ten() -> usize {
    10
}

#[derive(Debug, Serialize)]
struct RecallResult<'a> {
    count: usize,
    memories: Vec<Shown<'a>>,
    /// The probability that the first memory answers the question, in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// The budget for full contents in one answer; beyond it, a memory is shown by a passage.
struct Budget {
    detail: Detail,
    left: usize,
    cut: usize,
}

impl Budget {
    fn new(detail: Detail) -> Self {
        Self { detail, left: MAX_CONTENT_BYTES, cut: 0 }
    }

    fn take(&mut self, memory: &Memory) -> Detail {
        if self.detail != Detail::Full {
            return self.detail;
        }
        match self.left.checked_sub(memory.content.len()) {
            Some(left) => {
                self.left = left;
                Detail::Full
            }
            None => {
                self.cut += 1;
                Detail::Medium
            }
        }
    }

    fn note(&self) -> Option<String> {
        let cut = self.cut;
        (0 < cut).then(|| format!("{cut} of them are too long to be shown in full: get them"))
    }
}

/// Joins several notes into one.
fn joined<const N: usize>(notes: [Option<String>; N]) -> Option<String> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    if notes.is_empty() { None } else { Some(notes.join("; ")) }
}

impl ReadTools {
    pub(super) async fn recall(&self, given: RecallArguments, call: &CallContext) -> ToolResult {
        let access = self.memories.access(call)?;
        let filter = self.view.filter(given.filter.as_deref(), &access)?;
        let limit = given.limit.clamp(1, MAX_HITS);
        let query = given.query.unwrap_or_default();
        if query.trim().is_empty() {
            let page = PageRequest { after: given.cursor, limit };
            return self.newest(access, filter, page, given.detail).await;
        }
        if MAX_QUERY_BYTES < query.len() {
            let message = format!("query: {} bytes, at most {MAX_QUERY_BYTES}", query.len());
            return Err(self.view.fail(Failure::Invalid, message));
        }
        let mode = match given.mode {
            ModeWord::Hybrid => RecallMode::Hybrid,
            ModeWord::Text => RecallMode::Text,
            ModeWord::Vector => RecallMode::Vector,
        };
        let request = RecallRequest { query, filter, mode, limit, after: given.cursor };
        let recalled = self.recall.recall(access, request).await;
        let recalled = recalled.map_err(|error| self.unrecalled(error))?;
        let mut budget = Budget::new(given.detail);
        let memories: Vec<Shown<'_>> = recalled
            .hits
            .iter()
            .map(|hit| {
                let detail = budget.take(&hit.memory);
                Shown::detailed(&self.view, &hit.memory, detail, &hit.snippet).found(hit)
            })
            .collect();
        let count = memories.len();
        let nothing = (count == 0).then(|| "nothing relevant is remembered".to_owned());
        let weak = recalled.weak.then(|| WEAK_MATCHES.to_owned());
        let notes = [nothing, weak, recalled.degraded.clone(), budget.note()];
        let note = joined(notes);
        let confidence = recalled.confidence.map(|it| (it * 100.0).round() / 100.0);
        let next_cursor = recalled.next.clone();
        self.view.reply(&RecallResult { count, memories, confidence, next_cursor, note })
    }

    /// One page of the newest memories.
    pub(super) async fn newest(
        &self,
        access: MemoryAccess,
        filter: MemoryFilter,
        page: PageRequest,
        detail: Detail,
    ) -> ToolResult {
        let part = self.view.result(self.memories.store.list(access, filter, page).await)?;
        let passages: Vec<String> =
            part.items.iter().map(|memory| beginning(&memory.content, PASSAGE_CHARS)).collect();
        let mut budget = Budget::new(detail);
        let memories: Vec<Shown<'_>> = part
            .items
            .iter()
            .zip(&passages)
            .map(|(memory, passage)| {
                Shown::detailed(&self.view, memory, budget.take(memory), passage)
            })
            .collect();
        let (count, next_cursor) = (memories.len(), part.next.clone());
        let note = budget.note();
        self.view.reply(&RecallResult { count, memories, confidence: None, next_cursor, note })
    }

    fn unrecalled(&self, error: RecallError) -> ToolError {
        let failure = match &error {
            RecallError::Store(_) => Failure::Storage,
            _ => Failure::Invalid,
        };
        self.view.fail(failure, error.to_string())
    }
}
