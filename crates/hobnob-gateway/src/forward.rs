//! A call on its way to an upstream: a connection, one try, a second one only where the first
//! cannot have run.

use crate::gateway::Gateway;
use crate::upstream::pool::{Unavailable, Upstream};
use crate::upstream::running::Running;
use crate::upstream::starts::Urgency;
use hobnob_mcp_client::{Failure, Forward, Forwarded};
use hobnob_mcp_engine::{Call, CallError, Notes};
use hobnob_mcp_transport::Loss;
use hobnob_mcp_types::{ErrorCode, Method, RpcError};
use std::sync::Arc;

/// Why an upstream has not answered.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It cannot be used now.
    Unavailable(Unavailable),
    /// What was to be called is not what it was any more.
    Changed,
    /// The call failed.
    Failed(Failure),
}

impl Trouble {
    /// What a caller is told, with the server's name in it.
    pub(crate) fn text(&self, server: &str) -> String {
        match self {
            Self::Unavailable(why) => why.0.clone(),
            Self::Changed => format!("server `{server}` offers something else now"),
            Self::Failed(Failure::Late(limit)) => format!(
                "server `{server}` gave no answer within {} s; it was told to stop",
                limit.as_secs_f64()
            ),
            Self::Failed(Failure::Ended(why)) | Self::Failed(Failure::Lost(Loss::Broken(why))) => {
                format!(
                    "server `{server}` was lost during the call ({why}); the call may have run, \
                     so it is not made again"
                )
            }
            Self::Failed(failure) => format!("server `{server}`: {failure}"),
        }
    }

    /// The same as an error of the protocol.
    pub(crate) fn error(self, server: &str, call: &Call) -> CallError {
        match self {
            Self::Failed(failure @ Failure::Rpc(_)) => {
                hobnob_mcp_client::Remote::call_error(call, failure)
            }
            Self::Failed(Failure::Late(_)) => CallError::Late(self.text(server).into()),
            Self::Failed(Failure::Busy(_)) => {
                CallError::Other(RpcError::new(ErrorCode::BUSY, self.text(server)))
            }
            _ => CallError::Other(RpcError::new(ErrorCode::UPSTREAM, self.text(server))),
        }
    }
}

impl Gateway {
    /// Makes the call. What cannot have run is tried once more, on a new connection if need be;
    /// what only reads may be tried again in any case. Each try begins with the question whether
    /// it is still the `same` that is called.
    pub(crate) async fn forward(
        &self,
        upstream: &Arc<Upstream>,
        call: &Call,
        forward: &Forward<'_>,
        notes: &Notes,
        same: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Forwarded, Arc<Running>), Trouble> {
        let key = upstream.key(&call.caller);
        let mut last_try = false;
        loop {
            let running =
                upstream.connection(&key, Urgency::Call).await.map_err(Trouble::Unavailable)?;
            if !same() {
                return Err(Trouble::Changed);
            }
            let failure = match running.remote.forward(call, forward, notes).await {
                Ok(done) => {
                    upstream.answered(&running);
                    return Ok((done, running));
                }
                Err(failure) => failure,
            };
            if matches!(failure, Failure::Rpc(_)) {
                upstream.answered(&running);
            }
            if matches!(failure, Failure::Late(_)) {
                upstream.late(&key, &running);
            }
            let gone =
                failure.ends_connection() || matches!(failure, Failure::Lost(Loss::Unsent(_)));
            if gone {
                upstream.bury(&key, &running);
            }
            let reads_only = matches!(
                call.method,
                Method::ResourcesRead | Method::PromptsGet | Method::Complete
            );
            let safe = failure.cannot_have_run() || (reads_only && gone);
            let busy = matches!(failure, Failure::Busy(_));
            if last_try
                || !safe
                || busy
                || matches!(failure, Failure::Lost(Loss::Unauthorized { .. }))
            {
                return Err(Trouble::Failed(failure));
            }
            last_try = true;
        }
    }
}
