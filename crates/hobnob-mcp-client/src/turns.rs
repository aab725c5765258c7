//! Whose call may go to a server next, when more are wanted than it may have at once.
//!
//! No client can take all places (see [`Shares`]). What is beyond a client's share waits, first
//! come first served within a client and in turn between clients, so that a client with one call
//! is not behind another's thousand.

use hobnob_mcp_engine::{Share, ShareKey, Shares};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Calls that may wait for one place; more are refused.
const WAITING_PER_PLACE: usize = 4;

/// The places of one connection.
#[derive(Debug)]
pub(crate) struct Turns {
    shares: Arc<Shares>,
    waiting: Mutex<Waiting>,
    longest: usize,
}

/// Who waits; the client whose turn is next is at the front.
#[derive(Debug, Default)]
struct Waiting {
    clients: VecDeque<(ShareKey, VecDeque<oneshot::Sender<Turn>>)>,
    count: usize,
}

/// The right to one request; dropped, it is the next one's.
#[derive(Debug)]
pub(crate) struct Turn {
    share: Option<Share>,
    turns: Arc<Turns>,
}

/// As many wait already as may.
#[derive(Debug)]
pub(crate) struct Crowded;

impl Turns {
    /// Turns for a server that takes this many requests at once.
    pub(crate) fn new(places: usize) -> Arc<Self> {
        let longest = places.saturating_mul(WAITING_PER_PLACE);
        let (shares, waiting) = (Shares::new(places, places), Mutex::default());
        Arc::new(Self { shares, waiting, longest })
    }

    /// A turn, unless there are others of this client to wait behind, or no place.
    pub(crate) fn now(self: &Arc<Self>, who: ShareKey) -> Option<Turn> {
        let waiting = self.lock();
        let share = if waiting.has(who) { None } else { self.shares.take(who) };
        drop(waiting);
        share.map(|share| self.turn(share))
    }

    /// A turn as soon as it comes.
    pub(crate) async fn wait(self: &Arc<Self>, who: ShareKey) -> Result<Turn, Crowded> {
        let later = {
            let mut waiting = self.lock();
            if waiting.count >= self.longest {
                waiting.forget_gone();
            }
            if waiting.count >= self.longest {
                return Err(Crowded);
            }
            waiting.push(who)
        };
        // A place may have become free since it was last looked.
        self.pass_on();
        later.await.map_err(|_| Crowded)
    }

    fn turn(self: &Arc<Self>, share: Share) -> Turn {
        Turn { share: Some(share), turns: Arc::clone(self) }
    }

    /// Gives free places to those who wait, each client in its turn.
    fn pass_on(self: &Arc<Self>) {
        loop {
            // Whoever has gone meanwhile drops the turn, which comes here again: not under the lock.
            let Some((next, share)) = self.lock().next(&self.shares) else { return };
            drop(next.send(self.turn(share)));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// The next call that may go: of the first client in turn that may have another place.
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

    /// Calls that nobody waits for any more take no turn.
    fn forget_gone(&mut self) {
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
        // Nobody waits, almost always.
        if self.turns.lock().count > 0 {
            self.turns.pass_on();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Crowded, Turn, Turns};
    use futures_util::FutureExt as _;
    use futures_util::future::BoxFuture;
    use hobnob_mcp_engine::{ClientId, Principal, ShareKey};
    use std::sync::Arc;

    type Asked = BoxFuture<'static, Result<Turn, Crowded>>;

    fn client() -> ShareKey {
        ShareKey::new(ClientId::next(), &Principal::anonymous(), None)
    }

    fn ask(turns: &Arc<Turns>, who: ShareKey) -> Asked {
        let turns = Arc::clone(turns);
        Box::pin(async move {
            match turns.now(who) {
                Some(turn) => Ok(turn),
                None => turns.wait(who).await,
            }
        })
    }

    /// The turns that are there by now; the others go on waiting.
    fn granted(asked: &mut Vec<Asked>) -> Vec<Turn> {
        let mut turns = Vec::new();
        asked.retain_mut(|one| match one.now_or_never() {
            Some(turn) => {
                turns.push(turn.expect("there is room to wait"));
                false
            }
            None => true,
        });
        turns
    }

    #[test]
    fn one_call_is_not_behind_a_thousand_of_another() {
        let turns = Turns::new(100);
        let (greedy, modest) = (client(), client());
        let mut many: Vec<_> = (0..300).map(|_| ask(&turns, greedy)).collect();
        let mut running = granted(&mut many);
        assert_eq!(running.len(), 50, "half of the places are left");
        let mut one = vec![ask(&turns, modest)];
        assert_eq!(granted(&mut one).len(), 1);
        // As places are given back, all of them run.
        while let Some(turn) = running.pop() {
            drop(turn);
            running.extend(granted(&mut many));
        }
        assert!(many.is_empty());
        assert_eq!(turns.shares.taken(), 0);
    }

    #[test]
    fn clients_take_turns_and_who_left_is_forgotten() {
        let turns = Turns::new(2);
        let clients = [client(), client(), client()];
        let mut running: Vec<_> = (0..2).map(|_| ask(&turns, client())).collect();
        let mut running = granted(&mut running);
        let mut queued = Vec::new();
        for _ in 0..2 {
            for who in clients {
                let mut one = vec![ask(&turns, who)];
                assert!(granted(&mut one).is_empty());
                queued.extend(one);
            }
        }
        // The first client's first call is given up: its second one keeps the place in turn.
        drop(queued.remove(0));
        let mut order = Vec::new();
        while let Some(turn) = running.pop() {
            drop(turn);
            for at in (0..queued.len()).rev() {
                if let Some(turn) = (&mut queued[at]).now_or_never() {
                    order.push(queued.len() - at);
                    drop(queued.remove(at));
                    running.push(turn.expect("a turn"));
                }
            }
        }
        assert_eq!(order.len(), 5);
        assert!(queued.is_empty());
        assert_eq!((turns.shares.taken(), turns.lock().count), (0, 0));
    }

    #[test]
    fn who_waits_is_bounded() {
        let turns = Turns::new(2);
        let who = client();
        let mut many: Vec<_> = (0..10).map(|_| ask(&turns, who)).collect();
        let running = granted(&mut many);
        assert_eq!((running.len(), many.len()), (2, 8));
        assert!(matches!(ask(&turns, client()).now_or_never(), Some(Err(Crowded))));
        many.clear();
        drop(running);
        assert_eq!((turns.shares.taken(), turns.lock().count), (0, 0));
    }
}
