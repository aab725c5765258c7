//! What the caller has answered to questions asked back, over all rounds of one call.
//!
//! `round_trips` adds to them, callees read them. Clones share what is in them.

use crate::refusal::{self, check_answer};
use hobnob_mcp_types::{Params, RpcError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The answers of one round, each by the key of its question.
pub type RoundAnswers = BTreeMap<Box<str>, Box<RawValue>>;

/// Answers by the key of their question. Nearly every call has none, and then it is nothing;
/// where there are some, clones share them.
#[derive(Debug, Clone, Default)]
pub struct Answers(Option<Arc<AllRounds>>);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct AllRounds {
    /// From earlier rounds. They come back inside the sealed state, so they are as given.
    earlier: RoundAnswers,
    /// From the newest round.
    #[serde(skip)]
    fresh: RoundAnswers,
    /// What the callee asked to be handed back.
    state: Option<String>,
}

impl Answers {
    /// The answer to one question, if there is one.
    pub fn get(&self, key: &str) -> Option<&RawValue> {
        let rounds = self.0.as_ref()?;
        rounds.fresh.get(key).or_else(|| rounds.earlier.get(key)).map(|answer| &**answer)
    }

    /// Why a question will stay without an answer, if it is known that it will. Only a callee
    /// whose questions are [refusable](crate::Refusable) ever sees one.
    pub fn refusal(&self, key: &str) -> Option<RpcError> {
        refusal::read(self.get(key)?)
    }

    /// What the callee asked to be handed back in the round before.
    pub fn state(&self) -> Option<&str> {
        self.0.as_ref()?.state.as_deref()
    }

    /// Whether nothing was answered yet and nothing is to be handed back.
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

    /// Forgets the answers of the newest round: their question was one that nobody will ask
    /// about again.
    pub fn forget_fresh(&mut self) {
        if self.0.is_some() {
            self.change().fresh.clear();
        }
    }

    /// The answers whose keys begin with `prefix`, without it, for a callee that passes the questions
    /// of another on under keys of its own. `state` is what the other one asked to be handed back.
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

    /// Puts another text in place of what is to be handed back, for a callee that wraps the state
    /// of another.
    pub fn replace_state(&mut self, state: Option<String>) {
        self.change().state = state;
    }

    /// Ends the round: its answers become earlier ones, and `state` is what the callee wants back.
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
