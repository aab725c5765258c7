//! The rules of a turn, without any I/O: what comes next after what has happened.
//!
//! A turn begins with a question of a person and ends when the model has said everything. What must
//! stay true: it ends, whatever the model does, and until then every call that was asked for is open
//! until it has a result.

use crate::chat_totals::ChatTotals;
use hobnob_llm::{ModelCost, StopReason, ToolUse};
use std::fmt;

#[cfg(test)]
mod tests;

/// The same calls, one answer after the other, after which a model is going round in circles.
const MAX_REPEATS: u32 = 5;

/// What one turn may take.
#[derive(Debug, Clone, Copy)]
pub struct TurnLimits {
    /// How often the model is asked.
    pub requests: u32,
    /// What the conversation may cost in all.
    pub cost: Option<ModelCost>,
    /// The tokens that the conversation may use in all.
    pub tokens: Option<u64>,
}

/// What to do next.
#[derive(Debug, PartialEq, Eq)]
pub enum TurnStep {
    /// Ask the model, with everything so far.
    Ask,
    /// Make these calls, and report each result.
    Call(Vec<ToolUse>),
    /// Nothing: the turn is over.
    End(TurnEnd),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnEnd {
    /// The model has said everything.
    Complete,
    /// The person has had enough.
    Interrupted,
    /// The model could not be asked, or gave no answer of use; in words.
    Failed(String),
    /// The model would go on, but may not.
    Limit(TurnLimit),
}

/// Which limit ended a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnLimit {
    /// The model was asked this often.
    Requests(u32),
    /// It asked for the same calls this often, one answer after the other.
    Repeats(u32),
    /// The conversation has cost this much.
    Cost(ModelCost),
    /// The conversation has used this many tokens.
    Tokens(u64),
    /// The answer had no more room.
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

/// A turn and how far it is.
#[derive(Debug)]
pub struct TurnProgress {
    limits: TurnLimits,
    requests: u32,
    /// Calls that have no result yet.
    open: Vec<ToolUse>,
    /// The last answer's calls, and how often they came in a row.
    last: (Vec<(Box<str>, String)>, u32),
}

impl TurnProgress {
    /// A turn whose question was just asked. First the model is asked, unless nothing is left.
    pub fn begin(limits: TurnLimits, spent: &ChatTotals) -> (Self, TurnStep) {
        let turn = Self { limits, requests: 0, open: Vec::new(), last: (Vec::new(), 0) };
        let step = turn.ask(spent);
        (turn, step)
    }

    /// How often the model was asked.
    pub fn requests(&self) -> u32 {
        self.requests
    }

    /// The calls that have no result. Whoever ends the turn gives them one.
    pub fn open_calls(&self) -> &[ToolUse] {
        &self.open
    }

    /// The model has answered, with these calls, and stopped for this reason.
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
        if MAX_REPEATS <= repeats {
            return TurnStep::End(TurnEnd::Limit(TurnLimit::Repeats(repeats)));
        }
        match self.ask(spent) {
            // No answer could follow, so nobody would see what the calls give.
            TurnStep::End(end) => TurnStep::End(end),
            TurnStep::Ask | TurnStep::Call(_) => TurnStep::Call(calls),
        }
    }

    /// A call has its result. What comes next, once all have: calls may spend too.
    pub fn call_ended(&mut self, id: &str, spent: &ChatTotals) -> Option<TurnStep> {
        self.open.retain(|call| *call.id != *id);
        self.open.is_empty().then(|| self.ask(spent))
    }

    fn ask(&self, spent: &ChatTotals) -> TurnStep {
        let limit = |limit| TurnStep::End(TurnEnd::Limit(limit));
        if self.limits.requests <= self.requests {
            return limit(TurnLimit::Requests(self.requests));
        }
        if let (Some(most), Some(cost)) = (self.limits.cost, spent.cost())
            && most <= cost
        {
            return limit(TurnLimit::Cost(cost));
        }
        let used = spent.usage.map(|usage| usage.total());
        match (self.limits.tokens, used) {
            (Some(most), Some(used)) if most <= used => limit(TurnLimit::Tokens(used)),
            _ => TurnStep::Ask,
        }
    }
}
