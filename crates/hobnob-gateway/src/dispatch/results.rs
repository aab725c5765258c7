//! Results of tools as clients get them: cut to the size limit, or an error text.

use crate::dispatch::service::GatewayService;
use crate::spill::{Capped, cap};
use hobnob_mcp_engine::{Answer, CallError, Outcome, Principal, random_token};
use hobnob_mcp_types::tools::CallToolResult;
use std::time::Instant;

impl GatewayService {
    /// Cuts a result to the size limit; its owner can read the rest as a resource.
    pub(crate) fn cut(&self, body: String, owner: Principal) -> Result<String, CallError> {
        let max_bytes = self.view.snapshot().settings.gateway.result_cap;
        match cap(body, max_bytes, random_token).map_err(CallError::internal)? {
            Capped::Fits(body) => Ok(body),
            Capped::Cut { body, rest } => {
                match self.context.spills().insert(rest, owner, Instant::now()) {
                    Ok(()) => Ok(body),
                    Err(error) => {
                        let message = format!("the result is too large to be kept: {error}");
                        Ok(Answer::new(&CallToolResult::error(message))?.body)
                    }
                }
            }
        }
    }
}

/// A failed tool result with this message.
pub(crate) fn refused(message: &str) -> Result<Outcome, CallError> {
    Ok(Outcome::Complete(Answer::new(&CallToolResult::error(message))?))
}
