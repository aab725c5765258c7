//! The panic boundary around one call: a panic inside becomes an internal error of that call alone.
//!
//! The server's edges and the task drivers run every service call through it.

use crate::fault::CallError;
use crate::service::Outcome;
use futures_util::FutureExt as _;
use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;

/// Runs a call and turns a panic into an error.
pub fn catch_panic(
    call: impl Future<Output = Result<Outcome, CallError>>,
) -> impl Future<Output = Result<Outcome, CallError>> {
    AssertUnwindSafe(call).catch_unwind().map(|ended| {
        ended.unwrap_or_else(|panic| {
            tracing::error!(cause = reason(&*panic), "a call panicked");
            Err(CallError::Internal)
        })
    })
}

fn reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown")
}
