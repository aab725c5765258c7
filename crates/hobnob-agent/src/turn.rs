//! The rules of a turn as a state machine without I/O: each event leads to the next step.
//!
//! A turn begins with a person's question and ends when the model has finished. What must stay
//! true: the limits end every turn, even if the model never finishes, and every requested call
//! stays open until it has a result.

use crate::chat_totals::ChatTotals;
use hobnob_llm::{ModelCost, StopReason, ToolUse};
use std::fmt;

#[cfg(test)]
mod tests;

/// How many answers in a row with the same calls end a turn with a person, because the model is in
/// a loop.
pub const MAX_REPEATS: u32 = 5;

/// The limits of one turn.
#[derive(Debug, Clone, Copy)]
pub struct TurnLimits {
    /// How often the model may be asked.
    pub requests: u32,
    /// How often in a row the model may ask for the same calls; `None` for any number.
    pub repeats: Option<u32>,
    /// How much the conversation may cost in all.
    pub cost: Option<ModelCost>,
    /// The tokens that the conversation may use in all.
    pub tokens: Option<u64>,
}

/// What the agent does next.
#[derive(Debug, PartialEq, Eq)]
pub enum TurnStep {
    /// Ask the model, with everything so far.
    Ask,
    /// Make these calls, and report each result.
    Call(Vec<ToolUse>),
    /// Stop, because the turn is over.
    End(TurnEnd),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model has finished its answer.
    Complete,
    /// The person interrupted the turn.
    Interrupted,
    /// The model could not be asked, or its answer was unusable. The text says why.
    Failed(String),
    /// The model was not done, but a limit ended the turn.
    Limit(TurnLimit),
}

/// Which limit ended a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnLimit {
    /// The model was asked this often.
    Requests(u32),
    /// The model requested the same calls this often in a row.
    Repeats(u32),
    /// The conversation has cost this much.
    Cost(ModelCost),
    /// The conversation has used this many tokens.
    Tokens(u64),
    /// The answer was cut off at its maximum length.
    AnswerLength,
}

impl fmt::Display for TurnLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requests(count) => write!(f, "the model was asked {count} times in this turn"),
            Self::Repeats(count) => {
                write!(f, "the model asked for the same calls {count} times in a row")
            }
            Self::Cost(cost) => write!(f, "the conversation has cost ${cost}"),
            Self::Tokens(tokens) => write!(f, "the conversation has used {tokens} tokens"),
            Self::AnswerLength => f.write_str("the answer was cut off at its maximum length"),
        }
    }
}

/// The state of a turn.
#[derive(Debug)]
pub struct TurnProgress {
    limits: TurnLimits,
    requests: u32,
    /// Calls that have no result yet.
    open: Vec<ToolUse>,
    /// The last answer's calls, and how often they were requested in a row.
    last: (Vec<(Box<str>, String)>, u32),
}

impl TurnProgress {
    /// Begins a turn with a stored question. The first step asks the model, if the limits allow it.
    pub fn begin(limits: TurnLimits, spent: &ChatTotals) -> (Self, TurnStep) {
        let turn = Self::resume(limits, 0);
        let step = turn.ask(spent);
        (turn, step)
    }

    /// Continues a turn in which the model has answered this often; none of its calls is open.
    pub fn resume(limits: TurnLimits, requests: u32) -> Self {
        Self { limits, requests, open: Vec::new(), last: (Vec::new(), 0) }
    }

    /// How often the model has answered.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// The calls that have no result. The agent stores a result for each when it ends the turn.
    pub fn open_calls(&self) -> &[ToolUse] {
        &self.open
    }

    /// Records an answer with these calls and this stop reason, and returns the next step.
    pub fn answered(
        &mut self,
        calls: Vec<ToolUse>,
        stop: &StopReason,
        spent: &ChatTotals,
    ) -> TurnStep {
        self.requests += 1;
        if calls.is_empty() {
            return TurnStep::End(match stop {
                StopReason::Length => TurnEnd::Limit(TurnLimit::AnswerLength),
                StopReason::End
                | StopReason::ToolUse
                | StopReason::StopText
                | StopReason::Refusal
                | StopReason::Other(_) => TurnEnd::Complete,
            });
        }
        let made: Vec<(Box<str>, String)> =
            calls.iter().map(|call| (call.name.clone(), call.input.as_str().to_owned())).collect();
        let repeats = if self.last.0 == made { self.last.1 + 1 } else { 1 };
        self.last = (made, repeats);
        self.open.clone_from(&calls);
        if self.limits.repeats.is_some_and(|limit| limit <= repeats) {
            return TurnStep::End(TurnEnd::Limit(TurnLimit::Repeats(repeats)));
        }
        match self.ask(spent) {
            // No answer could follow, so the model would never see the results of the calls.
            TurnStep::End(end) => TurnStep::End(end),
            TurnStep::Ask | TurnStep::Call(_) => TurnStep::Call(calls),
        }
    }

    /// Records that a call has its result, and returns the next step once all calls have one. Calls
    /// may spend too, so this checks the limits again.
    pub fn call_ended(&mut self, id: &str, spent: &ChatTotals) -> Option<TurnStep> {
        self.open.retain(|call| *call.id != *id);
        self.open.is_empty().then(|| self.ask(spent))
    }

    fn ask(&self, spent: &ChatTotals) -> TurnStep {
        let limit = |limit| TurnStep::End(TurnEnd::Limit(limit));
        if self.limits.requests <= self.requests {
            return limit(TurnLimit::Requests(self.requests));
        }
        if let (Some(max_cost), Some(cost)) = (self.limits.cost, spent.cost())
            && max_cost <= cost
        {
            return limit(TurnLimit::Cost(cost));
        }
        let used = spent.usage.map(|usage| usage.total());
        match (self.limits.tokens, used) {
            (Some(max_tokens), Some(used)) if max_tokens <= used => limit(TurnLimit::Tokens(used)),
            _ => TurnStep::Ask,
        }
    }
}
