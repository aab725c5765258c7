//! `/ui/api/calls/{id}/cancel`: cancels a running call: the owner any, a principal its own.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, done};

pub(super) fn cancel(request: &SessionRequest<'_>, id: u64) -> Result<PageResponse, PageProblem> {
    // Another principal's call is answered like one that does not exist.
    let may_cancel = request.principal_page().is_none_or(|page| page.feed.is_running(id));
    match may_cancel && request.page.options.actions.cancel_call(id) {
        true => Ok(done()),
        false => Err(PageProblem::not_found("the call does not run any more")),
    }
}
