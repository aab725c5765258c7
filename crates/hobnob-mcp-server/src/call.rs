//! One call of the service with a time limit, in which a panic is an internal error of that call
//! alone. Both edges and the task driver call services through it.

use crate::traffic;
use futures_util::FutureExt as _;
use hobnob_mcp_engine::{Call, CallError, Notes, Outcome, Service};
use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// Calls the service once, as both edges do.
pub(crate) fn call_service(
    service: &Arc<dyn Service>,
    limit: Duration,
    call: Call,
    notes: Notes,
) -> impl Future<Output = Result<Outcome, CallError>> + Send + use<> {
    let service = Arc::clone(service);
    within(
        limit,
        caught(async move {
            match traffic::is_traced() {
                false => service.call(call, notes).await,
                true => Box::pin(traffic::timed(service, call, notes)).await,
            }
        }),
    )
}

/// Runs a call and turns a panic into an error.
pub(crate) fn caught(
    call: impl Future<Output = Result<Outcome, CallError>>,
) -> impl Future<Output = Result<Outcome, CallError>> {
    AssertUnwindSafe(call).catch_unwind().map(|ended| {
        ended.unwrap_or_else(|panic| {
            tracing::error!(cause = reason(&*panic), "a call panicked");
            Err(CallError::Internal)
        })
    })
}

/// Gives up a call that takes longer than it may. A call that is done at once costs no timer.
async fn within(
    limit: Duration,
    call: impl Future<Output = Result<Outcome, CallError>>,
) -> Result<Outcome, CallError> {
    let mut call = pin!(call);
    if let Poll::Ready(outcome) = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await {
        return outcome;
    }
    tokio::time::timeout(limit, call).await.unwrap_or_else(|_| {
        let message = format!("gave no answer within {} s", limit.as_secs());
        Err(CallError::Late(message.into()))
    })
}

fn reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}
