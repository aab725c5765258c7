//! `/ui/api/recordings/…`: starts, lists and stops recordings of messages, and reads their messages
//! page by page, one with everything that belongs to it, or all of them as a download.
//!
//! What must stay true: answers are bounded in messages and in bytes; texts are sent as JSON strings.

use super::query::PageQuery;
use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, done, json};
use crate::message_recordings::{
    NotStarted, RecordedKind, RecordedMessage, RecordingSubject, WantedRecording,
};
use bytes::Bytes;
use hobnob_mcp_http::ReplyBody;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Method, Response};
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

/// How long a recording may run, in minutes.
const MAX_MINUTES: u64 = 60;
const USUAL_MINUTES: u64 = 10;

/// How many messages one page of the list has.
const USUAL_MESSAGES: usize = 100;
const MAX_MESSAGES: usize = 500;

/// How much of a message the list shows, in characters.
const PREVIEW_CHARS: usize = 200;

/// How long the words of a search, and the name of a client, may be.
const MAX_WORDS_CHARS: usize = 200;

/// How many messages are shown beside one that belong to the same call, and the size of their texts.
const MAX_RELATED: usize = 20;
const MAX_RELATED_BYTES: usize = 1 << 20;

/// How many messages of a download wait for a slow reader.
const WAITING_MESSAGES: NonZeroUsize = NonZeroUsize::MIN.saturating_add(3);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartBody {
    subject: RecordingSubject,
    minutes: Option<u64>,
}

#[derive(Serialize)]
struct StartedJson {
    id: u64,
}

/// One page of messages, the newest first.
#[derive(Serialize)]
struct MessagesJson {
    /// With only the beginnings of their texts.
    messages: Vec<RecordedMessage>,
    /// The number before which the next page begins.
    next: Option<u64>,
}

/// A message with its text, and the other messages of its exchange and its call.
#[derive(Serialize)]
struct WholeMessageJson<'a> {
    message: &'a RecordedMessage,
    related: Vec<&'a RecordedMessage>,
    /// How many of those are left out.
    left_out: usize,
}

pub(super) async fn start_or_list(
    request: &SessionRequest<'_>,
) -> Result<PageResponse, PageProblem> {
    match request.request.method() == Method::POST {
        true => start(request).await,
        false => json(&request.page.options.source.recordings().list()),
    }
}

async fn start(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let StartBody { subject, minutes } = request.body()?;
    let minutes = minutes.unwrap_or(USUAL_MINUTES);
    if !(1..=MAX_MINUTES).contains(&minutes) {
        return Err(PageProblem::bad_input(format!("`minutes` must be 1 to {MAX_MINUTES}")));
    }
    if let RecordingSubject::Server(name) | RecordingSubject::Client(name) = &subject
        && (name.is_empty() || MAX_WORDS_CHARS < name.chars().count())
    {
        let text = format!("a name has 1 to {MAX_WORDS_CHARS} characters");
        return Err(PageProblem::bad_input(text));
    }
    let wanted = WantedRecording { subject, time: Duration::from_secs(60 * minutes) };
    match request.page.options.source.recordings().start(wanted).await {
        Ok(id) => json(&StartedJson { id }),
        Err(NotStarted::UnknownServer) => {
            Err(PageProblem::not_found("there is no such server in the configuration"))
        }
        Err(NotStarted::Refused(why)) => Err(PageProblem::conflict(why)),
    }
}

pub(super) fn stop(
    request: &SessionRequest<'_>,
    recording: u64,
) -> Result<PageResponse, PageProblem> {
    match request.page.options.source.recordings().stop(recording) {
        true => Ok(done()),
        false => Err(over()),
    }
}

