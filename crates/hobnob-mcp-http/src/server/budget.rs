//! The memory budget for all request bodies of one listener.
//!
//! A body that comes in one block, as small ones do, needs no budget, so small requests get through
//! however much memory large bodies take. A larger body is not read on before the budget has room
//! for all of it, so that nothing is read in vain, and it keeps its reservation while its request
//! runs.

use crate::server::body_error::BodyError;
use crate::server::limits::HttpLimits;
use crate::server::load::UsedHttpLimit;
use hobnob_mcp_server::PendingReply;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The unit of the budget, in bytes: a semaphore cannot count that many single bytes.
const UNIT_BYTES: usize = 1024;

/// The memory that bodies may take together.
#[derive(Debug)]
pub struct BodyBudget {
    free: Arc<Semaphore>,
    units: u32,
    wait: Duration,
}

/// The share of one body, given back when dropped.
#[derive(Debug)]
pub struct BodyReservation {
    _units: OwnedSemaphorePermit,
}

impl BodyBudget {
    /// The budget that these limits set.
    pub fn new(limits: &HttpLimits) -> Self {
        let max = Semaphore::MAX_PERMITS.min(u32::MAX as usize);
        let units = limits.bodies_total.div_ceil(UNIT_BYTES).clamp(1, max);
        Self {
            free: Arc::new(Semaphore::new(units)),
            units: u32::try_from(units).unwrap_or(u32::MAX),
            wait: limits.body_wait,
        }
    }

    /// How many bytes are reserved, in the units of the budget.
    pub(crate) fn used(&self) -> UsedHttpLimit {
        let units = usize::try_from(self.units).unwrap_or(usize::MAX);
        let used = units.saturating_sub(self.free.available_permits());
        UsedHttpLimit { used: used * UNIT_BYTES, max: units * UNIT_BYTES }
    }

    /// Waits for a reservation, first come, first served, and not for ever. A body that is larger
    /// than the whole budget gets the whole budget.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<BodyReservation, BodyError> {
        let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX).min(self.units);
        let free = Arc::clone(&self.free).acquire_many_owned(units);
        match tokio::time::timeout(self.wait, free).await {
            Ok(Ok(units)) => Ok(BodyReservation { _units: units }),
            // The semaphore is never closed, so only the time can have run out.
            Ok(Err(_)) | Err(_) => Err(BodyError::BudgetExhausted { waited: self.wait }),
        }
    }
}

impl BodyReservation {
    /// Wraps work so that it holds the reservation of its body until it is done.
    pub(crate) fn hold_during(
        reservation: Option<Self>,
        work: Option<PendingReply>,
    ) -> Option<PendingReply> {
        match (reservation, work) {
            (Some(reservation), Some(work)) => Some(Box::pin(async move {
                let answer = work.await;
                drop(reservation);
                answer
            })),
            (_, work) => work,
        }
    }
}
