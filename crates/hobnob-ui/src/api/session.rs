//! `/ui/api/session`: opens a session for a link, shows it to its page, and ends it.

use super::session_request::{SessionRequest, read_body};
use crate::answers::{PageProblem, PageResponse, done, json};
use crate::page::HubPage;
use crate::sessions::PageSession;
use bytes::Bytes;
use hobnob_mcp_engine::Principal;
use http::HeaderValue;
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};

/// The body that opens a session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinkBody {
    link: String,
}

/// A session, as its page reads it.
#[derive(Serialize)]
struct SessionJson<'a> {
    csrf: &'a str,
    principal: &'a str,
    version: &'a str,
    instance: &'a str,
    project: &'a str,
    profile_names: &'a [String],
}

/// The token in the body of a request that opens a session.
pub(crate) fn link_of(body: &Bytes) -> Result<String, PageProblem> {
    read_body::<LinkBody>(body).map(|body| body.link)
}

/// Opens the owner's session; the link was redeemed.
pub(crate) fn open(
    page: &HubPage,
    set: impl Fn(&str) -> Option<HeaderValue>,
) -> Result<PageResponse, PageProblem> {
    let failed = || PageProblem::internal("the system gives no randomness; try `hobnob ui` again");
    // Only the owner gets links.
    let (cookie, session) = page.sessions.open(Principal::anonymous()).map_err(|_| failed())?;
    let mut answer = shown(page, &session)?;
    answer.headers_mut().insert(SET_COOKIE, set(cookie.expose()).ok_or_else(failed)?);
    Ok(answer)
}

pub(super) fn show(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    shown(request.page, &request.session)
}

/// Ends the session; `unset` takes its cookie back.
pub(crate) fn end(request: &SessionRequest<'_>, unset: Option<HeaderValue>) -> PageResponse {
    request.page.sessions.end(&request.session);
    let mut answer = done();
    if let Some(unset) = unset {
        answer.headers_mut().insert(SET_COOKIE, unset);
    }
    answer
}

fn shown(page: &HubPage, session: &PageSession) -> Result<PageResponse, PageProblem> {
    let facts = &page.options.facts;
    json(&SessionJson {
        csrf: session.csrf(),
        principal: session.principal.as_str(),
        version: &facts.version,
        instance: &facts.instance,
        project: &facts.project,
        profile_names: &facts.profile_names,
    })
}
