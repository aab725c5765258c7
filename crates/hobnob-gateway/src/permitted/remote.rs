//! The calling side of one connection to an upstream, which opens only to a permit.
//!
//! `Running` holds it; `forward` calls it. Listing and watching need no permit and bypass it.

use super::request::UpstreamRequest;
use hobnob_mcp_client::{ForwardOptions, Forwarded, Remote, Rename, RequestError, mirror};
use hobnob_mcp_engine::{Answers, Notes};
use hobnob_mcp_types::{ErrorCode, RpcError};
use hobnob_policy::Permit;
use std::sync::Arc;

/// A connected server; only a permit for this server reaches its calls.
#[derive(Debug)]
pub struct GuardedRemote {
    server: Box<str>,
    remote: Arc<Remote>,
}

impl GuardedRemote {
    pub(crate) fn new(server: &str, remote: Arc<Remote>) -> Self {
        Self { server: server.into(), remote }
    }

    /// Sends the permitted request; in a later round, `answers` take the place of the call's own.
    ///
    /// # Errors
    /// When the request fails on its way, or the permit is for another server.
    pub async fn forward(
        &self,
        permit: &Permit<UpstreamRequest>,
        answers: Option<&Answers>,
        notes: &Notes,
    ) -> Result<Forwarded, RequestError> {
        let request = permit.request();
        if **request.server() != *self.server {
            let message = format!("the permit is not for server `{}`", self.server);
            return Err(RequestError::Rpc(RpcError::new(ErrorCode::INTERNAL, message)));
        }
        let again = answers.map(|answers| request.call().with_answers(answers.clone()));
        let call = again.as_ref().unwrap_or_else(|| request.call());
        let (key, value) = request.name_there();
        let arguments = call.params.get("arguments").unwrap_or("{}");
        let options = ForwardOptions {
            rename: Some(Rename { key, value }),
            mirrored: match request.route() {
                Some(route) => mirror::mirror(&route.headers, arguments),
                None => Vec::new(),
            },
            mode: request.mode(),
        };
        self.remote.forward(call, &options, notes).await
    }
}
