//! The tools in Hobnob's own shape: `list`, `query` and `tail`.

use super::service::{PresentedLogs, TailEnd};
use super::views::{EntryView, line};
use hobnob_machine::logs::LogTotal;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_policy::{LogFilter, LogLevel, LogStart};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Entries on a page if the caller sets no limit.
const DEFAULT_PAGE_SIZE: u32 = 100;
/// Entries after which a tail ends if the caller sets no limit.
const DEFAULT_TAIL: u32 = 100;
/// Seconds after which a tail ends if the caller sets no limit.
const DEFAULT_SECONDS: u32 = 30;

#[derive(Debug, Serialize)]
struct LogsView<'a> {
    logs: Vec<LogView<'a>>,
    count: usize,
}

#[derive(Debug, Serialize)]
struct LogView<'a> {
    name: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

pub(super) async fn list(context: Context<PresentedLogs>) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let logs = presented.list(&context).await?;
    let logs: Vec<LogView<'_>> = logs
        .iter()
        .map(|log| LogView { name: &log.name, kind: log.kind, bytes: log.bytes })
        .collect();
    presented.presentation.reply(&LogsView { count: logs.len(), logs })
}

/// A level in our own words.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(description = "How important an entry is.")]
pub(super) enum LevelWord {
    Debug,
    Information,
    Warning,
    Error,
    Critical,
}

impl From<LevelWord> for LogLevel {
    fn from(word: LevelWord) -> Self {
        match word {
            LevelWord::Debug => Self::Debug,
            LevelWord::Information => Self::Information,
            LevelWord::Warning => Self::Warning,
            LevelWord::Error => Self::Error,
            LevelWord::Critical => Self::Critical,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct QueryArguments {
    /// Name of the log, as `logs_list` shows it
    log: String,
    /// How many entries at most; 100 if not given
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<u32>,
    /// How many entries to pass over; not beside a cursor
    offset: Option<u64>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
    /// Only entries that are at least as important
    min_level: Option<LevelWord>,
    /// Only entries of this program, unit or part of a program, in any case
    source: Option<String>,
    /// Only entries from this time on, RFC 3339
    since: Option<String>,
    /// Only entries up to this time, RFC 3339
    until: Option<String>,
    /// Only entries with this text in their message, in any case
    contains: Option<String>,
}

#[derive(Debug, Serialize)]
struct PageView<'a> {
    entries: Vec<EntryView<'a>>,
    count: usize,
    /// How many entries match in all, or at least.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_is_exact: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn query(
    arguments: QueryArguments,
    context: Context<PresentedLogs>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let QueryArguments { min_level, source, contains, .. } = arguments;
    let filter = LogFilter {
        since: time(presented, "since", arguments.since.as_deref())?,
        until: time(presented, "until", arguments.until.as_deref())?,
        ..conditions(min_level, source, contains)
    };
    let (offset, start) = match (arguments.offset, arguments.cursor) {
        (Some(_), Some(_)) => {
            return Err(presented.invalid("offset: give it or a cursor, not both"));
        }
        (None, Some(cursor)) => (None, LogStart::Cursor(cursor)),
        (offset, None) => (Some(offset.unwrap_or(0)), LogStart::Offset(offset.unwrap_or(0))),
    };
    let limit = arguments.limit.unwrap_or(DEFAULT_PAGE_SIZE);
    let page = presented.query(&context, &arguments.log, filter, limit, start).await?;
    let entries: Vec<EntryView<'_>> =
        page.entries.iter().map(|entry| EntryView::of(&arguments.log, entry)).collect();
    let full = u64::from(limit) <= entries.len() as u64 && page.next_cursor.is_some();
    let next_offset = offset.filter(|_| full).map(|offset| offset + entries.len() as u64);
    presented.presentation.reply(&PageView {
        count: entries.len(),
        entries,
        total: page.total.map(LogTotal::count),
        total_is_exact: page.total.map(|total| matches!(total, LogTotal::Exactly(_))),
        next_offset,
        next_cursor: page.next_cursor,
    })
}

/// The conditions that queries and tails have in common.
fn conditions(
    min_level: Option<LevelWord>,
    source: Option<String>,
    contains: Option<String>,
) -> LogFilter {
    let min_level = min_level.map(Into::into);
    LogFilter { min_level, source, contains, ..LogFilter::default() }
}

fn time(
    presented: &PresentedLogs,
    what: &str,
    text: Option<&str>,
) -> Result<Option<Timestamp>, ToolError> {
    let parse = |text: &str| {
        text.parse::<Timestamp>().map_err(|_| {
            let example = "write it as 2024-02-10T10:30:45Z";
            presented.invalid(format!("{what}: it is no time of RFC 3339; {example}"))
        })
    };
    text.map(parse).transpose()
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TailArguments {
    /// Name of the log, as `logs_list` shows it
    log: String,
    /// After how many entries to end; 100 if not given
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<u32>,
    /// After how many seconds to end; 30 if not given
    #[schemars(range(min = 1, max = 300))]
    seconds: Option<u32>,
    /// Only entries that are at least as important
    min_level: Option<LevelWord>,
    /// Only entries of this program, unit or part of a program, in any case
    source: Option<String>,
    /// Only entries with this text in their message, in any case
    contains: Option<String>,
}

#[derive(Debug, Serialize)]
struct TailView<'a> {
    /// The entries in the order in which they arrived, oldest first.
    entries: Vec<EntryView<'a>>,
    count: usize,
    /// `time`, `limit` or `grants_changed`.
    ended: &'static str,
}

pub(super) async fn tail(
    arguments: TailArguments,
    context: Context<PresentedLogs>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let filter = conditions(arguments.min_level, arguments.source, arguments.contains);
    let wait = Duration::from_secs(u64::from(arguments.seconds.unwrap_or(DEFAULT_SECONDS)));
    let ends = (arguments.limit.unwrap_or(DEFAULT_TAIL), wait);
    let watching = context.clone();
    let each = move |count: usize, entry: &hobnob_machine::logs::LogEntry| {
        watching.progress(count as f64, None, Some(&line(entry)));
    };
    let (entries, end) = presented.tail(&context, &arguments.log, filter, ends, each).await?;
    let entries: Vec<EntryView<'_>> =
        entries.iter().map(|entry| EntryView::of(&arguments.log, entry)).collect();
    let ended = match end {
        TailEnd::Time => "time",
        TailEnd::Limit => "limit",
        TailEnd::GrantsChanged => "grants_changed",
    };
    presented.presentation.reply(&TailView { count: entries.len(), entries, ended })
}
