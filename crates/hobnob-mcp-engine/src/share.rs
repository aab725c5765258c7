//! A bounded pool of places with fair shares, so that no client can take all of them.
//!
//! Servers count calls, listens and subscriptions in pools; clients count requests per server.

use crate::client_id::{ClientId, Principal};
use crate::keyed_hash::keyed_hash;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// Table size below which clients without a place are never pruned: most of them come back soon.
const MIN_PRUNE_LEN: usize = 256;

/// Places a client gets while any is free. Beyond, it must leave as many free as it holds.
const SMALL_SHARE: usize = 8;

/// The party that places are counted for.
///
/// An authenticated principal is one party on all connections, wherever they come from. Without a
/// principal, a pipe or a private socket is a party of its own. Over HTTP, connections and sessions
/// cost a client nothing, so all anonymous clients with the same address and name are one party. A
/// client can invent names, but gains little: it only shares what is left, see [`Shares`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShareKey(u64);

impl ShareKey {
    /// The key of a client, given the name it reports for itself.
    pub fn new(client: ClientId, principal: &Principal, name: Option<&str>) -> Self {
        Self(match client.origin() {
            _ if *principal != Principal::anonymous() => keyed_hash(principal),
            None => client.number(),
            Some(origin) => keyed_hash((origin, name)),
        })
    }
}

/// A bounded pool of places.
///
/// A client that holds more than a few places gets another one only while at least as many are free
/// as it holds, and never more than its own limit. So a single client gets half of the pool, two
/// get a third each, and so on: some places always stay free.
#[derive(Debug)]
pub struct Shares {
    table: Mutex<Table>,
    total: usize,
    each: usize,
}

#[derive(Debug)]
struct Table {
    held: HashMap<ShareKey, usize, Identity>,
    taken: usize,
    /// Table size at which clients without a place are pruned.
    prune_len: usize,
}

impl Table {
    /// The number of places a client holds; adds the client if it is new.
    fn places_of(&mut self, who: ShareKey) -> &mut usize {
        if self.held.len() >= self.prune_len {
            self.held.retain(|_, held| *held > 0);
            self.prune_len = MIN_PRUNE_LEN.max(2 * self.held.len());
        }
        self.held.entry(who).or_insert(0)
    }
}

impl Shares {
    /// A pool of `total` places, with at most `each` for one client.
    pub fn new(total: usize, each: usize) -> Arc<Self> {
        let table = Table { held: HashMap::default(), taken: 0, prune_len: MIN_PRUNE_LEN };
        Arc::new(Self { table: Mutex::new(table), total, each })
    }

    /// Takes one place for a client; `None` if the client has its share already.
    pub fn take(self: &Arc<Self>, who: ShareKey) -> Option<Share> {
        self.take_many(who, 1)
    }

    /// Takes `count` places at once, or none.
    pub fn take_many(self: &Arc<Self>, who: ShareKey, count: usize) -> Option<Share> {
        let mut table = self.lock();
        let free = self.total.checked_sub(table.taken + count)?;
        let held = table.places_of(who);
        let after = *held + count;
        // `free + 1` is what was free before the last of the `count` places.
        if after <= self.each && (after <= SMALL_SHARE || after <= free + 1) {
            *held = after;
            table.taken += count;
            return Some(Share { shares: Arc::clone(self), who, count });
        }
        None
    }

    /// The number of places taken.
    pub fn taken(&self) -> usize {
        self.lock().taken
    }

    /// The number of places that the pool has.
    pub fn total(&self) -> usize {
        self.total
    }

    /// The number of clients in the table, with or without a place.
    #[cfg(test)]
    pub(crate) fn remembered(&self) -> usize {
        self.lock().held.len()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }
}

/// Places that one client holds; dropping them gives them back.
#[derive(Debug)]
pub struct Share {
    shares: Arc<Shares>,
    who: ShareKey,
    count: usize,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut table = self.shares.lock();
        table.taken -= self.count;
        if let Some(held) = table.held.get_mut(&self.who) {
            *held -= self.count;
        }
    }
}

/// Passes keys through unhashed: they are random or sequential, and both spread well enough.
#[derive(Debug, Default, Clone, Copy)]
struct Identity;

struct IdentityHasher(u64);

impl BuildHasher for Identity {
    type Hasher = IdentityHasher;

    fn build_hasher(&self) -> IdentityHasher {
        IdentityHasher(0)
    }
}

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Unreachable: only a `u64` is ever hashed.
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
