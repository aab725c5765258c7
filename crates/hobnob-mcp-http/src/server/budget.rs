//! What all request bodies of one listener may take in memory together.
//!
//! A body that comes in one block, as small ones do, needs nothing from it: whatever large bodies
//! take, small requests get through. A larger one is not read on before there is room for all of
//! it, so that its sender waits and nothing is read in vain; and it keeps its room as long as the
//! request that was in it runs.

use crate::server::body::BodyError;
use crate::server::limits::HttpLimits;
use hobnob_mcp_server::Work;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What is counted: a semaphore has no room for bytes.
const UNIT: usize = 1024;

/// The room for bodies.
#[derive(Debug)]
pub struct BodyBudget {
    room: Arc<Semaphore>,
    units: u32,
    wait: Duration,
}

/// Room that one body has, given back when dropped.
#[derive(Debug)]
pub struct BodyRoom {
    _units: OwnedSemaphorePermit,
}

impl BodyBudget {
    /// All the room that these limits leave.
    pub fn new(limits: &HttpLimits) -> Self {
        let most = Semaphore::MAX_PERMITS.min(u32::MAX as usize);
        let units = limits.bodies_total.div_ceil(UNIT).clamp(1, most);
        Self {
            room: Arc::new(Semaphore::new(units)),
            units: u32::try_from(units).unwrap_or(u32::MAX),
            wait: limits.body_wait,
        }
    }

    /// Waits for room, in the order of asking, but not for ever. A body that is larger than all
    /// there is gets all there is.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<BodyRoom, BodyError> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.units);
        let room = Arc::clone(&self.room).acquire_many_owned(units);
        match tokio::time::timeout(self.wait, room).await {
            Ok(Ok(units)) => Ok(BodyRoom { _units: units }),
            // It is never closed, so only time can have run out.
            Ok(Err(_)) | Err(_) => Err(BodyError::Crowded { waited: self.wait }),
        }
    }
}

impl BodyRoom {
    /// Work that keeps the room of the body it came from until it is over.
    pub(crate) fn keep_with(room: Option<Self>, work: Option<Work>) -> Option<Work> {
        match (room, work) {
            (Some(room), Some(work)) => Some(Box::pin(async move {
                work.await;
                drop(room);
            })),
            (_, work) => work,
        }
    }
}
