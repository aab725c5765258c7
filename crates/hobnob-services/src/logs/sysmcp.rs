//! The tools in the shape of the profile `sysmcp`: `query` and `list_logs`, with camel-case names
//! and numbered pages.

use super::service::PresentedLogs;
use super::views::EventView;
use hobnob_machine::logs::LogTotal;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_policy::{LogFilter, LogLevel, LogStart};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Entries on a page if the caller sets no limit.
const DEFAULT: f64 = 100.0;
/// The largest integer up to which all integers are exact in JSON numbers.
const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(description = "Event level.")]
pub(super) enum EventLevel {
    Information,
    Warning,
    Error,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventQuery {
    /// Event log name (System, Application, Security, etc.)
    log_name: String,
    /// Maximum number of results (default: 100, max: 10000)
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<f64>,
    /// Pagination offset (default: 0)
    #[schemars(range(min = 0))]
    offset: Option<f64>,
    /// Minimum event level (INFORMATION, WARNING, ERROR)
    min_level: Option<EventLevel>,
    #[schemars(description = "Event source filter")]
    source: Option<String>,
    /// Page number, from 1 on; instead of an offset
    #[schemars(range(min = 1))]
    page: Option<f64>,
    /// Results on a page; the same as limit
    #[schemars(range(min = 1, max = 10_000))]
    page_size: Option<f64>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EventPage<'a> {
    entries: Vec<EventView<'a>>,
    total_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    page: u64,
    page_size: u64,
}

pub(super) async fn query(
    arguments: EventQuery,
    context: Context<PresentedLogs>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let limit =
        integer(presented, "limit", arguments.page_size.or(arguments.limit).unwrap_or(DEFAULT))?;
    let offset = match (arguments.page, arguments.offset) {
        (Some(page), None) => (integer(presented, "page", page)? - 1).saturating_mul(limit),
        (None, offset) => integer(presented, "offset", offset.unwrap_or(0.0))?,
        (Some(_), Some(_)) => return Err(presented.invalid("page: give it or an offset, not both")),
    };
    let min_level = arguments.min_level.map(|level| match level {
        EventLevel::Information => LogLevel::Information,
        EventLevel::Warning => LogLevel::Warning,
        EventLevel::Error => LogLevel::Error,
    });
    // The lowest level of this profile is information, which includes our debug level.
    let min_level = min_level.filter(|level| *level != LogLevel::Information);
    let filter = LogFilter { min_level, source: arguments.source, ..LogFilter::default() };
    let (log, start) = (&arguments.log_name, LogStart::Offset(offset));
    let entries = u32::try_from(limit).unwrap_or(u32::MAX);
    let page = presented.query(&context, log, filter, entries, start).await?;
    let shown: Vec<EventView<'_>> =
        page.entries.iter().map(|entry| EventView::of(log, entry)).collect();
    let next = offset + shown.len() as u64;
    presented.presentation.reply(&EventPage {
        total_count: page.total.map_or(next, LogTotal::count),
        next_offset: page.next_cursor.map(|_| next),
        page: offset / limit + 1,
        page_size: limit,
        entries: shown,
    })
}

/// A number that must be whole: the schema has only one type for numbers.
fn integer(presented: &PresentedLogs, what: &str, number: f64) -> Result<u64, ToolError> {
    match number.fract() == 0.0 && (0.0..=MAX_INTEGER).contains(&number) {
        true => Ok(number as u64),
        false => Err(presented.invalid(format!("{what}: it must be a whole number"))),
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LogNames<'a> {
    logs: Vec<&'a str>,
    total_count: usize,
}

pub(super) async fn list_logs(context: Context<PresentedLogs>) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let logs = presented.list(&context).await?;
    let logs: Vec<&str> = logs.iter().map(|log| log.name.as_str()).collect();
    presented.presentation.reply(&LogNames { total_count: logs.len(), logs })
}
