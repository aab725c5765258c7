//! `recall`: what fits a question, best first; or the newest, if nothing is asked.

use crate::face::Failure;
use crate::memory::grammar::parse_filter;
use crate::memory::recall::{Mode, RecallError, RecallRequest};
use crate::memory::service::Desk;
use crate::memory::views::{Detail, Shown, beginning};
use hobnob_store::memory::{Filter, Page, Reach};
use mcp_server::toolbox::{Context, ToolError, ToolReply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Characters of a memory in a list.
const PASSAGE: usize = 200;
/// The most hits of one answer.
const MOST: usize = 100;
/// The most bytes of a question.
const LONGEST: usize = 16 << 10;

/// How memories are found.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ModeWord {
    /// By words and by meaning.
    #[default]
    Hybrid,
    /// By words.
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
    /// How much of each is told
    #[serde(default)]
    detail: Detail,
    /// At most so many, 1 to 100
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
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub(super) async fn recall(
    desk: Desk,
    arguments: RecallArguments,
    context: Context,
) -> Result<ToolReply, ToolError> {
    let reach = desk.reach(&context)?;
    let filter = desk.filter(arguments.filter.as_deref(), &reach)?;
    let limit = arguments.limit.clamp(1, MOST);
    let query = arguments.query.unwrap_or_default();
    if query.trim().is_empty() {
        let page = Page { after: arguments.cursor, most: limit };
        return desk.newest(reach, filter, page, arguments.detail).await;
    }
    if LONGEST < query.len() {
        let message = format!("query: {} bytes, at most {LONGEST}", query.len());
        return Err(desk.face.fail(Failure::Invalid, message));
    }
    let mode = match arguments.mode {
        ModeWord::Hybrid => Mode::Hybrid,
        ModeWord::Text => Mode::Text,
        ModeWord::Vector => Mode::Vector,
    };
    let request = RecallRequest { query, filter, mode, limit, after: arguments.cursor };
    let recalled = desk.inside().recall.recall(reach, request).await;
    let recalled = recalled.map_err(|error| desk.unrecalled(error))?;
    let show = |hit: &'_ crate::memory::recall::Hit| hit.score;
    let memories: Vec<Shown<'_>> = recalled
        .hits
        .iter()
        .map(|hit| {
            let shown = Shown::detailed(&desk.face, &hit.memory, arguments.detail, &hit.snippet);
            shown.scored(show(hit))
        })
        .collect();
    let nothing = memories.is_empty().then(|| "nothing relevant is remembered".to_owned());
    let note = recalled.degraded.clone().or(nothing);
    let count = memories.len();
    desk.face.reply(&RecallResult { count, memories, next_cursor: recalled.next.clone(), note })
}

impl Desk {
    /// A filter as the caller wrote it.
    pub(super) fn filter(&self, text: Option<&str>, reach: &Reach) -> Result<Filter, ToolError> {
        parse_filter(text.unwrap_or_default(), reach.now)
            .map_err(|bad| self.face.fail(Failure::Invalid, bad.to_string()))
    }

    /// The newest memories, a page of them.
    pub(super) async fn newest(
        &self,
        reach: Reach,
        filter: Filter,
        page: Page,
        detail: Detail,
    ) -> Result<ToolReply, ToolError> {
        let part = self.inside().memories.list(reach, filter, page).await;
        let part = part.map_err(|error| self.refused(error))?;
        let passages: Vec<String> =
            part.items.iter().map(|memory| beginning(&memory.content, PASSAGE)).collect();
        let memories: Vec<Shown<'_>> = part
            .items
            .iter()
            .zip(&passages)
            .map(|(memory, passage)| Shown::detailed(&self.face, memory, detail, passage))
            .collect();
        let (count, next_cursor) = (memories.len(), part.next.clone());
        self.face.reply(&RecallResult { count, memories, next_cursor, note: None })
    }

    fn unrecalled(&self, error: RecallError) -> ToolError {
        let failure = match &error {
            RecallError::Store(_) => Failure::Storage,
            _ => Failure::Invalid,
        };
        self.face.fail(failure, error.to_string())
    }
}
