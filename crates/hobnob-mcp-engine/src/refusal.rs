//! A question that stays without an answer, handed to the callee in the answer's place.
//!
//! A callee that holds something open for its question, such as a gateway with a live call behind
//! it, has to learn that nobody will answer. The edges write refusals; a client cannot.

use hobnob_mcp_types::json::{ObjectWriter, field, object};
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;

/// The member that makes an answer a refusal.
const REFUSED: &str = "hobnob/refused";

/// Whether a callee wants to be called again when its questions stay without an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Refusable {
    /// No: the call fails, and the edge says why.
    #[default]
    No,
    /// Yes: it is called again, and [`Answers::refusal`](crate::Answers::refusal) says why.
    Yes,
}

/// The answer that stands for "there will be none". Data of the error is left out.
pub fn refusal_answer(error: &RpcError) -> Box<RawValue> {
    let text = object(|answer| {
        let mut refused = ObjectWriter::new(answer.key(REFUSED));
        refused.raw("code", &error.code.0.to_string()).string("message", &error.message);
        refused.end();
    });
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Fails for an answer of a client that would pass for a refusal of ours.
pub fn check_answer(key: &str, answer: &RawValue) -> Result<(), RpcError> {
    if field(answer.get(), REFUSED).is_none() {
        return Ok(());
    }
    let message = format!("`inputResponses.{key}` may not have the member `{REFUSED}`");
    Err(RpcError::invalid_params(message))
}

/// The refusal an answer stands for, if it is one.
pub(crate) fn read(answer: &RawValue) -> Option<RpcError> {
    let refused = field(answer.get(), REFUSED)?;
    // Nobody but us writes these, so one that cannot be read is our own fault.
    let unreadable = |_| RpcError::new(ErrorCode::INTERNAL, "the answer was refused");
    Some(serde_json::from_str(refused).unwrap_or_else(unreadable))
}
