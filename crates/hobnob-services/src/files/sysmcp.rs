//! The two tools of the profile `sysmcp`, search and stat, in the style that its document
//! prescribes: camel case, offsets, a total on every page.

use super::action::Performed;
use super::search::{FoundHit, SearchRequest};
use super::service::PresentedFiles;
use super::words::{KindWord, time_text};
use hobnob_machine::files::{FileFacts, FileOutcome};
use hobnob_mcp_toolbox::{Context, KitBuilder, ToolError, ToolReply, ToolSpec};
use hobnob_policy::{ContentPattern, FileOperation, FileSearch, LetterCase, PatternSyntax};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Entries on a page if the caller sets no limit.
const DEFAULT_LIMIT: usize = 100;
/// The largest sum of offset and limit.
const MAX: usize = 10_000;

/// Adds both tools to the kit.
pub(super) fn with_tools(kit: KitBuilder<PresentedFiles>) -> KitBuilder<PresentedFiles> {
    kit.tool(
        "search",
        ToolSpec::new("Search files by name or content").schema(search_schema()).read_only(),
        search,
    )
    .tool(
        "stat",
        ToolSpec::new("Get information about a file or folder").schema(stat_schema()).read_only(),
        stat,
    )
}

fn search_schema() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let number = |about: &str| json!({"type": "number", "description": about});
    json!({
        "type": "object",
        "properties": {
            "path": text("Folder to search (default: all granted folders)"),
            "pattern": text("Part of the name, or a glob such as *.log"),
            "content": text("Text that a line of the file contains"),
            "limit": number("Maximum number of results (default: 100, max: 10000)"),
            "offset": number("Pagination offset (default: 0)"),
        },
    })
}

fn stat_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"path": {"type": "string", "description": "File or folder"}},
        "required": ["path"],
    })
}

/// Arguments of the search. `page` and `pageSize` are understood, though not listed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SysSearch {
    path: Option<String>,
    pattern: Option<String>,
    content: Option<String>,
    limit: Option<f64>,
    offset: Option<f64>,
    page: Option<f64>,
    page_size: Option<f64>,
}

/// Arguments of the look at one entry.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SysStat {
    path: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SysEntry {
    path: String,
    name: String,
    #[serde(rename = "type")]
    kind: KindWord,
    size: u64,
    modified: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SysPage {
    entries: Vec<SysEntry>,
    total_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    page: usize,
    page_size: usize,
}

async fn search(
    arguments: SysSearch,
    context: Context<PresentedFiles>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let limit = arguments.limit.or(arguments.page_size);
    let limit = integer(presented, "limit", 1, limit)?.unwrap_or(DEFAULT_LIMIT);
    let offset = match (integer(presented, "offset", 0, arguments.offset)?, arguments.page) {
        (Some(_), Some(_)) => {
            return Err(presented.invalid("page: give an offset or a page, not both"));
        }
        (Some(offset), None) => offset,
        (None, page) => {
            let page = integer(presented, "page", 1, page)?.unwrap_or(1);
            (page - 1).saturating_mul(limit)
        }
    };
    if MAX < offset.saturating_add(limit) {
        let message = format!("offset: offset and limit together are {MAX} at most");
        return Err(presented.invalid(message));
    }
    let pattern = arguments.pattern.filter(|pattern| !pattern.is_empty());
    let is_glob = pattern.as_ref().is_some_and(|it| it.contains(['*', '?', '[', '{']));
    let (glob, name) = if is_glob { (pattern, None) } else { (None, pattern) };
    let content = arguments.content.filter(|text| !text.is_empty());
    let content = content.map(|text| ContentPattern {
        text,
        syntax: PatternSyntax::Literal,
        case: LetterCase::Insensitive,
    });
    let wish = FileSearch { name, glob, content, ..FileSearch::default() };
    let request = SearchRequest { path: arguments.path, wish, limit: offset + limit, cursor: None };
    let found = presented.find(&context, request).await?;
    let shown = found.hits.len().saturating_sub(offset);
    let page = SysPage {
        next_offset: found.next.as_ref().map(|_| offset + shown),
        total_count: found.totals.hits,
        entries: found.hits.into_iter().skip(offset).map(entry).collect(),
        page: offset / limit + 1,
        page_size: limit,
    };
    presented.presentation.reply(&page)
}

fn entry(found: FoundHit) -> SysEntry {
    let FoundHit { path, hit, .. } = found;
    let (line, text) = hit.line.map(|line| (line.number, line.text)).unzip();
    SysEntry {
        name: name_of(&path),
        path,
        kind: hit.kind.into(),
        size: hit.size,
        modified: time_text(hit.modified),
        line,
        text,
    }
}

async fn stat(
    arguments: SysStat,
    context: Context<PresentedFiles>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let Performed { outcome, place } =
        presented.perform(&context, &arguments.path, FileOperation::Stat).await?;
    let FileOutcome::Stat(stat) = outcome else { return Err(presented.unexpected(&outcome)) };
    let FileFacts { kind, size, modified, .. } = stat.facts;
    let path = place.text();
    presented.presentation.reply(&SysEntry {
        name: name_of(&path),
        path,
        kind: kind.into(),
        size,
        modified: time_text(modified),
        line: None,
        text: None,
    })
}

fn name_of(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// A JSON number that must be whole and in range.
fn integer(
    presented: &PresentedFiles,
    what: &str,
    min: usize,
    number: Option<f64>,
) -> Result<Option<usize>, ToolError> {
    let Some(number) = number else { return Ok(None) };
    let wrong =
        || presented.invalid(format!("{what}: it must be a whole number from {min} to {MAX}"));
    if number.fract() != 0.0 || !(0.0..=10_000.0).contains(&number) {
        return Err(wrong());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let count = number as usize;
    Some(count).filter(|count| min <= *count).ok_or_else(wrong).map(Some)
}
