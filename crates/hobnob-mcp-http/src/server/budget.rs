//! What all request bodies of one listener may take in memory together.
//!
//! A body that comes in one block, as small ones do, needs nothing from it: whatever large bodies
//! take, small requests get through. A larger one is not read on before the budget allows for all of
//! it, so that its sender waits and nothing is read in vain; and it holds its reservation as long as the
//! request that was in it runs.

use crate::server::body_error::BodyError;
use crate::server::limits::HttpLimits;
use hobnob_mcp_server::PendingReply;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What is counted: a semaphore cannot count that many bytes.
const UNIT: usize = 1024;

/// The memory that bodies may take together.
#[derive(Debug)]
pub struct BodyBudget {
    free: Arc<Semaphore>,
    units: u32,
    wait: Duration,
}

/// What one body has reserved, given back when dropped.
#[derive(Debug)]
pub struct BodyReservation {
    _units: OwnedSemaphorePermit,
}

impl BodyBudget {
    /// The budget that these limits set.
    pub fn new(limits: &HttpLimits) -> Self {
        let max = Semaphore::MAX_PERMITS.min(u32::MAX as usize);
        let units = limits.bodies_total.div_ceil(UNIT).clamp(1, max);
        Self {
            free: Arc::new(Semaphore::new(units)),
            units: u32::try_from(units).unwrap_or(u32::MAX),
            wait: limits.body_wait,
        }
    }

    /// Waits for a reservation, in the order of asking, but not for ever. A body that is larger
    /// than the whole budget gets the whole budget.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<BodyReservation, BodyError> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.units);
        let free = Arc::clone(&self.free).acquire_many_owned(units);
        match tokio::time::timeout(self.wait, free).await {
            Ok(Ok(units)) => Ok(BodyReservation { _units: units }),
            // It is never closed, so only time can have run out.
            Ok(Err(_)) | Err(_) => Err(BodyError::BudgetExhausted { waited: self.wait }),
        }
    }
}

impl BodyReservation {
    /// Work that holds the reservation of the body it came from until it is over.
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
