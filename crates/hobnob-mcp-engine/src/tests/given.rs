//! Inputs of the test cases: parameters and callers written as JSON.

use crate::{Caller, ClientId, Principal};
use hobnob_mcp_types::{Params, Revision, RpcError};
use std::sync::Arc;

/// Parameters from JSON text.
pub(super) fn params(text: &str) -> Params {
    Params::from_json(text.to_owned()).expect(text)
}

/// A caller of this revision that declared these capabilities.
pub(super) fn caller(revision: Revision, capabilities: &str) -> Caller {
    Caller {
        revision,
        capabilities: Arc::new(serde_json::from_str(capabilities).expect(capabilities)),
        ..Caller::new(ClientId::next(), Principal::anonymous())
    }
}

/// The code of a refusal; zero if there was none.
pub(super) fn code<T>(outcome: Result<T, RpcError>) -> i64 {
    outcome.err().map_or(0, |error| error.code.0)
}
