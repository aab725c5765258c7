//! A list of named cases and the function that runs it; each part of the suite has one.
//!
//! What must stay true: every case gets its own store.

use super::case_result::CaseResult;
use crate::StoreFuture;
use std::sync::Arc;

/// A case: its name, and what must hold of a fresh store behind a port.
pub(super) type Case<Port> = (&'static str, fn(Arc<Port>) -> StoreFuture<'static, CaseResult>);

/// Lists cases under the names of their functions.
macro_rules! cases {
    ($($case:path),+ $(,)?) => {
        &[$((stringify!($case), |store| Box::pin($case(store)))),+]
    };
}
pub(super) use cases;

/// Runs all cases, each against its own store; the first failure ends the run.
pub(super) async fn run<Port: ?Sized>(
    cases: &[Case<Port>],
    make: impl AsyncFn() -> Arc<Port>,
) -> CaseResult {
    for (name, case) in cases {
        case(make().await).await.map_err(|failed| failed.of(name))?;
    }
    Ok(())
}
