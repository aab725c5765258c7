//! Decides whose call goes to a server next, when there are more calls than it may have in flight.
//!
//! `Remote` takes a [`Turn`] for each call and holds it until the call is over. No client can take
//! all places (see [`Shares`]). Calls beyond a client's share wait: first in, first out within a
//! client and round-robin between clients, so that a client with one call does not wait behind
//! another client's thousand.

use hobnob_mcp_engine::{Share, ShareKey, Shares};
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::oneshot;

/// How many calls may wait for each place; more are refused.
const WAITING_PER_PLACE: usize = 4;

/// The places of one connection, and the calls that wait for one.
#[derive(Debug)]
pub(crate) struct FairQueue {
    shares: Arc<Shares>,
    waiting: Mutex<Waiting>,
    max_waiting: usize,
}

/// The waiting calls; the client whose turn is next is at the front.
#[derive(Debug, Default)]
struct Waiting {
    clients: VecDeque<(ShareKey, VecDeque<oneshot::Sender<Turn>>)>,
    count: usize,
}

/// The right to one request. Dropping it passes it to the next waiting call.
#[derive(Debug)]
pub(crate) struct Turn {
    share: Option<Share>,
    queue: Arc<FairQueue>,
}

/// The error when the maximum number of calls is waiting already.
#[derive(Debug)]
pub(crate) struct QueueFull;

impl FairQueue {
    /// A queue for a server that takes this many requests at once.
    pub(crate) fn new(places: usize) -> Arc<Self> {
        let max_waiting = places.saturating_mul(WAITING_PER_PLACE);
        let (shares, waiting) = (Shares::new(places, places), Mutex::default());
        Arc::new(Self { shares, waiting, max_waiting })
    }

    /// A turn, unless this client has waiting calls already, or no place is free.
    pub(crate) fn try_take(self: &Arc<Self>, who: ShareKey) -> Option<Turn> {
        let waiting = self.lock();
        let share = if waiting.has(who) { None } else { self.shares.take(who) };
        drop(waiting);
        share.map(|share| self.turn(share))
    }

    /// Waits for a turn.
    pub(crate) async fn take(self: &Arc<Self>, who: ShareKey) -> Result<Turn, QueueFull> {
        let later = {
            let mut waiting = self.lock();
            if waiting.count >= self.max_waiting {
                waiting.remove_dropped();
            }
            if waiting.count >= self.max_waiting {
                return Err(QueueFull);
            }
            waiting.push(who)
        };
        // A place may have become free since the last check.
        self.pass_on();
        later.await.map_err(|_| QueueFull)
    }

    fn turn(self: &Arc<Self>, share: Share) -> Turn {
        Turn { share: Some(share), queue: Arc::clone(self) }
    }

    /// Gives free places to waiting calls, round-robin between clients.
    fn pass_on(self: &Arc<Self>) {
        loop {
            // A dropped call drops its turn, which calls this function again: do not hold the lock.
            let Some((next, share)) = self.lock().next(&self.shares) else { return };
            drop(next.send(self.turn(share)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock()
    }
}

impl Waiting {
    fn has(&self, who: ShareKey) -> bool {
        self.clients.iter().any(|(client, _)| *client == who)
    }

    fn push(&mut self, who: ShareKey) -> oneshot::Receiver<Turn> {
        let (sender, receiver) = oneshot::channel();
        self.count += 1;
        match self.clients.iter_mut().find(|(client, _)| *client == who) {
            Some((_, calls)) => calls.push_back(sender),
            None => self.clients.push_back((who, VecDeque::from([sender]))),
        }
        receiver
    }

    /// The next call that may go: from the first client in turn that may have another place.
    fn next(&mut self, shares: &Arc<Shares>) -> Option<(oneshot::Sender<Turn>, Share)> {
        for _ in 0..self.clients.len() {
            let (who, mut calls) = self.clients.pop_front()?;
            while calls.front().is_some_and(oneshot::Sender::is_closed) {
                calls.pop_front();
                self.count -= 1;
            }
            if calls.is_empty() {
                continue;
            }
            let share = shares.take(who);
            let call = if share.is_some() { calls.pop_front() } else { None };
            if !calls.is_empty() {
                self.clients.push_back((who, calls));
            }
            if let (Some(share), Some(call)) = (share, call) {
                self.count -= 1;
                return Some((call, share));
            }
        }
        None
    }

    /// Removes calls that were dropped while they waited.
    fn remove_dropped(&mut self) {
        for (_, calls) in &mut self.clients {
            let before = calls.len();
            calls.retain(|call| !call.is_closed());
            self.count -= before - calls.len();
        }
        self.clients.retain(|(_, calls)| !calls.is_empty());
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        drop(self.share.take());
        // Almost always, no call waits.
        if self.queue.lock().count > 0 {
            self.queue.pass_on();
        }
    }
}

#[cfg(test)]
mod tests;
