//! Blocking tools: how many run at once, and what a cancelled call leaves behind.

use super::{Bench, call_of};
use crate::spec::ToolTypes;
use crate::{Context, Kit, tool};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use tokio::sync::Semaphore;

#[derive(Deserialize, JsonSchema)]
struct Turn {
    /// Which call this is.
    number: u64,
}

/// A tool `t` that reports its start, waits for a signal, and reports whether it is cancelled.
struct Gate {
    bench: Bench,
    begun: Receiver<u64>,
    go: SyncSender<()>,
    ended: Receiver<(u64, bool)>,
}

impl Gate {
    fn new(turns: &'static Semaphore) -> Self {
        let (begin, begun) = sync_channel(8);
        let (go, signal) = sync_channel(8);
        let (end, ended) = sync_channel(8);
        let signal = Mutex::new(signal);
        let state = Arc::new(());
        let run = tool::blocking_in_turn(turns, state, move |turn: Turn, context: Context| {
            begin.send(turn.number).unwrap();
            signal.lock().recv().unwrap();
            end.send((turn.number, context.is_cancelled())).unwrap();
            turn.number.to_string()
        });
        let types = ToolTypes::of::<Turn, String>();
        let kit = Kit::plain("k").add_tool("t".into(), "Blocks".into(), &types, run);
        Self { bench: Bench::new([kit]), begun, go, ended }
    }

    /// Releases two calls, and a spare one: a call that starts by mistake must not hang the test.
    fn open(&self) {
        (0..3).for_each(|_| self.go.send(()).unwrap());
    }

    async fn call(&self, number: u64) -> Value {
        let shown = self.bench.shown(call_of("t", json!({"number": number}))).await;
        shown["content"][0]["text"].clone()
    }
}

#[tokio::test]
async fn a_blocking_handler_can_see_that_its_call_is_cancelled() {
    static TURNS: Semaphore = Semaphore::const_new(2);
    let gate = Gate::new(&TURNS);
    let mut kept = Box::pin(gate.call(1));
    assert_eq!((&mut kept).now_or_never(), None);
    assert_eq!(gate.begun.recv(), Ok(1));
    gate.go.send(()).unwrap();
    assert_eq!(kept.await, "1");
    let mut dropped = Box::pin(gate.call(2));
    assert_eq!((&mut dropped).now_or_never(), None);
    assert_eq!(gate.begun.recv(), Ok(2));
    drop(dropped);
    gate.go.send(()).unwrap();
    assert_eq!((gate.ended.recv(), gate.ended.recv()), (Ok((1, false)), Ok((2, true))));
}

#[tokio::test]
async fn a_cancelled_call_keeps_its_turn_until_its_work_ends() {
    static TURNS: Semaphore = Semaphore::const_new(1);
    let gate = Gate::new(&TURNS);
    let mut first = Box::pin(gate.call(1));
    assert_eq!((&mut first).now_or_never(), None);
    assert_eq!(gate.begun.recv(), Ok(1));
    drop(first);
    assert_eq!(TURNS.available_permits(), 0, "the work goes on");
    let mut waiting = Box::pin(gate.call(2));
    let mut last = Box::pin(gate.call(3));
    assert_eq!((&mut waiting).now_or_never(), None);
    assert_eq!((&mut last).now_or_never(), None);
    drop(waiting);
    gate.open();
    assert_eq!(last.await, "3");
    let begun: Vec<u64> = gate.begun.try_iter().collect();
    assert_eq!(begun, [3], "the one that waited never began");
}

#[test]
fn work_without_a_thread_never_begins_once_its_call_is_cancelled() {
    static TURNS: Semaphore = Semaphore::const_new(2);
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build();
    runtime.unwrap().block_on(async {
        let gate = Gate::new(&TURNS);
        let mut first = Box::pin(gate.call(1));
        assert_eq!((&mut first).now_or_never(), None);
        assert_eq!(gate.begun.recv(), Ok(1));
        let mut queued = Box::pin(gate.call(2));
        assert_eq!((&mut queued).now_or_never(), None);
        assert_eq!(TURNS.available_permits(), 0, "it has its turn, but no thread");
        drop(queued);
        gate.open();
        assert_eq!((first.await, gate.call(3).await), (json!("1"), json!("3")));
        let begun: Vec<u64> = gate.begun.try_iter().collect();
        assert_eq!(begun, [3]);
    });
}

#[tokio::test]
async fn more_calls_than_turns_all_finish_within_them() {
    static TURNS: Semaphore = Semaphore::const_new(3);
    let (now, max_running) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&max_running);
    let few = tool::blocking_in_turn(&TURNS, Arc::new(()), move |turn: Turn| {
        seen.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::yield_now();
        now.fetch_sub(1, Ordering::SeqCst);
        turn.number.to_string()
    });
    let kit = Kit::plain("k")
        .add_tool("few".into(), "Blocks".into(), &ToolTypes::of::<Turn, String>(), few)
        .blocking_tool("many", "Blocks", |turn: Turn| turn.number.to_string());
    let bench = Bench::new([kit]);
    for tool in ["few", "many"] {
        let calls = (0..100).map(|number| bench.shown(call_of(tool, json!({"number": number}))));
        for (number, shown) in join_all(calls).await.into_iter().enumerate() {
            assert_eq!(shown["content"][0]["text"], number.to_string(), "{tool}");
        }
    }
    assert!((1..=3).contains(&max_running.load(Ordering::SeqCst)));
}
