//! `/ui/api/health`: how the hub is, with the page's own bounds.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use crate::events::MAX_STREAMS;
use crate::health::{LimitHealth, LimitUnit};
use crate::page::MAX_VIEW_CALLS;
use std::sync::Arc;
use tokio::task::spawn_blocking;

pub(super) async fn read(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let page = request.page;
    let source = Arc::clone(&page.options.source);
    let health = spawn_blocking(move || source.health()).await;
    let mut health = health.map_err(|_| PageProblem::internal("the hub's health is unknown"))?;
    let (sessions, max_sessions) = page.sessions.count();
    let calls = MAX_VIEW_CALLS - page.view_calls.available_permits();
    health.limits.extend([
        limit("open pages", page.events.uses.streams(), MAX_STREAMS),
        limit("sessions of pages", sessions, max_sessions),
        limit("calls of pages", calls, MAX_VIEW_CALLS),
    ]);
    json(&health)
}

fn limit(name: &str, used: usize, max: usize) -> LimitHealth {
    LimitHealth { name: name.into(), used: used as u64, max: max as u64, unit: LimitUnit::Count }
}
