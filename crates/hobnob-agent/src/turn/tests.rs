//! Which step follows, also for models that loop, spend too much or are cut off.

use super::{MAX_REPEATS, TurnEnd, TurnLimit, TurnLimits, TurnProgress, TurnStep};
use crate::chat_totals::ChatTotals;
use hobnob_llm::{ModelCompletion, ModelCost, StopReason, TokenUsage, ToolInput, ToolUse};

const LIMITS: TurnLimits =
    TurnLimits { requests: 3, repeats: Some(MAX_REPEATS), cost: None, tokens: None };

/// The stop reason of a model that waits for results.
const ASKS: StopReason = StopReason::ToolUse;

fn call(id: &str, input: &str) -> ToolUse {
    let input = ToolInput::parse(input).unwrap();
    ToolUse { id: id.into(), name: "t".into(), input }
}

fn spent(tokens: u64, nano_dollars: u64) -> ChatTotals {
    let mut totals = ChatTotals::new();
    let usage = TokenUsage { input: tokens, ..TokenUsage::default() };
    let cost = Some(ModelCost::from_nano_dollars(nano_dollars));
    totals.add(&ModelCompletion { stop: StopReason::End, usage: Some(usage), cost });
    totals
}

#[test]
fn a_turn_asks_until_nothing_is_to_be_called() {
    let nothing = ChatTotals::new();
    let (mut turn, step) = TurnProgress::begin(LIMITS, &nothing);
    assert_eq!(step, TurnStep::Ask);
    let calls = vec![call("1", "{}"), call("2", "{}")];
    assert_eq!(turn.answered(calls.clone(), &ASKS, &nothing), TurnStep::Call(calls.clone()));
    assert_eq!(turn.open_calls(), calls);
    assert_eq!(turn.call_ended("2", &nothing), None);
    assert_eq!(turn.open_calls(), &calls[..1]);
    assert_eq!(turn.call_ended("1", &nothing), Some(TurnStep::Ask));
    assert_eq!(
        turn.answered(Vec::new(), &StopReason::End, &nothing),
        TurnStep::End(TurnEnd::Complete)
    );
    assert_eq!(turn.requests(), 2);
}

#[test]
fn limits_end_a_turn_and_leave_the_calls_open() {
    let limit = |it| TurnStep::End(TurnEnd::Limit(it));
    let nothing = ChatTotals::new();
    let (mut turn, _) = TurnProgress::begin(LIMITS, &nothing);
    for at in 1..=3 {
        let step = turn.answered(vec![call("1", &format!("{{\"at\":{at}}}"))], &ASKS, &nothing);
        match at {
            3 => assert_eq!(step, limit(TurnLimit::Requests(3))),
            _ => assert_eq!(turn.call_ended("1", &nothing), Some(TurnStep::Ask)),
        }
    }
    assert_eq!(turn.open_calls().len(), 1);

    let max_cost = ModelCost::from_nano_dollars(100);
    let costly = TurnLimits { cost: Some(max_cost), ..LIMITS };
    assert_eq!(TurnProgress::begin(costly, &spent(1, 99)).1, TurnStep::Ask);
    assert_eq!(TurnProgress::begin(costly, &spent(1, 100)).1, limit(TurnLimit::Cost(max_cost)));
    let long = TurnLimits { tokens: Some(10), ..LIMITS };
    assert_eq!(TurnProgress::begin(long, &spent(10, 0)).1, limit(TurnLimit::Tokens(10)));
    // The usage of a call counts before the model is asked again.
    let (mut turn, _) = TurnProgress::begin(long, &nothing);
    turn.answered(vec![call("1", "{}")], &ASKS, &spent(9, 0));
    assert_eq!(turn.call_ended("1", &spent(10, 0)), Some(limit(TurnLimit::Tokens(10))));
}

#[test]
fn a_model_that_goes_round_in_circles_is_stopped() {
    let nothing = ChatTotals::new();
    let (mut turn, _) = TurnProgress::begin(TurnLimits { requests: 100, ..LIMITS }, &nothing);
    let mut last = TurnStep::Ask;
    for at in 0..MAX_REPEATS {
        last = turn.answered(vec![call(&at.to_string(), "{}")], &ASKS, &nothing);
        if last != TurnStep::End(TurnEnd::Limit(TurnLimit::Repeats(MAX_REPEATS))) {
            turn.call_ended(&at.to_string(), &nothing);
        }
    }
    assert_eq!(last, TurnStep::End(TurnEnd::Limit(TurnLimit::Repeats(MAX_REPEATS))));
}

#[test]
fn an_answer_that_was_cut_off_is_not_complete() {
    let nothing = ChatTotals::new();
    let cut = StopReason::Length;
    let (mut turn, _) = TurnProgress::begin(LIMITS, &nothing);
    // The complete calls are made, and the model continues.
    let calls = vec![call("1", "{}")];
    assert_eq!(turn.answered(calls.clone(), &cut, &nothing), TurnStep::Call(calls));
    assert_eq!(turn.call_ended("1", &nothing), Some(TurnStep::Ask));
    let end = TurnStep::End(TurnEnd::Limit(TurnLimit::AnswerLength));
    assert_eq!(turn.answered(Vec::new(), &cut, &nothing), end);
}
