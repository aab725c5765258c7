//! A list of cases, and how it is run. Each part of the suite has one; tests of backends run it.
//!
//! What must stay true: every case gets a store of its own.

use super::case_result::CaseResult;
use crate::StoreFuture;
use std::sync::Arc;

/// A name, and what must hold of a fresh store behind a port.
pub(super) type Case<Port> = (&'static str, fn(Arc<Port>) -> StoreFuture<'static, CaseResult>);

/// Cases by the names of their functions.
macro_rules! cases {
    ($($case:path),+ $(,)?) => {
        &[$((stringify!($case), |store| Box::pin($case(store)))),+]
    };
}
pub(super) use cases;

/// Runs all cases, each against a store of its own; the first that fails ends it.
pub(super) async fn run<Port: ?Sized>(
    cases: &[Case<Port>],
    make: impl AsyncFn() -> Arc<Port>,
) -> CaseResult {
    for (name, case) in cases {
        case(make().await).await.map_err(|failed| failed.of(name))?;
    }
    Ok(())
}
