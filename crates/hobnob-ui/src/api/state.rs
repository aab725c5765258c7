//! `/ui/api/state` and `/ui/events`: the whole state once, and everything that happens from there.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use crate::events::{PageEventStream, TooManyStreams};
use crate::hub_state::HubState;
use hobnob_mcp_http::ReplyBody;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Response};
use std::sync::Arc;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) async fn read(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let calls = request.events().calls_now();
    let state = HubState::read(&request.events().source).await;
    let state = state.ok_or_else(|| PageProblem::internal("the hub has no status; see its log"))?;
    json(&state.with_calls(&calls.now))
}

pub(super) fn events(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let after = request.request.headers().get(LAST_EVENT_ID);
    // An id that is no number is unknown, like one of another hub: the stream begins with a state.
    let after = after.and_then(|id| id.to_str().ok()?.parse().ok());
    let life = Arc::clone(&request.session.life);
    let stream = PageEventStream::open(request.events(), life, after);
    let stream = stream.map_err(|TooManyStreams| {
        PageProblem::too_many("too many pages of this hub are open; close some of them")
    })?;
    let mut answer = Response::new(ReplyBody::stream(stream));
    let kind = HeaderValue::from_static("text/event-stream");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(answer)
}
