//! The resources that one session has subscribed to, each with a watch in the hub.
//!
//! The session's state owns it. Watches are made and dropped outside the lock: a sink that is
//! notified of one may publish a change, which calls back into this file.

use crate::server::Server;
use hobnob_mcp_engine::{ChangeHub, Share, ShareKey, Shares, Watch};
use hobnob_mcp_types::{ErrorCode, RpcError};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The subscriptions of one session.
#[derive(Debug)]
pub(crate) struct Watched {
    hub: ChangeHub,
    /// The quota that all sessions share.
    shares: Arc<Shares>,
    max_watches: usize,
    max_uri_bytes: usize,
    held: Mutex<Held>,
}

#[derive(Debug)]
enum Held {
    Open(BTreeMap<Box<str>, (Watch, Share)>),
    /// The session has ended; subscribing fails from now on.
    Closed,
}

impl Watched {
    pub(crate) fn new(server: &Server) -> Self {
        let limits = server.limits();
        Self {
            hub: server.parts().hub.clone(),
            shares: Arc::clone(&server.quotas().subscriptions),
            max_watches: limits.subscriptions,
            max_uri_bytes: limits.uri_bytes,
            held: Mutex::new(Held::Open(BTreeMap::new())),
        }
    }

    /// Subscribes to a resource; idempotent.
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
            // Another thread subscribed, or the session ended, in the meantime.
            (Held::Open(_) | Held::Closed, _) => Some(watch),
        };
        drop(held);
        drop(left);
        slot.map(drop)
    }

    /// Removes a subscription, if there is one.
    pub(crate) fn remove(&self, uri: &str) -> Result<(), RpcError> {
        self.check_length(uri)?;
        let left = match &mut *self.held() {
            Held::Open(all) => all.remove(uri),
            Held::Closed => None,
        };
        drop(left);
        Ok(())
    }

    /// Whether the session has subscribed to this resource.
    pub(crate) fn contains(&self, uri: &str) -> bool {
        match &*self.held() {
            Held::Open(all) => all.contains_key(uri),
            Held::Closed => false,
        }
    }

    /// Removes all subscriptions and refuses new ones.
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
        self.held.lock()
    }
}

/// The error for a client that has used up its subscriptions, or shares a quota that is used up.
pub(crate) fn too_many() -> RpcError {
    let message = "too many subscriptions at once; unsubscribe from some, or try again later";
    RpcError::new(ErrorCode::BUSY, message)
}

/// Whether a resource can be added.
#[derive(Debug, PartialEq, Eq)]
enum Slot {
    Free,
    /// The session has subscribed to it already.
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
