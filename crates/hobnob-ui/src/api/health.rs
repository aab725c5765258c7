//! `/ui/api/health`: how the hub is, with the page's own bounds.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use crate::events::MAX_STREAMS;
use crate::health::LimitHealth;
use crate::page::MAX_VIEW_CALLS;
use serde::Serialize;
use std::sync::Arc;
use tokio::task::spawn_blocking;

const CLOSE_PAGES: &str = "close pages of this hub that you do not look at";
const END_SESSIONS: &str = "log out in browsers that you do not use; the oldest session ends first";
const WAIT: &str = "wait until a call that this page made has ended, or cancel one under Now";

/// All that other principals than the owner learn.
#[derive(Serialize)]
struct Alive<'a> {
    version: &'a str,
    ok: bool,
}

pub(super) async fn read(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let page = request.page;
    if request.principal_page().is_some() {
        return json(&Alive { version: &page.options.facts.version, ok: true });
    }
    let source = Arc::clone(&page.options.source);
    let health = spawn_blocking(move || source.health()).await;
    let mut health = health.map_err(|_| PageProblem::internal("the hub's health is unknown"))?;
    let (sessions, max_sessions) = page.sessions.count();
    let calls = MAX_VIEW_CALLS - page.view_calls.available_permits();
    health.limits.extend([
        LimitHealth::count("open pages", page.events.uses.streams(), MAX_STREAMS, CLOSE_PAGES),
        LimitHealth::count("sessions of pages", sessions, max_sessions, END_SESSIONS),
        LimitHealth::count("calls of pages", calls, MAX_VIEW_CALLS, WAIT),
    ]);
    json(&health)
}
