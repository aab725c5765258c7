//! The tools `update`, `delete` and `restore`.
//!
//! Every change keeps the old version in the history; only a purge removes it.

use super::capture::WriteTools;
use crate::memory::views::{Shown, urn};
use crate::presentation::{Failure, ToolResult};
use hobnob_mcp_toolbox::CallContext;
use hobnob_store::memory::{Memory, MemoryEdit, MemoryError};
use hobnob_store::{Owner, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdateArguments {
    /// The memory's id or URN
    id: String,
    /// What it says from now on
    content: Option<String>,
    #[schemars(description = "Another namespace")]
    namespace: Option<String>,
    /// Other tags, in place of all it had
    tags: Option<Vec<String>>,
    /// Another source; an empty one removes it
    source: Option<String>,
    /// How long it stays true from now on: 12h, 30d, 2w, 1y; `never` removes the end
    ttl: Option<String>,
    /// Fail if the memory is not at this version any more
    version: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeleteArguments {
    /// The memory's id or URN
    id: String,
    /// Remove it for good, with its history; it cannot be restored then
    #[serde(default)]
    purge: bool,
}

#[derive(Debug, Serialize)]
struct Deleted {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    urn: Option<String>,
    status: &'static str,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RestoreArguments {
    /// The id or URN of a memory that was deleted or superseded
    id: String,
}

impl WriteTools {
    pub(super) async fn update(&self, given: UpdateArguments, call: &CallContext) -> ToolResult {
        let rule = self.checks.rules.secrets;
        let content = given.content.map(|content| self.checks.clean(content, rule)).transpose()?;
        let end = |ttl: String| match ttl.as_str() {
            "never" => Ok(None),
            ttl => self.checks.end(ttl, Time::now()).map(Some),
        };
        let edit = MemoryEdit {
            content: content.map(|(content, _)| content),
            namespace: given.namespace.map(|name| self.checks.namespace(&name)).transpose()?,
            tags: given.tags.map(|tags| self.checks.tags(&tags)).transpose()?,
            source: given.source.map(|it| self.checks.source(Some(it), rule)).transpose()?,
            expires: given.ttl.map(end).transpose()?,
            expected_version: given.version,
        };
        if edit == (MemoryEdit { expected_version: given.version, ..MemoryEdit::default() }) {
            let message = "nothing to change: give content, namespace, tags, source or ttl";
            return Err(self.view.fail(Failure::Invalid, message));
        }
        let (access, id) = (self.memories.access(call)?, self.view.id(&given.id)?);
        let owner = access.owner.clone();
        self.stored(self.memories.store.update(access, id, edit).await, &owner)
    }

    pub(super) async fn delete(&self, given: DeleteArguments, call: &CallContext) -> ToolResult {
        let (access, id) = (self.memories.access(call)?, self.view.id(&given.id)?);
        let owner = access.owner.clone();
        if given.purge {
            self.view.changed(self.memories.store.purge(access, id.clone()).await, &owner)?;
            return self.view.reply(&Deleted { id: id.to_string(), urn: None, status: "purged" });
        }
        let memory = self.view.changed(self.memories.store.delete(access, id).await, &owner)?;
        let urn = Some(urn(&self.view, &memory));
        let status = memory.status.as_str();
        self.view.reply(&Deleted { id: memory.id.to_string(), urn, status })
    }

    pub(super) async fn restore(&self, given: RestoreArguments, call: &CallContext) -> ToolResult {
        let (access, id) = (self.memories.access(call)?, self.view.id(&given.id)?);
        let owner = access.owner.clone();
        self.stored(self.memories.store.restore(access, id).await, &owner)
    }

    /// The reply with a memory that has new contents.
    fn stored(&self, changed: Result<Memory, MemoryError>, owner: &Owner) -> ToolResult {
        let memory = self.view.changed(changed, owner)?;
        self.captured.wake();
        self.view.reply(&Shown::full(&self.view, &memory))
    }
}
