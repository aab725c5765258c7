//! The caller's answers to questions asked back, over all rounds of one call.
//!
//! `round_trips` adds the answers and callees read them. Clones share one copy.

use crate::refusal::{self, check_answer};
use hobnob_mcp_types::{Params, RpcError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The answers of one round, keyed by question.
pub type RoundAnswers = BTreeMap<Box<str>, Box<RawValue>>;

/// Answers, keyed by question. Nearly every call has none, and then this allocates nothing; clones
/// of a filled one share its content.
#[derive(Debug, Clone, Default)]
pub struct Answers(Option<Arc<AllRounds>>);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct AllRounds {
    /// From earlier rounds. They travel inside the sealed state, so no client can change them.
    earlier: RoundAnswers,
    /// Answers of the newest round.
    #[serde(skip)]
    fresh: RoundAnswers,
    /// The callee's own state, which comes back with the next round.
    state: Option<String>,
}

impl Answers {
    /// The answer to one question, if there is one.
    pub fn get(&self, key: &str) -> Option<&RawValue> {
        let rounds = self.0.as_ref()?;
        rounds.fresh.get(key).or_else(|| rounds.earlier.get(key)).map(|answer| &**answer)
    }

    /// Why a question will stay unanswered, if that is certain. Only a callee whose questions are
    /// [refusable](crate::Refusable) ever sees a refusal.
    pub fn refusal(&self, key: &str) -> Option<RpcError> {
        refusal::read(self.get(key)?)
    }

    /// The state that the callee asked to get back, from the round before.
    pub fn state(&self) -> Option<&str> {
        self.0.as_ref()?.state.as_deref()
    }

    /// Whether there is neither an answer nor a state.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_none_or(|rounds| {
            rounds.earlier.is_empty() && rounds.fresh.is_empty() && rounds.state.is_none()
        })
    }

    /// Answers of the newest round only, for a callee that keeps its own record.
    pub fn fresh(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        let fresh = self.0.iter().flat_map(|rounds| rounds.fresh.iter());
        fresh.map(|(key, answer)| (&**key, &**answer))
    }

    /// Adds a round's answers.
    pub fn add(&mut self, round: RoundAnswers) {
        let rounds = self.change();
        rounds.settle();
        rounds.fresh = round;
    }

    /// Takes `inputResponses` from a retry.
    pub fn add_from(&mut self, params: &Params) -> Result<(), RpcError> {
        if let Some(round) = input_responses(params)? {
            self.add(round);
        }
        Ok(())
    }

    /// Forgets the answers of the newest round, because the callee will never ask about their
    /// question again.
    pub fn forget_fresh(&mut self) {
        if self.0.is_some() {
            self.change().fresh.clear();
        }
    }

    /// The answers whose keys begin with `prefix`, with the prefix removed: for a callee that
    /// passes on another service's questions. `state` is that service's own state.
    pub fn below(&self, prefix: &str, state: Option<String>) -> Self {
        let pick = |answers: &RoundAnswers| {
            let found = answers.iter().filter_map(|(key, answer)| {
                Some((key.strip_prefix(prefix)?.into(), answer.clone()))
            });
            found.collect()
        };
        let (earlier, fresh) = match &self.0 {
            Some(rounds) => (pick(&rounds.earlier), pick(&rounds.fresh)),
            None => Default::default(),
        };
        Self(Some(Arc::new(AllRounds { earlier, fresh, state })))
    }

    /// Replaces the state, for a callee that wraps the state of another service.
    pub fn replace_state(&mut self, state: Option<String>) {
        self.change().state = state;
    }

    /// Ends the round: its answers become earlier ones, and the callee gets `state` back next time.
    pub fn end_round(&mut self, state: Option<String>) {
        let rounds = self.change();
        rounds.settle();
        rounds.state = state;
    }

    fn change(&mut self) -> &mut AllRounds {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

/// The `inputResponses` of a request, if it has any.
pub fn input_responses(params: &Params) -> Result<Option<RoundAnswers>, RpcError> {
    let Some(raw) = params.get("inputResponses") else { return Ok(None) };
    let refuse = |_| RpcError::invalid_params("`params.inputResponses` must be an object");
    let round: RoundAnswers = serde_json::from_str(raw).map_err(refuse)?;
    round.iter().try_for_each(|(key, answer)| check_answer(key, answer))?;
    Ok(Some(round))
}

impl Serialize for Answers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_deref().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Answers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rounds: Option<AllRounds> = Option::deserialize(deserializer)?;
        Ok(Self(rounds.map(Arc::new)))
    }
}

impl AllRounds {
    fn settle(&mut self) {
        self.earlier.append(&mut self.fresh);
    }
}
