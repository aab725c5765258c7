//! The requests of the page that need a session, a file for each group.
//!
//! `page_routes` calls [`answer`] once the guard has found the session. The files know nothing of
//! each other; what must stay true: they read and do only what the ports of the hub let them.

mod audit;
mod calls;
mod health;
mod histories;
mod mcp;
mod query;
mod questions;
mod recordings;
mod rules;
mod server_changes;
mod servers;
pub(crate) mod session;
mod session_request;
mod state;
mod usage;

pub(crate) use session_request::SessionRequest;

use crate::answers::{PageProblem, PageResponse};
use crate::routes::PageRoute;

/// Answers a request for a path that needs a session.
pub(crate) async fn answer(
    route: PageRoute,
    request: SessionRequest<'_>,
) -> Result<PageResponse, PageProblem> {
    match route {
        PageRoute::Session => session::show(&request),
        PageRoute::State => state::read(&request).await,
        PageRoute::Events => state::events(&request),
        PageRoute::CancelCall(id) => calls::cancel(&request, id),
        PageRoute::AnswerQuestion(number) => questions::answer(&request, number).await,
        PageRoute::Server(name, action) => servers::act(&request, &name, action).await,
        PageRoute::ServerLog(name) => servers::log(&request, name).await,
        PageRoute::AddServers => server_changes::add(&request).await,
        PageRoute::PreviewServers => server_changes::preview(&request).await,
        PageRoute::ServerStep(name, step) => server_changes::step(&request, &name, step).await,
        PageRoute::ServerHistory(name) => histories::read(&request, Some(name)).await,
        PageRoute::Histories => histories::read(&request, None).await,
        PageRoute::Mcp => mcp::call(&request).await,
        PageRoute::Recordings => recordings::start_or_list(&request).await,
        PageRoute::StopRecording(id) => recordings::stop(&request, id),
        PageRoute::RecordedMessages(id) => recordings::messages(&request, id).await,
        PageRoute::RecordedMessage(id, number) => recordings::message(&request, id, number),
        PageRoute::RecordingExport(id) => recordings::export(&request, id),
        PageRoute::Usage => usage::read(&request).await,
        PageRoute::Audit => audit::read(&request).await,
        PageRoute::AuditExport => audit::export(&request),
        PageRoute::Rules => rules::read(&request).await,
        PageRoute::RulesAction(action) => rules::act(&request, action).await,
        PageRoute::Health => health::read(&request).await,
        // They need no session, or end it, and are answered before.
        PageRoute::Asset(_) | PageRoute::SessionEnd => {
            Err(PageProblem::not_found("the page has no such path"))
        }
    }
}
