//! One service call with a time limit and a panic boundary: a panic is an internal error of that
//! call alone. Both edges call services through it.

use crate::traffic;
use hobnob_mcp_engine::{Call, CallError, Notes, Outcome, Service, catch_panic};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// Calls the service once.
pub(crate) fn call_service(
    service: &Arc<dyn Service>,
    limit: Duration,
    call: Call,
    notes: Notes,
) -> impl Future<Output = Result<Outcome, CallError>> + Send + use<> {
    let service = Arc::clone(service);
    within(
        limit,
        catch_panic(async move {
            match traffic::is_traced() {
                false => service.call(call, notes).await,
                true => Box::pin(traffic::timed(service, call, notes)).await,
            }
        }),
    )
}

/// Cancels a call that exceeds its time limit. A call that is ready at once costs no timer.
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
