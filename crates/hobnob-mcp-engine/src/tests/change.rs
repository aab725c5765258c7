//! Which sinks are notified of a change: all subscribers, filtered by what they asked for.

use crate::{Change, ChangeHub, ChangeSink, Principal, Subscription, TaskOwner};
use hobnob_mcp_types::subscriptions::SubscriptionFilter;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// Records what it received.
#[derive(Default)]
struct RecordingSink(Mutex<Vec<Change>>);

impl ChangeSink for RecordingSink {
    fn changed(&self, change: &Change) {
        self.0.lock().push(change.clone());
    }
}

fn weak<S: ChangeSink + 'static>(sink: &Arc<S>) -> Weak<dyn ChangeSink> {
    let sink: Arc<dyn ChangeSink> = sink.clone();
    Arc::downgrade(&sink)
}

fn received(sink: &RecordingSink) -> usize {
    sink.0.lock().len()
}

#[test]
fn listening_ends_with_the_subscription() {
    let hub = ChangeHub::default();
    let (first, second) = (Arc::new(RecordingSink::default()), Arc::new(RecordingSink::default()));
    let listening = hub.subscribe(Principal::anonymous(), weak(&first));
    let _stays = hub.clone().subscribe(Principal::anonymous(), weak(&second));
    hub.publish(&Change::Tools);
    assert_eq!((received(&first), received(&second), hub.listeners()), (1, 1, 2));
    drop(listening);
    hub.publish(&Change::Prompts);
    assert_eq!((received(&first), received(&second), hub.listeners()), (1, 2, 1));
    let again = hub.subscribe(Principal::anonymous(), weak(&first));
    hub.publish(&Change::Resources);
    assert_eq!((received(&first), received(&second)), (2, 3));
    drop(again);
    assert_eq!(hub.listeners(), 1);
}

#[test]
fn what_only_some_may_learn_of_reaches_nobody_else() {
    let hub = ChangeHub::default();
    let names = [Principal::anonymous(), Principal::named("ann"), Principal::named("bob")];
    let sinks = names.each_ref().map(|_| Arc::new(RecordingSink::default()));
    let listening = |(name, sink): (&Principal, _)| hub.subscribe(name.clone(), weak(sink));
    let _listening: Vec<Subscription> = names.iter().zip(&sinks).map(listening).collect();
    hub.publish_to(&Change::Tools, |principal| *principal == names[1]);
    assert_eq!(sinks.each_ref().map(|sink| received(sink)), [0, 1, 0]);
    hub.publish(&Change::Tools);
    assert_eq!(sinks.each_ref().map(|sink| received(sink)), [1, 2, 1]);
}

#[test]
fn a_sink_that_is_gone_gets_nothing_and_harms_nobody() {
    let hub = ChangeHub::default();
    let (gone, stays) = (Arc::new(RecordingSink::default()), Arc::new(RecordingSink::default()));
    let _gone = hub.subscribe(Principal::anonymous(), weak(&gone));
    let _stays = hub.subscribe(Principal::anonymous(), weak(&stays));
    drop(gone);
    hub.publish(&Change::Tools);
    assert_eq!(received(&stays), 1);
}

/// Calls the hub whenever it is notified of a change.
struct Meddler {
    hub: ChangeHub,
    kept: Mutex<Vec<Subscription>>,
    sink: Arc<RecordingSink>,
    act: fn(&Meddler),
}

impl ChangeSink for Meddler {
    fn changed(&self, change: &Change) {
        self.sink.changed(change);
        (self.act)(self);
    }
}

impl Meddler {
    fn kept(&self) -> parking_lot::MutexGuard<'_, Vec<Subscription>> {
        self.kept.lock()
    }
}

/// Publishes one change to a hub whose one sink runs `act`; returns how many changes were received
/// and how many sinks are subscribed then. A deadlock would hang here.
fn meddle(act: fn(&Meddler)) -> (usize, usize) {
    let hub = ChangeHub::default();
    let sink = Arc::new(RecordingSink::default());
    let kept = Mutex::default();
    let meddler = Arc::new(Meddler { hub: hub.clone(), kept, sink: Arc::clone(&sink), act });
    let first = hub.subscribe(Principal::anonymous(), weak(&meddler));
    meddler.kept().push(first);
    hub.publish(&Change::Tools);
    (received(&sink), hub.listeners())
}

#[test]
fn a_sink_may_use_the_hub_while_it_is_called() {
    let subscribes: fn(&Meddler) = |meddler| {
        let more = meddler.hub.subscribe(Principal::anonymous(), weak(&meddler.sink));
        meddler.kept().push(more);
    };
    let lets_go: fn(&Meddler) = |meddler| meddler.kept().clear();
    let publishes: fn(&Meddler) = |meddler| {
        if received(&meddler.sink) < 3 {
            meddler.hub.publish(&Change::Prompts);
        }
    };
    assert_eq!(meddle(subscribes), (1, 2), "who comes during a change is notified of the next");
    assert_eq!(meddle(lets_go), (1, 0));
    assert_eq!(meddle(publishes), (3, 1));
}

#[test]
fn a_filter_lets_through_what_it_names_and_nothing_else() {
    let changes = [
        Change::Tools,
        Change::Prompts,
        Change::Resources,
        Change::Resource("file:///a".into()),
        Change::Task { id: "t1".into(), owner: TaskOwner::default() },
    ];
    // One mark per change above.
    let cases = [
        ("{}", "-----"),
        (r#"{"toolsListChanged":true}"#, "x----"),
        (r#"{"promptsListChanged":true}"#, "-x---"),
        (r#"{"resourcesListChanged":true}"#, "--x--"),
        (r#"{"resourceSubscriptions":["file:///b","file:///a"]}"#, "---x-"),
        (r#"{"resourceSubscriptions":["file:///A","file:///"]}"#, "-----"),
        (r#"{"taskIds":["t1"]}"#, "----x"),
        (r#"{"taskIds":["file:///a"],"resourceSubscriptions":["t1"]}"#, "-----"),
        (r#"{"toolsListChanged":false,"promptsListChanged":true,"taskIds":["t1"]}"#, "-x--x"),
    ];
    for (text, expected) in cases {
        let filter: SubscriptionFilter = serde_json::from_str(text).expect(text);
        let mark = |change: &Change| if change.is_wanted_by(&filter) { 'x' } else { '-' };
        let marks: String = changes.iter().map(mark).collect();
        assert_eq!(marks, expected, "{text}");
    }
}
