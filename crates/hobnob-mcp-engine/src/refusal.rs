//! Refusals: the callee gets one in place of an answer when its question stays unanswered.
//!
//! A callee that keeps something open for its question, such as a gateway with a call to an
//! upstream, has to learn that no answer will come. Only the edges write refusals; a client cannot.

use hobnob_mcp_types::json::{ObjectWriter, field, object};
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;

/// The member that marks an answer as a refusal.
const REFUSAL_KEY: &str = "hobnob/refused";

/// Whether a callee wants to be called again when its questions stay unanswered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Refusable {
    /// The call fails, and the edge says why.
    #[default]
    No,
    /// The callee is called again, and [`Answers::refusal`](crate::Answers::refusal) says why.
    Yes,
}

/// A refusal in the form of an answer. The error's `data` is left out.
pub fn refusal_answer(error: &RpcError) -> Box<RawValue> {
    let text = object(|answer| {
        let mut refused = ObjectWriter::new(answer.key(REFUSAL_KEY));
        refused.raw("code", &error.code.0.to_string()).string("message", &error.message);
        refused.end();
    });
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Fails if an answer of a client looks like one of our refusals.
pub fn check_answer(key: &str, answer: &RawValue) -> Result<(), RpcError> {
    if field(answer.get(), REFUSAL_KEY).is_none() {
        return Ok(());
    }
    let message = format!("`inputResponses.{key}` may not have the member `{REFUSAL_KEY}`");
    Err(RpcError::invalid_params(message))
}

/// Reads an answer as a refusal, if it is one.
pub(crate) fn read(answer: &RawValue) -> Option<RpcError> {
    let refused = field(answer.get(), REFUSAL_KEY)?;
    // Only this process writes refusals, so an unreadable one is a bug of ours.
    let unreadable = |_| RpcError::new(ErrorCode::INTERNAL, "the answer was refused");
    Some(serde_json::from_str(refused).unwrap_or_else(unreadable))
}
