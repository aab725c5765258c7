//! The search tool, and the form of its result.

use super::reply::FileReply;
use super::search::{FoundHit, FoundPage, SearchRequest};
use super::search_arguments::SearchArguments;
use super::service::PresentedFiles;
use super::words::{KindWord, counted, time_text};
use hobnob_machine::files::{SearchSkipped, TotalCount};
use hobnob_mcp_toolbox::{Context, ToolError};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;

/// One hit: an entry, or a line of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownHit {
    /// Absolute path of the file or folder
    path: String,
    /// Only of a path that is not UTF-8: the address by which tools find it
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// What it is; a link is not followed
    kind: KindWord,
    /// How many bytes it has
    size: u64,
    /// When its content last changed, RFC 3339
    modified: String,
    /// Number of the line, counted from 1
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// The line, or the part of a long one around the match
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Where the matches are in the text: start and end in bytes
    #[serde(skip_serializing_if = "Vec::is_empty")]
    matches: Vec<[usize; 2]>,
}

/// What was not searched, by reason.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownSkipped {
    /// Files that are no text
    binary: u64,
    /// Files with several names, which the grant does not allow
    hard_linked: u64,
    /// Files and folders that could not be read
    unreadable: u64,
}

/// A page of hits in the order of their paths, with what was left out.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownHits {
    /// The hits by path and line
    hits: Vec<ShownHit>,
    /// How many hits there are on all pages, as far as they were counted
    total: u64,
    /// Whether there may be more than the total
    at_least: bool,
    /// How many files have them
    files: u64,
    /// What was not searched
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<ShownSkipped>,
    /// Where the next page begins
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn search(
    arguments: SearchArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownHits>, ToolError> {
    let presented = context.state();
    let request = SearchRequest {
        wish: arguments.wish(presented)?,
        limit: arguments.limit(),
        path: arguments.path,
        cursor: arguments.cursor,
    };
    let shown = shown_hits(presented.find(&context, request).await?);
    Ok(FileReply::new(hits_text(&shown), shown))
}

fn shown_hits(found: FoundPage) -> ShownHits {
    let SearchSkipped { binary, hard_linked, unreadable } = found.totals.skipped;
    let skipped = ShownSkipped { binary, hard_linked, unreadable };
    ShownHits {
        hits: found.hits.into_iter().map(shown_hit).collect(),
        total: found.totals.hits,
        at_least: found.totals.count == TotalCount::AtLeast,
        files: found.totals.files,
        skipped: Some(skipped).filter(|_| 0 < binary + hard_linked + unreadable),
        next_cursor: found.next,
    }
}

fn shown_hit(found: FoundHit) -> ShownHit {
    let FoundHit { path, uri, hit } = found;
    let (line, text, spans) = match hit.line {
        None => (None, None, Vec::new()),
        Some(line) => (Some(line.number), Some(line.text), line.spans),
    };
    ShownHit {
        path,
        uri,
        kind: hit.kind.into(),
        size: hit.size,
        modified: time_text(hit.modified),
        line,
        text,
        matches: spans.into_iter().map(|span| [span.start, span.end]).collect(),
    }
}

/// The result as text. Lines are grouped by file, as other search programs show them.
fn hits_text(shown: &ShownHits) -> String {
    let more = if shown.at_least { "at least " } else { "" };
    let mut text = format!("{more}{}", counted(shown.total, "hit"));
    if shown.hits.iter().any(|hit| hit.line.is_some()) {
        let _ = write!(text, " in {}", counted(shown.files, "file"));
    }
    let mut file = None;
    for hit in &shown.hits {
        if file != Some(&hit.path) {
            let _ = write!(text, "\n{}{}", hit.path, hit.kind.mark());
            if let Some(uri) = &hit.uri {
                let _ = write!(text, "  {uri}");
            }
            file = Some(&hit.path);
        }
        if let (Some(line), Some(words)) = (hit.line, &hit.text) {
            let _ = write!(text, "\n  {line}: {words}");
        }
    }
    if let Some(ShownSkipped { binary, hard_linked, unreadable }) = &shown.skipped {
        let _ = write!(
            text,
            "\n… not searched: {binary} binary, {hard_linked} with several names, {unreadable} unreadable"
        );
    }
    if let Some(cursor) = &shown.next_cursor {
        let _ = write!(text, "\n… more: cursor {cursor}");
    }
    text
}