pub(super) async fn messages(
    request: &SessionRequest<'_>,
    recording: u64,
) -> Result<PageResponse, PageProblem> {
    let query = PageQuery::of(request.request.uri().query());
    let limit = query.number("limit")?.unwrap_or(USUAL_MESSAGES);
    let before = query.number("before")?.unwrap_or(u64::MAX);
    let words = query.text("q")?.unwrap_or_default().to_lowercase();
    if !(1..=MAX_MESSAGES).contains(&limit) {
        return Err(PageProblem::bad_input(format!("`limit` must be 1 to {MAX_MESSAGES}")));
    }
    if MAX_WORDS_CHARS < words.chars().count() {
        let text = format!("`q` may have {MAX_WORDS_CHARS} characters");
        return Err(PageProblem::bad_input(text));
    }
    let all = request.page.options.source.recordings().messages(recording).ok_or_else(over)?;
    // A search reads some megabytes.
    let found = spawn_blocking(move || {
        let words: Vec<&str> = words.split_whitespace().collect();
        let fits = |it: &&Arc<RecordedMessage>| it.number < before && matches(it, &words);
        let newest = all.iter().rev().filter(fits).take(limit + 1);
        newest.cloned().collect::<Vec<_>>()
    });
    let found = found.await.map_err(|_| PageProblem::internal("the messages cannot be read"))?;
    let shown = &found[..found.len().min(limit)];
    let has_more = limit < found.len();
    json(&MessagesJson {
        messages: shown.iter().map(|it| it.beginning(PREVIEW_CHARS)).collect(),
        next: shown.last().filter(|_| has_more).map(|last| last.number),
    })
}

pub(super) fn message(
    request: &SessionRequest<'_>,
    recording: u64,
    number: u64,
) -> Result<PageResponse, PageProblem> {
    let all = request.page.options.source.recordings().messages(recording).ok_or_else(over)?;
    let message = all
        .iter()
        .find(|it| it.number == number)
        .ok_or_else(|| PageProblem::not_found("newer messages have taken the place of this one"))?;
    let mut belonging: Vec<&RecordedMessage> = all
        .iter()
        .map(|it| &**it)
        .filter(|it| it.number != number && belongs(it, message))
        .collect();
    let count = belonging.len();
    // A call may have any number of notifications, which must not take the place of its answer.
    belonging.sort_by_key(|it| (it.kind == RecordedKind::Notification, it.number));
    let mut room = MAX_RELATED_BYTES;
    let related = belonging.into_iter().take(MAX_RELATED).map_while(|it| {
        room = room.checked_sub(it.text.len())?;
        Some(it)
    });
    let related: Vec<_> = related.collect();
    json(&WholeMessageJson { message, left_out: count - related.len(), related })
}

pub(super) fn export(
    request: &SessionRequest<'_>,
    recording: u64,
) -> Result<PageResponse, PageProblem> {
    let all = request.page.options.source.recordings().messages(recording).ok_or_else(over)?;
    let (lines, body) = ReplyBody::queued(WAITING_MESSAGES);
    // Its owner is the response: when that is dropped, the queue is closed and the thread ends.
    drop(spawn_blocking(move || send_lines(all, &lines)));
    let mut answer = Response::new(body);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    let name = HeaderValue::from_static("attachment; filename=\"hobnob-recording.jsonl\"");
    headers.insert(CONTENT_DISPOSITION, name);
    Ok(answer)
}

fn send_lines(all: Vec<Arc<RecordedMessage>>, lines: &mpsc::Sender<Bytes>) {
    for message in all {
        let Ok(mut line) = serde_json::to_vec(&*message) else { return };
        line.push(b'\n');
        if lines.blocking_send(line.into()).is_err() {
            return;
        }
    }
}

fn over() -> PageProblem {
    PageProblem::not_found("the recording is over, and its messages are gone")
}

/// Whether a message has all words in its text, its method or the names of its peers.
fn matches(message: &RecordedMessage, words: &[&str]) -> bool {
    if words.is_empty() {
        return true;
    }
    let parts = [&message.method, &message.client, &message.server].into_iter().flatten();
    let mut text = message.text.to_lowercase();
    for part in parts {
        text.push('\n');
        text.push_str(&part.to_lowercase());
    }
    words.iter().all(|word| text.contains(word))
}

/// Whether two messages belong to one exchange or one call.
fn belongs(one: &RecordedMessage, other: &RecordedMessage) -> bool {
    let same = |one: Option<u64>, other: Option<u64>| one.is_some() && one == other;
    same(one.exchange, other.exchange) || same(one.call, other.call)
}
