//! Results of tools as clients get them: cut to the size limit, or an error text.
//!
//! Calls of tools cut them here; `own` reads the parts that were cut off.

use crate::calls::record::CallRecord;
use crate::spill::{Capped, SpillStore, cap};
use crate::view::View;
use crate::view::snapshot::Quarantined;
use hobnob_mcp_engine::{Answer, CallError, Outcome, Principal, random_token};
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_policy::audit::AuditOutcome;
use hobnob_text::shell_word;
use parking_lot::Mutex;
use std::time::Instant;

/// How many cut-off parts of results a gateway keeps, and how many it may keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptResults {
    /// The number of results.
    pub count: usize,
    /// From this number on, the oldest are dropped.
    pub max_count: usize,
    /// The bytes of all of them.
    pub bytes: usize,
    /// Above this sum, the oldest are dropped.
    pub max_bytes: usize,
}

/// The cut-off parts of results that were too large.
#[derive(Default)]
pub(crate) struct LargeResults(Mutex<SpillStore>);

impl LargeResults {
    /// Cuts a result to the view's size limit; its owner can read the rest as a resource.
    pub(super) fn cut(
        &self,
        view: &View,
        body: String,
        owner: &Principal,
    ) -> Result<String, CallError> {
        let max_bytes = view.snapshot().settings.gateway.result_cap;
        let (body, rest) = match cap(body, max_bytes, random_token).map_err(CallError::internal)? {
            Capped::Fits(body) => return Ok(body),
            Capped::Cut { body, rest } => (body, rest),
        };
        let kept = self.0.lock().insert(rest, owner.clone(), Instant::now());
        match kept {
            Ok(()) => Ok(body),
            Err(error) => {
                let message = format!("the result is too large to be kept: {error}");
                Ok(Answer::new(&CallToolResult::error(message))?.body)
            }
        }
    }

    /// How much is kept.
    pub(crate) fn kept(&self) -> KeptResults {
        let store = self.0.lock();
        let limits = store.limits();
        KeptResults {
            count: store.len(),
            max_count: limits.entries,
            bytes: store.bytes(),
            max_bytes: limits.bytes,
        }
    }

    /// The page of a cut-off part at this address, if it is kept for this owner.
    pub(super) fn read(&self, uri: &str, owner: &Principal) -> Option<String> {
        self.0.lock().read(uri, owner, Instant::now()).ok()
    }
}

/// A failed tool result with this message.
pub(super) fn refused(message: &str) -> Result<Outcome, CallError> {
    Ok(Outcome::Complete(Answer::new(&CallToolResult::error(message))?))
}

/// The result for a tool that is held back, and its record.
pub(super) fn held_back<'a>(
    held: &'a Quarantined,
    record: &mut CallRecord<'a>,
) -> Result<Outcome, CallError> {
    record.ended(AuditOutcome::Refused);
    record.server = Some(&held.server);
    record.original = Some(&held.tool);
    let (server, tool, why) = (&held.server, &held.tool, held.why);
    refused(&format!(
        "tool `{tool}` of server `{server}` is held back: {why}; look at it and approve it with: \
         hobnob approve {}",
        shell_word(server)
    ))
}
