//! One call of the service, fenced: a panic in it is an internal error for that call alone.

use futures_util::FutureExt as _;
use mcp_engine::{CallError, Outcome};
use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;

/// Runs a call and turns a panic into an error.
pub(crate) async fn caught(
    call: impl Future<Output = Result<Outcome, CallError>>,
) -> Result<Outcome, CallError> {
    match AssertUnwindSafe(call).catch_unwind().await {
        Ok(outcome) => outcome,
        Err(panic) => {
            tracing::error!(cause = reason(&*panic), "a call panicked");
            Err(CallError::Internal)
        }
    }
}

fn reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}
