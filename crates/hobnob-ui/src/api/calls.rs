//! `/ui/api/calls/{id}/cancel`: the owner cancels a running call.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, done};

pub(super) fn cancel(request: &SessionRequest<'_>, id: u64) -> Result<PageResponse, PageProblem> {
    match request.page.options.actions.cancel_call(id) {
        true => Ok(done()),
        false => Err(PageProblem::not_found("the call does not run any more")),
    }
}
