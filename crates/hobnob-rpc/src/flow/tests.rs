//! No call queues more than the limit and one event, and all calls continue once the reader reads.

use super::{EVENT_WEIGHT, Flow};
use futures_util::FutureExt as _;
use std::sync::atomic::Ordering;
use tokio::task::JoinSet;

#[test]
fn whoever_comes_later_does_not_overtake() {
    let flow = Flow::new(1000);
    let events: Vec<_> = (0..4).map(|_| flow.hold(300 - EVENT_WEIGHT)).collect();
    assert!(!flow.has_room());
    let mut first = Box::pin(flow.room());
    assert!(first.as_mut().now_or_never().is_none());
    let mut events = events.into_iter();
    drop(events.next());
    // There is room by the count, but another call is waiting for it.
    assert!(!flow.has_room() && flow.queued.load(Ordering::Relaxed) < 1000);
    let mut later = Box::pin(flow.room());
    assert!(later.as_mut().now_or_never().is_none());
    drop(events.next());
    assert!(first.as_mut().now_or_never().is_none(), "more than half still waits");
    drop(events.next());
    assert!(first.as_mut().now_or_never().is_some());
    assert!(later.as_mut().now_or_never().is_some());
    drop((first, later));
    assert!(flow.has_room());
    drop(events);
    assert_eq!(flow.queued.load(Ordering::Relaxed), 0);
}

#[test]
fn giving_up_leaves_room_for_others() {
    let flow = Flow::new(100);
    let event = flow.hold(200);
    let mut waiting = Box::pin(flow.room());
    assert!(waiting.as_mut().now_or_never().is_none());
    drop(waiting);
    drop(event);
    assert!(flow.has_room());
}

#[tokio::test]
async fn a_thousand_senders_share_the_room_and_all_get_on() {
    const SENDERS: usize = 1000;
    let flow = Flow::new(16 << 10);
    let (sender, mut reader) = tokio::sync::mpsc::channel(SENDERS);
    let mut senders = JoinSet::new();
    for _ in 0..SENDERS {
        let (flow, sender) = (flow.clone(), sender.clone());
        senders.spawn(async move {
            for _ in 0..10 {
                if !flow.has_room() {
                    flow.room().await;
                }
                sender.try_send(flow.hold(100)).expect("the flow is bounded");
                tokio::task::yield_now().await;
            }
        });
    }
    drop(sender);
    let mut read = 0;
    while let Some(event) = reader.recv().await {
        let queued = flow.queued.load(Ordering::Relaxed);
        assert!(queued <= flow.limit + 100 + EVENT_WEIGHT, "{queued} bytes wait");
        drop(event);
        read += 1;
    }
    senders.join_all().await;
    assert_eq!(read, 10 * SENDERS);
}
