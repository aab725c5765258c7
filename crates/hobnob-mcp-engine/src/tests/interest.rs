//! Watches of resources, and what a sink is notified of when several things happen at once.

use crate::{ChangeHub, Interest, InterestSink, Watch};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::{Arc, Barrier, Weak};

/// Records what it received: `+` for wanted, `-` for unwanted.
#[derive(Default)]
struct RecordingSink(Mutex<Vec<String>>);

impl InterestSink for RecordingSink {
    fn interest(&self, uri: &str, interest: Interest) {
        let mark = if interest == Interest::Wanted { '+' } else { '-' };
        locked(&self.0).push(format!("{mark}{uri}"));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

fn listen<S: InterestSink + 'static>(hub: &ChangeHub, sink: &Arc<S>) {
    let sink: Arc<dyn InterestSink> = sink.clone();
    let weak: Weak<dyn InterestSink> = Arc::downgrade(&sink);
    hub.on_interest(weak);
}

fn received(sink: &RecordingSink) -> Vec<String> {
    std::mem::take(&mut *locked(&sink.0))
}

#[test]
fn only_the_first_watcher_and_the_last_are_notified() {
    let hub = ChangeHub::default();
    let sink = Arc::new(RecordingSink::default());
    listen(&hub, &sink);
    assert!(!hub.is_watched("a"));
    let first = hub.watch("a");
    assert_eq!((received(&sink), first.uri()), (vec!["+a".to_owned()], "a"));
    let second = hub.clone().watch("a");
    let other = hub.watch("b");
    assert_eq!(received(&sink), ["+b"]);
    drop(first);
    assert_eq!(received(&sink), [""; 0]);
    assert!(hub.is_watched("a") && hub.is_watched("b"));
    drop(second);
    assert!(!hub.is_watched("a"));
    assert_eq!(received(&sink), ["-a"]);
    let _again = hub.watch("a");
    drop(other);
    assert_eq!(received(&sink), ["+a", "-b"]);
}

#[test]
fn a_late_sink_learns_what_is_watched_and_a_gone_one_harms_nobody() {
    let hub = ChangeHub::default();
    let (gone, stays) = (Arc::new(RecordingSink::default()), Arc::new(RecordingSink::default()));
    listen(&hub, &gone);
    let (a, _b) = (hub.watch("a"), hub.watch("b"));
    drop(hub.watch("c"));
    listen(&hub, &stays);
    assert_eq!(received(&stays), ["+a", "+b"]);
    drop(gone);
    drop(a);
    assert_eq!(received(&stays), ["-a"]);
}

/// Watches another resource while it is notified. A lock held around the call would hang here.
struct Meddler {
    hub: ChangeHub,
    sink: RecordingSink,
    kept: Mutex<Vec<Watch>>,
}

impl InterestSink for Meddler {
    fn interest(&self, uri: &str, interest: Interest) {
        self.sink.interest(uri, interest);
        assert_eq!(self.hub.is_watched(uri), interest == Interest::Wanted);
        if uri == "a" {
            let kept = match interest {
                Interest::Wanted => vec![self.hub.watch("b")],
                Interest::Unwanted => Vec::new(),
            };
            let before = std::mem::replace(&mut *locked(&self.kept), kept);
            drop(before);
        }
    }
}

#[test]
fn a_sink_may_use_the_hub_while_it_is_called() {
    let hub = ChangeHub::default();
    let meddler = Arc::new(Meddler {
        hub: hub.clone(),
        sink: RecordingSink::default(),
        kept: Mutex::default(),
    });
    listen(&hub, &meddler);
    drop(hub.watch("a"));
    assert_eq!(received(&meddler.sink), ["+a", "+b", "-a", "-b"]);
}

/// Panics at its first notification, like a service with a bug.
struct Clumsy(RecordingSink);

impl InterestSink for Clumsy {
    fn interest(&self, uri: &str, interest: Interest) {
        self.0.interest(uri, interest);
        assert_ne!(locked(&self.0.0).len(), 1, "a bug in a sink");
    }
}

#[test]
fn a_sink_that_panicked_still_gets_the_rest() {
    let hub = ChangeHub::default();
    let clumsy = Arc::new(Clumsy(RecordingSink::default()));
    listen(&hub, &clumsy);
    let inner = hub.clone();
    let panicked = std::thread::spawn(move || drop(inner.watch("a"))).join();
    assert!(panicked.is_err());
    drop(hub.watch("b"));
    let notified = received(&clumsy.0);
    assert!(notified.ends_with(&["+b".to_owned(), "-b".to_owned()]), "{notified:?}");
}

/// Blocks at the barrier while it is notified of `Unwanted`.
struct Slow {
    sink: RecordingSink,
    meeting: Barrier,
}

impl InterestSink for Slow {
    fn interest(&self, uri: &str, interest: Interest) {
        if interest == Interest::Unwanted {
            self.meeting.wait();
            self.meeting.wait();
        }
        self.sink.interest(uri, interest);
    }
}

#[test]
fn a_change_does_not_overtake_the_one_before() {
    let hub = ChangeHub::default();
    let slow = Arc::new(Slow { sink: RecordingSink::default(), meeting: Barrier::new(2) });
    listen(&hub, &slow);
    let first = hub.watch("a");
    let (_second, meanwhile) = std::thread::scope(|scope| {
        scope.spawn(move || drop(first));
        slow.meeting.wait();
        let second = hub.watch("a");
        let meanwhile = received(&slow.sink);
        slow.meeting.wait();
        (second, meanwhile)
    });
    let afterwards = received(&slow.sink);
    // Ends the test's last watch unobserved: no thread would meet the sink at the barrier.
    drop(slow);
    assert_eq!((meanwhile, afterwards), (vec!["+a".to_owned()], vec!["-a".into(), "+a".into()]));
}

/// Records the last notification per URI, slowly enough for another one to overtake it.
#[derive(Default)]
struct Ledger(Mutex<BTreeMap<String, Interest>>);

impl InterestSink for Ledger {
    fn interest(&self, uri: &str, interest: Interest) {
        std::thread::yield_now();
        let before = locked(&self.0).insert(uri.to_owned(), interest);
        assert_ne!(before, Some(interest), "nobody is notified twice");
    }
}

#[test]
fn the_last_call_is_right_whoever_comes_and_goes_at_once() {
    let hub = ChangeHub::default();
    let ledger = Arc::new(Ledger::default());
    listen(&hub, &ledger);
    let start = Barrier::new(8);
    let kept: Vec<Watch> = std::thread::scope(|scope| {
        let come_and_go = |worker: usize| {
            let (hub, start) = (&hub, &start);
            scope.spawn(move || {
                start.wait();
                for _ in 0..500 {
                    let _two = (hub.watch("stays"), hub.watch("goes"));
                }
                (worker == 0).then(|| hub.watch("stays"))
            })
        };
        let workers: Vec<_> = (0..8).map(come_and_go).collect();
        workers.into_iter().filter_map(|worker| worker.join().expect("no panic")).collect()
    });
    let last = locked(&ledger.0).clone();
    assert_eq!(kept.len(), 1);
    assert_eq!((last["stays"], last["goes"]), (Interest::Wanted, Interest::Unwanted));
}
