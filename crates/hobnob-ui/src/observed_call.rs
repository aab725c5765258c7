//! A call as the page shows it: shortened when it is kept, and written as JSON when it is sent.
//! `feed` keeps calls, and the state and the event stream write them.
//!
//! What must stay true: every text in a call was chosen by a client or a server, so each is cut.

use hobnob_gateway::{ObservedCall, ObservedEnd, ObservedProgress};
use hobnob_policy::audit::AuditOutcome;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// The longest text of a call that is kept, in bytes.
pub(crate) const MAX_TEXT_BYTES: usize = 2 << 10;

/// A call that runs, and how far it has come if it says so.
#[derive(Clone)]
pub(crate) struct CallInProgress {
    pub(crate) call: Arc<ObservedCall>,
    pub(crate) progress: Option<Arc<ObservedProgress>>,
}

/// A call that has ended.
#[derive(Clone)]
pub(crate) struct EndedCall {
    pub(crate) call: Arc<ObservedCall>,
    pub(crate) end: ObservedEnd,
}

/// The call itself if its texts are short, otherwise one with shortened texts.
pub(crate) fn shortened(call: &Arc<ObservedCall>) -> Arc<ObservedCall> {
    let optional = [&call.server, &call.original, &call.client, &call.via];
    let optional = optional.into_iter().filter_map(|text| text.as_deref());
    let mut texts = optional.chain([&*call.target, &*call.principal]);
    if texts.all(|text| text.len() <= MAX_TEXT_BYTES) {
        return Arc::clone(call);
    }
    let optional = |text: &Option<Box<str>>| text.as_deref().map(cut);
    Arc::new(ObservedCall {
        target: cut(&call.target),
        principal: cut(&call.principal),
        server: optional(&call.server),
        original: optional(&call.original),
        client: optional(&call.client),
        via: optional(&call.via),
        trace: None,
        ..(**call).clone()
    })
}

fn cut(text: &str) -> Box<str> {
    if text.len() <= MAX_TEXT_BYTES {
        return text.into();
    }
    let end = text.floor_char_boundary(MAX_TEXT_BYTES - '…'.len_utf8());
    format!("{}…", &text[..end]).into()
}

/// A running call, as the page reads it.
#[derive(Serialize)]
pub(crate) struct RunningCallJson<'a> {
    id: u64,
    #[serde(serialize_with = "as_text")]
    at: jiff::Timestamp,
    method: &'static str,
    target: &'a str,
    server: Option<&'a str>,
    principal: &'a str,
    client: Option<&'a str>,
    via: Option<&'a str>,
    /// Whether a person makes it on a page of this hub.
    own_page: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<ProgressJson<'a>>,
}

/// How far a call has come, as the page reads it.
#[derive(Serialize)]
pub(crate) struct ProgressJson<'a> {
    at: f64,
    total: Option<f64>,
    message: Option<&'a str>,
}

/// The progress of one call, as the page reads it in an event.
#[derive(Serialize)]
pub(crate) struct MovedCallJson<'a> {
    id: u64,
    progress: ProgressJson<'a>,
}

impl<'a> MovedCallJson<'a> {
    pub(crate) fn new((id, progress): &'a (u64, Arc<ObservedProgress>)) -> Self {
        Self { id: *id, progress: progress.into() }
    }
}

impl<'a> From<&'a Arc<ObservedProgress>> for ProgressJson<'a> {
    fn from(progress: &'a Arc<ObservedProgress>) -> Self {
        let ObservedProgress { done, total, message } = &**progress;
        Self { at: *done, total: *total, message: message.as_deref() }
    }
}

/// An ended call, as the page reads it.
#[derive(Serialize)]
pub(crate) struct EndedCallJson<'a> {
    id: u64,
    #[serde(serialize_with = "as_text")]
    at: jiff::Timestamp,
    method: &'static str,
    target: &'a str,
    server: Option<&'a str>,
    principal: &'a str,
    client: Option<&'a str>,
    via: Option<&'a str>,
    own_page: bool,
    outcome: &'static str,
    code: Option<i64>,
    duration_us: u64,
    request_bytes: u64,
    result_bytes: u64,
}

impl<'a> From<&'a Arc<ObservedCall>> for RunningCallJson<'a> {
    fn from(call: &'a Arc<ObservedCall>) -> Self {
        Self {
            id: call.id,
            at: call.at,
            method: call.method.as_str(),
            target: &call.target,
            server: call.server.as_deref(),
            principal: &call.principal,
            client: call.client.as_deref(),
            via: call.via.as_deref(),
            own_page: call.client_id.is_own_page(),
            progress: None,
        }
    }
}

impl<'a> From<&'a CallInProgress> for RunningCallJson<'a> {
    fn from(CallInProgress { call, progress }: &'a CallInProgress) -> Self {
        Self { progress: progress.as_ref().map(ProgressJson::from), ..Self::from(call) }
    }
}

impl<'a> From<&'a EndedCall> for EndedCallJson<'a> {
    fn from(EndedCall { call, end }: &'a EndedCall) -> Self {
        Self {
            id: call.id,
            at: call.at,
            method: call.method.as_str(),
            target: &call.target,
            server: call.server.as_deref(),
            principal: &call.principal,
            client: call.client.as_deref(),
            via: call.via.as_deref(),
            own_page: call.client_id.is_own_page(),
            outcome: end.outcome.as_str(),
            code: match end.outcome {
                AuditOutcome::Error(code) => Some(code),
                _ => None,
            },
            duration_us: u64::try_from(end.duration.as_micros()).unwrap_or(u64::MAX),
            request_bytes: call.request_bytes,
            result_bytes: end.result_bytes,
        }
    }
}

/// RFC 3339 in UTC with milliseconds.
fn as_text<S: Serializer>(at: &jiff::Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{at:.3}"))
}
