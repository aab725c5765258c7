//! The resources one session has subscribed to, each with its interest in the hub.
//!
//! A watch is made and dropped outside the lock: whoever hears of it may publish a change, which
//! comes back here.

use crate::server::Server;
use hobnob_mcp_engine::{ChangeHub, Share, ShareKey, Shares, Watch};
use hobnob_mcp_types::{ErrorCode, RpcError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// All of them.
#[derive(Debug)]
pub(crate) struct Watched {
    hub: ChangeHub,
    /// What all sessions share.
    shares: Arc<Shares>,
    most: usize,
    longest: usize,
    held: Mutex<Held>,
}

#[derive(Debug)]
enum Held {
    Open(BTreeMap<Box<str>, (Watch, Share)>),
    /// The session has ended, and nothing may begin any more.
    Closed,
}

impl Watched {
    /// Nothing yet.
    pub(crate) fn new(server: &Server) -> Self {
        let limits = server.limits();
        Self {
            hub: server.hub().clone(),
            shares: Arc::clone(server.subscriptions()),
            most: limits.subscriptions,
            longest: limits.uri_bytes,
            held: Mutex::new(Held::Open(BTreeMap::new())),
        }
    }

    /// Subscribes for this client; twice is once.
    pub(crate) fn add(&self, uri: &str, who: ShareKey) -> Result<(), RpcError> {
        self.check_length(uri)?;
        if self.held().has_room_for(uri, self.most)? == Room::Taken {
            return Ok(());
        }
        let share = self.shares.take(who).ok_or_else(too_many)?;
        let watch = (self.hub.watch(uri), share);
        let mut held = self.held();
        let room = held.has_room_for(uri, self.most);
        let left = match (&mut *held, &room) {
            (Held::Open(all), Ok(Room::Free)) => all.insert(uri.into(), watch),
            // Somebody was faster.
            (Held::Open(_) | Held::Closed, _) => Some(watch),
        };
        drop(held);
        drop(left);
        room.map(drop)
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
        let longest = self.longest;
        if uri.len() <= longest {
            return Ok(());
        }
        Err(RpcError::invalid_params(format!("`params.uri` is longer than {longest} bytes")))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client, or all clients together, have subscribed to as much as they may.
pub(crate) fn too_many() -> RpcError {
    let message = "too many subscriptions at once; unsubscribe from some, or try again later";
    RpcError::new(ErrorCode::BUSY, message)
}

/// Whether a resource still needs a place.
#[derive(Debug, PartialEq, Eq)]
enum Room {
    Free,
    /// It has one.
    Taken,
}

impl Held {
    fn has_room_for(&self, uri: &str, most: usize) -> Result<Room, RpcError> {
        match self {
            Self::Open(all) if all.contains_key(uri) => Ok(Room::Taken),
            Self::Open(all) if all.len() < most => Ok(Room::Free),
            Self::Open(_) => {
                let message = format!("more than {most} subscriptions in one session");
                Err(RpcError::invalid_request(message))
            }
            Self::Closed => Err(RpcError::invalid_request("the connection has ended")),
        }
    }
}
