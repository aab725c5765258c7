//! Forwards a call to an upstream: gets a connection, tries once, and retries once only where the
//! first try cannot have run or only reads.

use crate::permitted::UpstreamRequest;
use crate::question_origin::QuestionOrigin;
use crate::upstream::configured::Unavailable;
use crate::upstream::server::Upstream;
use crate::upstream::start_limiter::Urgency;
use hobnob_mcp_client::{Forwarded, RequestError};
use hobnob_mcp_engine::{Answers, Call, CallError, Notes};
use hobnob_mcp_transport::Loss;
use hobnob_mcp_types::{ErrorCode, Method, RpcError};
use hobnob_policy::Permit;
use std::sync::Arc;

/// Why an upstream did not answer a call.
#[derive(Debug)]
pub(crate) enum ForwardError {
    /// The server cannot be used now.
    Unavailable(Unavailable),
    /// The server no longer offers what was to be called.
    Changed,
    /// The connection was there, and the call on it failed.
    Failed(RequestError),
}

impl ForwardError {
    /// The text for a caller, with the server's name in it.
    pub(crate) fn text(&self, server: &str) -> String {
        match self {
            Self::Unavailable(why) => why.0.clone(),
            Self::Changed => {
                format!("server `{server}` no longer offers this; list what it offers again")
            }
            Self::Failed(RequestError::Late(limit)) => format!(
                "server `{server}` gave no answer within {} s; it was told to stop",
                limit.as_secs_f64()
            ),
            Self::Failed(RequestError::Ended(why))
            | Self::Failed(RequestError::Lost(Loss::Broken(why))) => {
                format!(
                    "server `{server}` was lost during the call ({why}); the call may have run, \
                     so it is not made again"
                )
            }
            Self::Failed(failure) => format!("server `{server}`: {failure}"),
        }
    }

    /// The same as a protocol error.
    pub(crate) fn error(self, server: &str, call: &Call) -> CallError {
        match self {
            Self::Failed(failure @ RequestError::Rpc(_)) => {
                hobnob_mcp_client::Remote::call_error(call, failure)
            }
            Self::Failed(RequestError::Late(_)) => CallError::Late(self.text(server).into()),
            Self::Failed(RequestError::Busy(_)) => {
                CallError::Other(RpcError::new(ErrorCode::BUSY, self.text(server)))
            }
            _ => CallError::Other(RpcError::new(ErrorCode::UPSTREAM, self.text(server))),
        }
    }
}

/// Makes the permitted call; in a later round, `answers` take the place of the call's own. A
/// question that the server asks is marked as the server's.
///
/// A call that cannot have run is retried once, on a new connection if need be; so is one that only
/// reads, if its connection was lost. Each try first checks that the server still offers the
/// `same`: a server that was restarted may offer something else.
pub(crate) async fn forward(
    upstream: &Arc<Upstream>,
    permit: &Permit<UpstreamRequest>,
    answers: Option<&Answers>,
    notes: &Notes,
    same: &(dyn Fn() -> bool + Sync),
) -> Result<Forwarded, ForwardError> {
    let call = permit.request().call();
    let key = upstream.key(&call.caller);
    let mut last_try = false;
    loop {
        let running =
            upstream.connection(&key, Urgency::Call).await.map_err(ForwardError::Unavailable)?;
        if !same() {
            return Err(ForwardError::Changed);
        }
        let failure = match running.calls.forward(permit, answers, notes).await {
            Ok(done) => {
                upstream.connections.on_answer(&running);
                return Ok(match done {
                    Forwarded::Outcome(outcome) => {
                        let origin = QuestionOrigin::server(upstream.name());
                        Forwarded::Outcome(origin.asks_in(outcome))
                    }
                    task @ Forwarded::Task(_) => task,
                });
            }
            Err(failure) => failure,
        };
        if matches!(failure, RequestError::Rpc(_)) {
            upstream.connections.on_answer(&running);
        }
        if matches!(failure, RequestError::Late(_)) {
            upstream.connections.on_timeout(&key, &running);
        }
        let gone =
            failure.ends_connection() || matches!(failure, RequestError::Lost(Loss::Unsent(_)));
        if gone {
            upstream.connections.discard(&key, &running);
        }
        let reads_only =
            matches!(call.method, Method::ResourcesRead | Method::PromptsGet | Method::Complete);
        let safe = failure.cannot_have_run() || (reads_only && gone);
        if matches!(failure, RequestError::Lost(Loss::AuthorizationFailed(_)))
            && let Some(login) = upstream.logins.error(&call.caller.principal)
        {
            return Err(ForwardError::Unavailable(login));
        }
        let refused = matches!(
            failure,
            RequestError::Lost(Loss::Unauthorized { .. } | Loss::AuthorizationFailed(_))
        );
        let busy = matches!(failure, RequestError::Busy(_));
        if last_try || !safe || busy || refused {
            return Err(ForwardError::Failed(failure));
        }
        last_try = true;
    }
}
