//! `/ui/api/session`: opens a session for a link or a token, shows it to its page, and ends it.

use super::session_request::{SessionRequest, read_body};
use crate::answers::{PageProblem, PageResponse, done, json};
use crate::page::{HubPage, NotOpened};
use crate::sessions::{PageSession, SessionHolder};
use bytes::Bytes;
use hobnob_mcp_http::TokenBearer;
use http::HeaderValue;
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The body that opens a session: what the person has for it.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Opening {
    /// The owner's one-time link.
    Link(String),
    /// An access token of a principal.
    Token(String),
}

/// A session, as its page reads it.
#[derive(Serialize)]
struct SessionJson<'a> {
    csrf: &'a str,
    rights: &'static str,
    principal: &'a str,
    /// The prefix of the view that answers a principal; empty at the root.
    view: &'a str,
    version: &'a str,
    instance: &'a str,
    project: &'a str,
    profile_names: &'a [String],
}

/// What opens the session, from the body of the request.
pub(crate) fn opening(body: &Bytes) -> Result<Opening, PageProblem> {
    read_body(body)
}

/// Opens the owner's session; the link was redeemed.
pub(crate) fn open_for_owner(
    page: &HubPage,
    set: impl Fn(&str) -> Option<HeaderValue>,
) -> Result<PageResponse, PageProblem> {
    let (cookie, session) =
        page.sessions.open(SessionHolder::Owner).map_err(|_| no_randomness())?;
    shown_first(page, &session, set(cookie.expose()))
}

/// Opens the session of a principal, whose token was accepted.
pub(crate) async fn sign_in(
    page: &HubPage,
    bearer: TokenBearer,
    address: Option<IpAddr>,
    set: impl Fn(&str) -> Option<HeaderValue>,
) -> Result<PageResponse, PageProblem> {
    let opened = page.sign_in(bearer, address).await;
    let (cookie, session) = opened.map_err(|why| match why {
        NotOpened::NoRandomness => no_randomness(),
        NotOpened::Busy => PageProblem::too_many("many people sign in at the moment; try again"),
    })?;
    shown_first(page, &session, set(cookie.expose()))
}

fn no_randomness() -> PageProblem {
    PageProblem::internal("the system gives no random numbers for a session; try again")
}

fn shown_first(
    page: &HubPage,
    session: &PageSession,
    cookie: Option<HeaderValue>,
) -> Result<PageResponse, PageProblem> {
    let mut answer = shown(page, session)?;
    answer.headers_mut().insert(SET_COOKIE, cookie.ok_or_else(no_randomness)?);
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
    let principal = session.principal();
    let shown = SessionJson {
        csrf: session.csrf(),
        rights: "owner",
        principal: principal.as_str(),
        view: "",
        version: &facts.version,
        instance: &facts.instance,
        project: &facts.project,
        profile_names: &facts.profile_names,
    };
    match &session.holder {
        SessionHolder::Owner => json(&shown),
        SessionHolder::Principal(page) => json(&SessionJson {
            rights: "principal",
            view: page.bearer.prefix(),
            // The machine's folders and the views of others are not theirs to know.
            project: "",
            profile_names: &[],
            ..shown
        }),
    }
}
