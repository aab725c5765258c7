//! Which older memories a captured one replaces: those that the caller names, or those that the
//! texts show.
//!
//! `capture` looks for candidates while it writes, and marks them afterwards. Only memories of the
//! same place that the caller may change are candidates, since a mark ranks them lower.

use super::capture::WriteTools;
use crate::memory::recall::{Replacement, replacement};
use crate::presentation::Failure;
use hobnob_mcp_toolbox::ToolError;
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryFilter, MemoryId, MemoryStatus, NewMemory, OrgRole, ScopeKind,
};

/// Memories with most words in common that are compared.
const MAX_CANDIDATES: usize = 16;
/// Bytes of a text that a replacement may have; a longer one says more than one thing.
const MAX_BYTES: usize = 2_048;
/// Most memories that one capture replaces.
const MAX_REPLACED: usize = 20;

impl WriteTools {
    /// The memories that the caller says are replaced, once they are checked.
    pub(super) async fn named_older(
        &self,
        named: &[String],
        new: &NewMemory,
        access: &MemoryAccess,
    ) -> Result<Vec<Memory>, ToolError> {
        if MAX_REPLACED < named.len() {
            let message = format!("replaces: at most {MAX_REPLACED}, not {}", named.len());
            return Err(self.view.fail(Failure::Invalid, message));
        }
        let mut older = Vec::new();
        for raw in named {
            let memory = self.memories.find(access.clone(), raw).await?;
            let problem = if memory.status != MemoryStatus::Active {
                "is not active: restore it first"
            } else if memory.scope != *new.scope.get() {
                "is in another scope or project than the new memory"
            } else if !may_change(&memory, access) {
                "belongs to someone else: the role `admin` is needed to replace it"
            } else {
                older.push(memory);
                continue;
            };
            let message = format!("replaces: memory {} {problem}", memory.id);
            return Err(self.view.fail(Failure::Invalid, message));
        }
        Ok(older)
    }

    /// The memories whose texts show that the new one replaces them. A failure finds none: the
    /// capture does not depend on it.
    pub(super) async fn shown_older(&self, new: &NewMemory, access: &MemoryAccess) -> Vec<Memory> {
        if MAX_BYTES < new.content.len() {
            return Vec::new();
        }
        let scopes = vec![new.scope.get().kind()];
        let filter = MemoryFilter { scopes, ..MemoryFilter::default() };
        let found =
            self.recall.search.by_text(access.clone(), filter, new.content.clone(), MAX_CANDIDATES);
        let hits = match found.await {
            Ok(hits) => hits,
            Err(error) => {
                tracing::warn!(%error, "a capture was not compared with older memories");
                return Vec::new();
            }
        };
        let is_replaced = |memory: &Memory| {
            memory.superseded_by.is_none()
                && memory.created <= new.created
                && memory.owner == new.owner
                && memory.scope == *new.scope.get()
                && replacement(&memory.content, &new.content) == Some(Replacement::Certain)
        };
        hits.into_iter().map(|hit| hit.memory).filter(is_replaced).collect()
    }

    /// Marks the older memories as replaced, and returns those that are.
    pub(super) async fn mark(
        &self,
        newer: &MemoryId,
        older: Vec<Memory>,
        access: MemoryAccess,
    ) -> Vec<Memory> {
        let older: Vec<MemoryId> = older.into_iter().map(|memory| memory.id).collect();
        if older.is_empty() {
            return Vec::new();
        }
        match self.memories.store.mark_replaced(access, newer.clone(), older).await {
            Ok(marked) => marked,
            // Another call changed them meanwhile; the captured memory is stored all the same.
            Err(error) => {
                tracing::warn!(%error, "older memories were not marked as replaced");
                Vec::new()
            }
        }
    }
}

/// Whether the caller may change a memory that it can read.
fn may_change(memory: &Memory, access: &MemoryAccess) -> bool {
    memory.scope.kind() != ScopeKind::Org
        || memory.owner == access.owner
        || Some(OrgRole::Admin) <= access.org
}
