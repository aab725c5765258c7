//! Fairness between clients, the bound on waiting calls, and that no place is lost.

use super::{FairQueue, QueueFull, Turn};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use hobnob_mcp_engine::{ClientId, Principal, ShareKey};
use std::sync::Arc;

type Asked = BoxFuture<'static, Result<Turn, QueueFull>>;

fn client() -> ShareKey {
    ShareKey::new(ClientId::next(), &Principal::anonymous(), None)
}

fn ask(queue: &Arc<FairQueue>, who: ShareKey) -> Asked {
    let queue = Arc::clone(queue);
    Box::pin(async move {
        match queue.try_take(who) {
            Some(turn) => Ok(turn),
            None => queue.take(who).await,
        }
    })
}

/// The turns that have come by now; the other calls go on waiting.
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
    let queue = FairQueue::new(100);
    let (greedy, modest) = (client(), client());
    let mut many: Vec<_> = (0..300).map(|_| ask(&queue, greedy)).collect();
    let mut running = granted(&mut many);
    assert_eq!(running.len(), 50, "half of the places are left");
    let mut one = vec![ask(&queue, modest)];
    assert_eq!(granted(&mut one).len(), 1);
    // As turns are given back, all of them run.
    while let Some(turn) = running.pop() {
        drop(turn);
        running.extend(granted(&mut many));
    }
    assert!(many.is_empty());
    assert_eq!(queue.shares.taken(), 0);
}

#[test]
fn clients_take_turns_and_who_left_is_forgotten() {
    let queue = FairQueue::new(2);
    let clients = [client(), client(), client()];
    let mut running: Vec<_> = (0..2).map(|_| ask(&queue, client())).collect();
    let mut running = granted(&mut running);
    let mut queued = Vec::new();
    for _ in 0..2 {
        for who in clients {
            let mut one = vec![ask(&queue, who)];
            assert!(granted(&mut one).is_empty());
            queued.extend(one);
        }
    }
    // The first client drops its first call: its second call keeps the place in turn.
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
    assert_eq!((queue.shares.taken(), queue.lock().count), (0, 0));
}

#[test]
fn who_waits_is_bounded() {
    let queue = FairQueue::new(2);
    let who = client();
    let mut many: Vec<_> = (0..10).map(|_| ask(&queue, who)).collect();
    let running = granted(&mut many);
    assert_eq!((running.len(), many.len()), (2, 8));
    assert!(matches!(ask(&queue, client()).now_or_never(), Some(Err(QueueFull))));
    many.clear();
    drop(running);
    assert_eq!((queue.shares.taken(), queue.lock().count), (0, 0));
}
