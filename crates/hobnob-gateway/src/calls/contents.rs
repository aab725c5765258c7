//! The permit for a server's resources, prompts and completions: everything but its tools.
//!
//! `dispatch/contents` asks for it on behalf of clients, `watch` for its polls. No request reaches a server
//! without such a permit.

use crate::permitted::UpstreamRequest;
use crate::view::snapshot::Snapshot;
use hobnob_mcp_engine::CallError;
use hobnob_policy::{Denied, Permit, authorize};
use std::sync::Arc;

/// The permit to read a server's resources, get its prompts or have it complete something. It is
/// denied if the rules deny all of the server's tools.
pub(crate) fn permit_contents(
    snapshot: &Snapshot,
    request: UpstreamRequest,
) -> Result<Permit<UpstreamRequest>, (Denied, CallError)> {
    let server = Arc::clone(request.server());
    authorize(&snapshot.rules, request).without_asking().map_err(|denied| {
        let error = CallError::params(format!("server `{server}` is {denied}"));
        (denied, error)
    })
}
