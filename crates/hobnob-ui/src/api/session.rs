//! `/ui/api/session`: opens a session for a link, a token or a password, shows it to its page, and ends it.

use super::session_request::{SessionRequest, read_body};
use crate::answers::{PageProblem, PageResponse, done, json};
use crate::page::{HubPage, NotOpened};
use crate::secret::PageSecret;
use crate::sessions::{PageSession, SessionHolder};
use bytes::Bytes;
use http::HeaderValue;
use http::header::SET_COOKIE;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The body that opens a session: what the person has for it.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Opening {
    /// The owner's one-time link.
    Link(String),
    /// An access token of a principal.
    Token(String),
    /// The name and the password of a user.
    User {
        /// The name to log in with.
        name: Box<str>,
        /// The password of that user.
        password: Box<str>,
    },
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
    /// How principals sign in at this listener, the usual way first.
    sign_in: &'static [&'static str],
}

/// What opens the session, from the body of the request.
pub(crate) fn opening(body: &Bytes) -> Result<Opening, PageProblem> {
    read_body(body)
}

/// Opens the owner's session; the link was redeemed.
pub(crate) fn open_for_owner(
    page: &HubPage,
    set: impl Fn(&str) -> Option<HeaderValue>,
    sign_in: &'static [&'static str],
) -> Result<PageResponse, PageProblem> {
    let (cookie, session) =
        page.sessions.open(SessionHolder::Owner).map_err(|_| no_randomness())?;
    shown_first(page, &session, set(cookie.expose()), sign_in)
}

/// Shows the session of a principal who has signed in, and sets its cookie.
pub(crate) fn signed_in(
    page: &HubPage,
    opened: Result<(PageSecret, Arc<PageSession>), NotOpened>,
    set: impl Fn(&str) -> Option<HeaderValue>,
    sign_in: &'static [&'static str],
) -> Result<PageResponse, PageProblem> {
    let (cookie, session) = opened.map_err(|why| match why {
        NotOpened::NoRandomness => no_randomness(),
        NotOpened::Busy => PageProblem::too_many("many people sign in at the moment; try again"),
    })?;
    shown_first(page, &session, set(cookie.expose()), sign_in)
}

fn no_randomness() -> PageProblem {
    PageProblem::internal("the system gives no random numbers for a session; try again")
}

fn shown_first(
    page: &HubPage,
    session: &PageSession,
    cookie: Option<HeaderValue>,
    sign_in: &'static [&'static str],
) -> Result<PageResponse, PageProblem> {
    let mut answer = shown(page, session, sign_in)?;
    answer.headers_mut().insert(SET_COOKIE, cookie.ok_or_else(no_randomness)?);
    Ok(answer)
}

pub(super) fn show(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    shown(request.page, &request.session, request.sign_in)
}

/// Ends the session, and the login that was made for it; `unset` takes its cookie back.
pub(crate) async fn end(request: &SessionRequest<'_>, unset: Option<HeaderValue>) -> PageResponse {
    request.page.sessions.end(&request.session);
    if let SessionHolder::Principal(page) = &request.session.holder
        && let Some(login) = &page.login
    {
        login.end().await;
    }
    let mut answer = done();
    if let Some(unset) = unset {
        answer.headers_mut().insert(SET_COOKIE, unset);
    }
    answer
}

fn shown(
    page: &HubPage,
    session: &PageSession,
    sign_in: &'static [&'static str],
) -> Result<PageResponse, PageProblem> {
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
        sign_in,
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
