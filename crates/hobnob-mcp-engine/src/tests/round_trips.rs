//! Rounds of questions as a script: what the callee does in each call, and what it receives.

use crate::{
    Answer, Answers, CallEnd, CallError, Held, NextRound, Outcome, Questions, Refusable,
    RoundAnswers, RoundLimits, RoundTrips, round_trips,
};
use serde_json::value::RawValue;
use std::future::{Future as _, ready};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

/// A callee that asks `asks` times, and records what it received.
struct Script {
    asks: usize,
    refusable: Refusable,
    /// The round in which the asking side stops.
    stops_at: Option<usize>,
    rounds: usize,
    holds: bool,
    /// How many handles had been dropped, at each call.
    let_go: Arc<AtomicUsize>,
    seen: Vec<String>,
}

impl Script {
    fn asking(asks: usize) -> Self {
        let (refusable, stops_at, let_go) = (Refusable::No, None, Arc::default());
        Self { asks, refusable, stops_at, rounds: 0, holds: false, let_go, seen: Vec::new() }
    }

    fn run(&mut self, limits: RoundLimits) -> Result<CallEnd<&'static str>, CallError> {
        let mut done = pin!(round_trips(self, Answers::default(), limits));
        match done.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(done) => done,
            Poll::Pending => panic!("nothing here waits"),
        }
    }
}

impl RoundTrips for Script {
    type Error = CallError;
    type Stopped = &'static str;

    fn call(
        &mut self,
        answers: Answers,
    ) -> impl Future<Output = Result<Outcome, CallError>> + Send {
        let fresh: Vec<&str> = answers.fresh().map(|(key, _)| key).collect();
        let first = if answers.get("q1").is_some() { "knows" } else { "misses" };
        let state = answers.state().unwrap_or("-");
        let let_go = self.let_go.load(Ordering::Relaxed);
        self.seen.push(format!("{} {first} q1, state {state}, {let_go} let go", fresh.join(",")));
        if self.rounds == self.asks {
            return ready(Answer::new(&"done").map(Outcome::Complete));
        }
        self.rounds += 1;
        let let_go = Arc::clone(&self.let_go);
        let hold = || {
            Held::new(move || {
                let_go.fetch_add(1, Ordering::Relaxed);
            })
        };
        ready(Ok(Outcome::NeedsInput(Questions {
            state: Some(format!("s{}", self.rounds)),
            refusable: self.refusable,
            held: self.holds.then(hold),
            ..Questions::default()
        })))
    }

    fn answer(
        &mut self,
        _questions: &Questions,
        _so_far: &Answers,
    ) -> impl Future<Output = Result<NextRound<&'static str>, CallError>> + Send {
        if self.stops_at == Some(self.rounds) {
            return ready(Ok(NextRound::Stop("stopped")));
        }
        let key = format!("q{}", self.rounds).into();
        let answer = RawValue::NULL.to_owned();
        ready(Ok(NextRound::CallAgain(RoundAnswers::from([(key, answer)]))))
    }
}

#[test]
fn answers_and_state_reach_the_next_call() {
    let mut script = Script::asking(2);
    let end = script.run(RoundLimits::new(2)).expect("it ends");
    assert!(matches!(end, CallEnd::Complete(answer) if answer.body == r#""done""#));
    assert_eq!(
        script.seen,
        [
            " misses q1, state -, 0 let go",
            "q1 knows q1, state s1, 0 let go",
            "q2 knows q1, state s2, 0 let go"
        ]
    );
}

/// A handle is dropped only after the callee has been called again, and the answer to its question
/// is not passed on twice.
#[test]
fn a_hold_lasts_until_the_callee_was_called_again() {
    let mut script = Script { holds: true, ..Script::asking(2) };
    drop(script.run(RoundLimits::new(2)).expect("it ends"));
    assert_eq!(
        script.seen,
        [
            " misses q1, state -, 0 let go",
            "q1 knows q1, state s1, 0 let go",
            "q2 misses q1, state s2, 1 let go"
        ]
    );
    assert_eq!(script.let_go.load(Ordering::Relaxed), 2);
}

#[test]
fn a_round_can_stop_the_call() {
    let mut script = Script { stops_at: Some(2), ..Script::asking(9) };
    let end = script.run(RoundLimits::new(9)).expect("it stops");
    assert!(matches!(end, CallEnd::Stopped("stopped")));
    assert_eq!(script.seen.len(), 2);
}

#[test]
fn rounds_are_limited_by_their_kind() {
    let (no, yes) = (Refusable::No, Refusable::Yes);
    for (asks, refusable, limits, ends) in [
        (3, no, RoundLimits::new(3), true),
        (4, no, RoundLimits::new(3), false),
        (1000, yes, RoundLimits::new(3), true),
        (1001, yes, RoundLimits::new(3), false),
        (3, yes, RoundLimits::of_any_kind(3), true),
        (4, yes, RoundLimits::of_any_kind(3), false),
    ] {
        let mut script = Script { refusable, ..Script::asking(asks) };
        let end = script.run(limits);
        assert_eq!(end.is_ok(), ends, "{asks} rounds, {limits:?}");
        assert!(ends || matches!(end, Err(CallError::Internal)), "{asks} rounds, {limits:?}");
    }
}
