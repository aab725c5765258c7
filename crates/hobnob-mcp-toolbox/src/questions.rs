//! Asking back from inside a handler.
//!
//! A question ends the run; its answer comes with the next run, which starts from the top. So a
//! handler asks first and acts afterwards, and asks under the same key each time.

use crate::context::CallContext;
use crate::error::ToolError;
use hobnob_mcp_engine::{CallError, Caller, Questions, Refusable};
use hobnob_mcp_types::RpcError;
use hobnob_mcp_types::elicitation::ElicitResult;
use hobnob_mcp_types::input::{InputRequest, InputRequests};
use hobnob_mcp_types::roots::ListRootsResult;
use hobnob_mcp_types::sampling::{CreateMessageParams, CreateMessageResult};
use serde::de::{DeserializeOwned, IgnoredAny};

impl CallContext {
    /// The client's model's reply; asks for it if it is not known yet.
    pub fn sample(
        &self,
        key: &str,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, ToolError> {
        self.answered(key, || InputRequests::new().create_message(key, params))
    }

    /// The client's roots; asks for them if they are not known yet.
    pub fn roots(&self, key: &str) -> Result<ListRootsResult, ToolError> {
        self.answered(key, || InputRequests::new().list_roots(key))
    }

    /// The client's roots, or `None` if the client refuses to list them although it declared that
    /// it can.
    pub fn roots_if_given(&self, key: &str) -> Result<Option<ListRootsResult>, ToolError> {
        match self.answers().get(key) {
            Some(_) if self.answers().refusal(key).is_some() => Ok(None),
            Some(raw) => decode(key, raw.get()).map(Some),
            None => {
                let requests = InputRequests::new().list_roots(key);
                let refusable = Refusable::Yes;
                let questions = Questions { requests, refusable, ..Questions::default() };
                Err(ToolError::Questions(Box::new(questions)))
            }
        }
    }

    /// The answer to a question that [`Self::ask`] has asked under this key.
    pub fn answer<T: DeserializeOwned>(&self, key: &str) -> Result<T, ToolError> {
        match self.answers().get(key) {
            Some(raw) => decode(key, raw.get()),
            None => Err(ToolError::params(format!("`inputResponses.{key}` is missing"))),
        }
    }

    /// Returns once all of these have answers; asks those that have none.
    pub fn ask(&self, requests: InputRequests) -> Result<(), ToolError> {
        self.ask_for_missing(requests, None)
    }

    /// The same, and saves `state`: in the next run [`Self::request_state`] returns it.
    pub fn ask_with_request_state(
        &self,
        requests: InputRequests,
        state: impl Into<String>,
    ) -> Result<(), ToolError> {
        self.ask_for_missing(requests, Some(state.into()))
    }

    /// Like [`Self::ask_with_request_state`], but the handler also runs again when a question stays
    /// unanswered; [`Self::answer_or_refusal`] then says why. Only that method checks the type of
    /// an answer.
    pub fn ask_refusable(
        &self,
        requests: InputRequests,
        state: impl Into<String>,
    ) -> Result<(), ToolError> {
        let is_open = |key: &str| self.answers().get(key).is_none();
        let open = requests.0.into_iter().filter(|(key, _)| is_open(key)).collect();
        match InputRequests(open) {
            open if open.0.is_empty() => Ok(()),
            open => Err(self.ask_again(open, state)),
        }
    }

    /// The same questions as an error, even if their keys have answers from earlier rounds.
    pub fn ask_again(&self, requests: InputRequests, state: impl Into<String>) -> ToolError {
        let (state, refusable) = (Some(state.into()), Refusable::Yes);
        ToolError::Questions(Box::new(Questions { requests, state, refusable, held: None }))
    }

    /// The answer to a question of [`Self::ask_refusable`], or the reason why there is none.
    pub fn answer_or_refusal<T: DeserializeOwned>(&self, key: &str) -> Result<T, RpcError> {
        if let Some(refusal) = self.answers().refusal(key) {
            return Err(refusal);
        }
        let missing = || RpcError::invalid_params(format!("`inputResponses.{key}` is missing"));
        let raw = self.answers().get(key).ok_or_else(missing)?;
        serde_json::from_str(raw.get())
            .map_err(|error| RpcError::invalid_params(format!("`inputResponses.{key}`: {error}")))
    }

    pub(crate) fn answered<T: DeserializeOwned>(
        &self,
        key: &str,
        request: impl FnOnce() -> InputRequests,
    ) -> Result<T, ToolError> {
        match self.answers().get(key) {
            Some(raw) => decode(key, raw.get()),
            None => Err(questions(self.caller(), request(), None)),
        }
    }

    fn ask_for_missing(
        &self,
        requests: InputRequests,
        state: Option<String>,
    ) -> Result<(), ToolError> {
        let mut missing = InputRequests::new();
        for (key, request) in requests.0 {
            match self.answers().get(&key) {
                Some(raw) => check(&key, &request, raw.get())?,
                None => missing.0.insert(key, request),
            }
        }
        if missing.0.is_empty() {
            return Ok(());
        }
        Err(questions(self.caller(), missing, state))
    }
}

/// The questions as an error, or the capability that the caller lacks for them.
fn questions(caller: &Caller, requests: InputRequests, state: Option<String>) -> ToolError {
    let questions = Questions { requests, state, ..Questions::default() };
    match questions.check(caller) {
        Ok(()) => ToolError::Questions(Box::new(questions)),
        Err(error) => ToolError::Protocol(error),
    }
}

/// Fails if an answer has another type than its question asks for.
fn check(key: &str, request: &InputRequest, raw: &str) -> Result<(), ToolError> {
    match request {
        InputRequest::Elicit(_) => decode::<ElicitResult>(key, raw).map(drop),
        InputRequest::CreateMessage(_) => decode::<CreateMessageResult>(key, raw).map(drop),
        InputRequest::ListRoots(_) => decode::<ListRootsResult>(key, raw).map(drop),
        InputRequest::Unknown(_) => decode::<IgnoredAny>(key, raw).map(drop),
    }
}

fn decode<T: DeserializeOwned>(key: &str, raw: &str) -> Result<T, ToolError> {
    serde_json::from_str(raw).map_err(|error| {
        ToolError::Protocol(CallError::params(format!("`inputResponses.{key}`: {error}")))
    })
}
