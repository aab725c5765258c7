//! `/ui/api/audit`: the newest lines of the audit log, filtered and page by page, and all of them
//! as a download. A principal gets the lines about its own requests.
//!
//! What must stay true: it reads the log and never writes it, one reader at a time, with bounded
//! memory.

mod line_cursor;
mod own_lines;
mod search;

use super::query::PageQuery;
use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use bytes::Bytes;
use hobnob_mcp_http::ReplyBody;
use hobnob_policy::audit::{AuditEntry, AuditFilter, AuditReader};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Response};
use own_lines::shown_line;
use search::AuditSearch;
use serde::Serialize;
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::spawn_blocking;

/// How many lines one page has.
const USUAL_LINES: usize = 200;
const MAX_LINES: usize = 1_000;

/// How long the words of a search may be together.
const MAX_WORDS_CHARS: usize = 200;

/// A download is sent in blocks of this size; a few of them wait for a slow reader.
const BLOCK_BYTES: usize = 64 << 10;
const WAITING_BLOCKS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(3);

/// One page of lines.
#[derive(Serialize)]
struct AuditJson {
    lines: Vec<AuditEntry>,
    next: Option<String>,
}

pub(super) async fn read(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let path = log_of(request)?;
    let query = PageQuery::of(request.request.uri().query());
    let limit = query.number("limit")?.unwrap_or(USUAL_LINES);
    let words = query.text("q")?.unwrap_or_default();
    if !(1..=MAX_LINES).contains(&limit) {
        return Err(PageProblem::bad_input(format!("`limit` must be 1 to {MAX_LINES}")));
    }
    if MAX_WORDS_CHARS < words.chars().count() {
        let text = format!("`q` may have {MAX_WORDS_CHARS} characters");
        return Err(PageProblem::bad_input(text));
    }
    let filter = AuditFilter { outcome: query.text("outcome")?, ..own(request) };
    let search = AuditSearch::new(filter, &words, query.text("before")?, limit);
    // Waits for its turn; a page that is gone gives up its place.
    let turn = reads_of(request).acquire_owned().await;
    let turn = turn.map_err(|_| PageProblem::stopping())?;
    let found = spawn_blocking(move || {
        let _turn = turn;
        search.run(&path)
    });
    let found = found.await.map_err(io::Error::other).flatten().map_err(unreadable)?;
    let found = found.ok_or_else(|| {
        PageProblem::bad_input(
            "`before` names a line that the log does not have any more; begin with the newest lines",
        )
    })?;
    let lines = match request.principal_page() {
        None => found.lines,
        Some(_) => found.lines.into_iter().map(shown_line).collect(),
    };
    json(&AuditJson { lines, next: found.next })
}

pub(super) fn export(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let path = log_of(request)?;
    let turn = reads_of(request).try_acquire_owned();
    let busy = "another page reads the audit log; try again in a moment";
    let turn = turn.map_err(|_| PageProblem::too_many(busy))?;
    let reader = AuditReader::open(&path, own(request)).map_err(unreadable)?;
    let shown = if request.principal_page().is_some() { shown_line } else { |line| line };
    let (blocks, body) = ReplyBody::queued(WAITING_BLOCKS);
    // Its owner is the response: when that is dropped, the queue is closed and the thread ends.
    drop(spawn_blocking(move || send_lines(reader, shown, &blocks, turn)));
    let mut answer = Response::new(body);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    let name = HeaderValue::from_static("attachment; filename=\"hobnob-audit.jsonl\"");
    headers.insert(CONTENT_DISPOSITION, name);
    Ok(answer)
}

/// All lines for the owner, and the own ones for another principal.
fn own(request: &SessionRequest<'_>) -> AuditFilter {
    let principal = request.principal_page().map(|page| page.principal().as_str().to_owned());
    AuditFilter { principal, ..AuditFilter::default() }
}

/// The turns of the session's holder: a slow reader holds up no other.
fn reads_of(request: &SessionRequest<'_>) -> Arc<Semaphore> {
    let own = request.principal_page().map(|page| &page.audit_reads);
    Arc::clone(own.unwrap_or(&request.page.audit_reads))
}

fn log_of(request: &SessionRequest<'_>) -> Result<PathBuf, PageProblem> {
    request.page.options.audit.clone().ok_or_else(|| {
        PageProblem::not_found("calls are not recorded: `hobnob config set audit.enabled true`")
    })
}

fn unreadable(error: io::Error) -> PageProblem {
    // The path of the log stays out of the message; the person at the machine finds it in the log.
    tracing::warn!(%error, "the page cannot read the audit log");
    PageProblem::internal("the audit log cannot be read; see `hobnob audit verify`")
}

/// Sends all lines, oldest first, until the reader of the download is gone.
fn send_lines(
    reader: AuditReader,
    shown: fn(AuditEntry) -> AuditEntry,
    blocks: &mpsc::Sender<Bytes>,
    _turn: OwnedSemaphorePermit,
) {
    let mut block = Vec::with_capacity(BLOCK_BYTES);
    for line in reader {
        let Ok(line) = line.inspect_err(|error| tracing::warn!(%error, "the export is cut short"))
        else {
            return;
        };
        if serde_json::to_writer(&mut block, &shown(line)).is_ok() {
            block.push(b'\n');
        }
        if BLOCK_BYTES <= block.len()
            && blocks.blocking_send(std::mem::take(&mut block).into()).is_err()
        {
            return;
        }
    }
    if !block.is_empty() {
        drop(blocks.blocking_send(block.into()));
    }
}
