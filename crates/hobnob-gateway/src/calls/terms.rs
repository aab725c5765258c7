//! What a view changes about a call: names that it replaces, arguments that it refuses.

use crate::catalog::CallTerms;
use crate::rewrite;
use hobnob_mcp_engine::{ArgumentProblem, ArgumentProblems, Call, CallError};
use hobnob_mcp_types::Params;
use std::sync::Arc;

/// How many characters of an argument's name an error repeats.
const MAX_SHOWN_CHARS: usize = 80;

/// The call's arguments as JSON text.
pub(crate) fn arguments_of(call: &Call) -> &str {
    call.params.get("arguments").unwrap_or("{}")
}

/// Refuses arguments that the view takes away from a tool or a prompt.
pub(crate) fn check_terms(terms: Option<&CallTerms>, arguments: &str) -> Result<(), CallError> {
    let Some(keep) = terms.and_then(|terms| terms.arguments.as_deref()) else { return Ok(()) };
    match rewrite::excess_argument(arguments, keep) {
        None => Ok(()),
        Some((name, value)) => {
            let shown: String = name.chars().take(MAX_SHOWN_CHARS).collect();
            let path = format!("arguments.{shown}");
            let expected = "no such property";
            let message = format!("{path}: expected {expected}");
            let received = ArgumentProblem::type_of(value);
            let problem = ArgumentProblem { path, expected: expected.to_owned(), received };
            Err(CallError::Arguments(Box::new(ArgumentProblems::one(message, problem))))
        }
    }
}

/// The call of a built-in, with the built-in's own name.
pub(crate) fn renamed(call: &Call, own: &str) -> Result<Call, CallError> {
    with_params(call, rewrite::with_string(call.params.raw(), "name", own).into_owned())
}

/// The call with other parameters.
pub(crate) fn with_params(call: &Call, text: String) -> Result<Call, CallError> {
    let params = Arc::new(Params::from_json(text).map_err(CallError::Params)?);
    Ok(Call { params, ..call.clone() })
}
