//! The tools `update`, `delete` and `restore`.
//!
//! Every change keeps the old version in the history; only a purge removes it.

use crate::memory::service::PresentedMemory;
use crate::memory::views::{Shown, urn};
use crate::presentation::Failure;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::Time;
use hobnob_store::memory::MemoryEdit;
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

pub(super) async fn update(
    arguments: UpdateArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let rule = presented.shared().settings.secrets;
    let content = arguments.content.map(|content| presented.clean(content, rule)).transpose()?;
    let end = |ttl: String| match ttl.as_str() {
        "never" => Ok(None),
        ttl => presented.end(ttl, Time::now()).map(Some),
    };
    let edit = MemoryEdit {
        content: content.map(|(content, _)| content),
        namespace: arguments.namespace.map(|name| presented.namespace(&name)).transpose()?,
        tags: arguments.tags.map(|tags| presented.tags(&tags)).transpose()?,
        source: arguments.source.map(|source| presented.source(Some(source), rule)).transpose()?,
        expires: arguments.ttl.map(end).transpose()?,
        expected_version: arguments.version,
    };
    if edit == (MemoryEdit { expected_version: arguments.version, ..MemoryEdit::default() }) {
        let message = "nothing to change: give content, namespace, tags, source or ttl";
        return Err(presented.presentation.fail(Failure::Invalid, message));
    }
    let access = presented.access(&context)?;
    let owner = access.owner.clone();
    let id = presented.id(&arguments.id)?;
    let changed = presented.shared().memories.update(access, id, edit).await;
    let memory = changed.map_err(|error| presented.change_refused(error, &owner))?;
    presented.service.wake_indexer();
    presented.presentation.reply(&Shown::full(&presented.presentation, &memory))
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

pub(super) async fn delete(
    arguments: DeleteArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let access = presented.access(&context)?;
    let owner = access.owner.clone();
    let id = presented.id(&arguments.id)?;
    let memories = &presented.shared().memories;
    if arguments.purge {
        let purged = memories.purge(access, id.clone()).await;
        purged.map_err(|error| presented.change_refused(error, &owner))?;
        return presented.presentation.reply(&Deleted {
            id: id.to_string(),
            urn: None,
            status: "purged",
        });
    }
    let deleted = memories.delete(access, id).await;
    let memory = deleted.map_err(|error| presented.change_refused(error, &owner))?;
    let urn = Some(urn(&presented.presentation, &memory));
    let status = memory.status.as_str();
    presented.presentation.reply(&Deleted { id: memory.id.to_string(), urn, status })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RestoreArguments {
    /// The id or URN of a memory that was deleted or superseded
    id: String,
}

pub(super) async fn restore(
    arguments: RestoreArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let access = presented.access(&context)?;
    let owner = access.owner.clone();
    let id = presented.id(&arguments.id)?;
    let restored = presented.shared().memories.restore(access, id).await;
    let memory = restored.map_err(|error| presented.change_refused(error, &owner))?;
    presented.service.wake_indexer();
    presented.presentation.reply(&Shown::full(&presented.presentation, &memory))
}
