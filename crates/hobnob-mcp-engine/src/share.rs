//! A bounded number of places that several clients share, so that none of them can take all.
//!
//! Servers count calls, listens and subscriptions with it, connections to servers their requests.

use crate::client_id::{ClientId, Principal};
use crate::keyed_hash::keyed_hash;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Clients without any place that may be remembered, at least: most come back at once.
const IDLE: usize = 256;

/// Places that any client gets while one is free. Above, each must leave as many free as it has.
const SMALL: usize = 8;

/// Who takes places together.
///
/// Somebody the transport knows takes them together on all connections, wherever they are from.
/// Of the others a pipe or a private socket stands for itself; over HTTP connections and sessions
/// cost a client nothing, so all that come from one address and under one name count as one.
/// A name can be made up, but a client that does so only shares what is left: see [`Shares`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShareKey(u64);

impl ShareKey {
    /// The key of a client that calls itself this.
    pub fn new(client: ClientId, principal: &Principal, name: Option<&str>) -> Self {
        Self(match client.origin() {
            _ if *principal != Principal::anonymous() => keyed_hash(principal),
            None => client.number(),
            Some(origin) => keyed_hash((origin, name)),
        })
    }
}

/// The places.
///
/// A client that holds more than a few gets another only as long as at least as many are free as
/// it holds, and never more than its own bound. So one client alone gets half of them, two get a
/// third each, and so on: however many clients are greedy, a part stays free for the next one.
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
    /// With that many clients in it, those without any place are forgotten.
    crowded: usize,
}

impl Table {
    /// Places of a client, for one that may be new.
    fn of(&mut self, who: ShareKey) -> &mut usize {
        if self.held.len() >= self.crowded {
            self.held.retain(|_, held| *held > 0);
            self.crowded = IDLE.max(2 * self.held.len());
        }
        self.held.entry(who).or_insert(0)
    }
}

impl Shares {
    /// That many in all, and at most that many for one client.
    pub fn new(total: usize, each: usize) -> Arc<Self> {
        let table = Table { held: HashMap::default(), taken: 0, crowded: IDLE };
        Arc::new(Self { table: Mutex::new(table), total, each })
    }

    /// A place for a client, unless it has its share already.
    pub fn take(self: &Arc<Self>, who: ShareKey) -> Option<Share> {
        self.take_many(who, 1)
    }

    /// That many places at once, or none.
    pub fn take_many(self: &Arc<Self>, who: ShareKey, count: usize) -> Option<Share> {
        let mut table = self.lock();
        let free = self.total.checked_sub(table.taken + count)?;
        let held = table.of(who);
        let after = *held + count;
        // What is free is counted before the last of them is taken.
        if after <= self.each && (after <= SMALL || after <= free + 1) {
            *held = after;
            table.taken += count;
            return Some(Share { shares: Arc::clone(self), who, count });
        }
        None
    }

    /// How many are taken.
    pub fn taken(&self) -> usize {
        self.lock().taken
    }

    /// How many clients are remembered, with a place or without.
    #[cfg(test)]
    pub(crate) fn remembered(&self) -> usize {
        self.lock().held.len()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Places of one client, given back when dropped.
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

/// Keys are random or a running number: either spreads well enough.
#[derive(Debug, Default, Clone, Copy)]
struct Identity;

struct Same(u64);

impl BuildHasher for Identity {
    type Hasher = Same;

    fn build_hasher(&self) -> Same {
        Same(0)
    }
}

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Only a `u64` is ever hashed, which does not come here.
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
