//! The resources one session has subscribed to, each with its interest in the hub.
//!
//! The session's state owns it. A watch is made and dropped outside the lock: a sink that learns of
//! it may publish a change, which comes back here.

use crate::server::Server;
use hobnob_mcp_engine::{ChangeHub, Share, ShareKey, Shares, Watch};
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The subscriptions of one session.
#[derive(Debug)]
pub(crate) struct Watched {
    hub: ChangeHub,
    /// What all sessions share.
    shares: Arc<Shares>,
    max_watches: usize,
    max_uri_bytes: usize,
    held: Mutex<Held>,
}

#[derive(Debug)]
enum Held {
    Open(BTreeMap<Box<str>, (Watch, Share)>),
    /// The session has ended, and nothing may begin any more.
    Closed,
}

impl Watched {
    pub(crate) fn new(server: &Server) -> Self {
        let limits = server.limits();
        Self {
            hub: server.hub().clone(),
            shares: Arc::clone(server.subscriptions()),
            max_watches: limits.subscriptions,
            max_uri_bytes: limits.uri_bytes,
            held: Mutex::new(Held::Open(BTreeMap::new())),
        }
    }

    /// Subscribes for this client; twice is once.
    pub(crate) fn add(&self, uri: &str, who: ShareKey) -> Result<(), RpcError> {
        self.check_length(uri)?;
        if self.held().slot_for(uri, self.max_watches)? == Slot::Taken {
            return Ok(());
        }
        let share = self.shares.take(who).ok_or_else(too_many)?;
        let watch = (self.hub.watch(uri), share);
        let mut held = self.held();
        let slot = held.slot_for(uri, self.max_watches);
        let left = match (&mut *held, &slot) {
            (Held::Open(all), Ok(Slot::Free)) => all.insert(uri.into(), watch),
            // Somebody was faster.
            (Held::Open(_) | Held::Closed, _) => Some(watch),
        };
        drop(held);
        drop(left);
        slot.map(drop)
    }

    /// Takes a subscription back, if there is one.
    pub(crate) fn remove(&self, uri: &str) -> Result<(), RpcError> {
        self.check_length(uri)?;
        let left = match &mut *self.held() {
            Held::Open(all) => all.remove(uri),
            Held::Closed => None,
        };
        drop(left);
        Ok(())
    }

    /// Whether there is one.
    pub(crate) fn contains(&self, uri: &str) -> bool {
        match &*self.held() {
            Held::Open(all) => all.contains_key(uri),
            Held::Closed => false,
        }
    }

    /// Lets go of all, for good.
    pub(crate) fn close(&self) {
        let left = std::mem::replace(&mut *self.held(), Held::Closed);
        drop(left);
    }

    fn check_length(&self, uri: &str) -> Result<(), RpcError> {
        let max_bytes = self.max_uri_bytes;
        if uri.len() <= max_bytes {
            return Ok(());
        }
        Err(RpcError::invalid_params(format!("`params.uri` is longer than {max_bytes} bytes")))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client, or all clients together, have as many subscriptions as they may.
pub(crate) fn too_many() -> RpcError {
    let message = "too many subscriptions at once; unsubscribe from some, or try again later";
    RpcError::new(ErrorCode::BUSY, message)
}

/// Whether a resource can be added.
#[derive(Debug, PartialEq, Eq)]
enum Slot {
    Free,
    /// It has been added before.
    Taken,
}

impl Held {
    fn slot_for(&self, uri: &str, max_watches: usize) -> Result<Slot, RpcError> {
        match self {
            Self::Open(all) if all.contains_key(uri) => Ok(Slot::Taken),
            Self::Open(all) if all.len() < max_watches => Ok(Slot::Free),
            Self::Open(_) => {
                let message = format!("more than {max_watches} subscriptions in one session");
                Err(RpcError::invalid_request(message))
            }
            Self::Closed => Err(RpcError::invalid_request("the connection has ended")),
        }
    }
}
