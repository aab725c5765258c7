//! Files and folders as resources: text, blob, or the entries of a folder.
//!
//! The list of resources is the same for every caller, so the granted folders are not in it: the
//! URI `file:///` gives each caller its own.

use super::action::{ActionError, Performed};
use super::address::{FOLDERS, TEMPLATE};
use super::read::mime_type;
use super::service::PresentedFiles;
use crate::presentation::bad_argument;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hobnob_machine::files::{FileBody, FileOutcome, FileRefusal, SearchError};
use hobnob_mcp_toolbox::{CallContext, Context, KitBuilder, ResourceSpec, ToolError};
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_policy::{EntryKind, FileOperation, ReadWindow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Largest file that is readable as a resource; the tool reads larger ones in parts.
const MAX_BYTES: u64 = 4 << 20;
/// Most entries of a folder in one resource.
const MAX_ENTRIES: usize = 2000;
const JSON: &str = "application/json";

/// Adds all resources to the kit. A rule for the tool `read` also applies to them.
pub(super) fn with_resources(kit: KitBuilder<PresentedFiles>) -> KitBuilder<PresentedFiles> {
    let folders = ResourceSpec::new("Granted folders")
        .description("The folders whose files you may use, with their addresses")
        .mime_type(JSON);
    let files = ResourceSpec::new("File or folder").description(
        "A file as text or blob, or the entries of a folder, beneath a granted folder",
    );
    kit.resource(FOLDERS, folders, read_folders)
        .template(TEMPLATE, files, read_path)
        .reads_count_as("read")
}

async fn read_folders(context: Context<PresentedFiles>) -> Result<ResourceContents, ToolError> {
    let folders = context.state().granted_folders(&context).await.map_err(bad_argument)?;
    json(&context, &folders)
}

#[derive(Deserialize, JsonSchema)]
struct ByPath {
    /// Absolute path without its first slash
    #[serde(rename = "path")]
    _path: String,
}

async fn read_path(
    _: ByPath,
    context: Context<PresentedFiles>,
) -> Result<ResourceContents, ToolError> {
    let presented = context.state();
    // The raw URI: its path may contain bytes that cannot be decoded to text.
    let uri = context.name();
    let Performed { outcome, .. } = presented.look(&context, FileOperation::Stat).await?;
    let FileOutcome::Stat(stat) = outcome else { return Err(presented.unexpected(&outcome)) };
    let kind = stat.link.as_ref().and_then(|link| link.leads_to).unwrap_or(stat.facts.kind);
    if kind == EntryKind::Folder {
        let page = presented.entries(&context, uri, None, MAX_ENTRIES).await;
        return json(&context, &page.map_err(bad_argument)?);
    }
    let operation = FileOperation::Read { window: ReadWindow::Whole, limit: MAX_BYTES };
    let Performed { outcome, .. } = presented.look(&context, operation).await?;
    let FileOutcome::Read(part) = outcome else { return Err(presented.unexpected(&outcome)) };
    if part.more {
        return Err(ToolError::params(format!(
            "the file has {} bytes, and a resource {MAX_BYTES} at most: read it in parts with the \
             tool files_read",
            part.size
        )));
    }
    Ok(match part.body {
        FileBody::Text(text) => ResourceContents::text(uri, "text/plain", text),
        FileBody::Binary(bytes) => {
            ResourceContents::blob(uri, mime_type(uri), STANDARD.encode(bytes))
        }
    })
}

impl PresentedFiles {
    /// Performs an operation on the resource that is read; a missing file is an unknown resource.
    async fn look(
        &self,
        context: &CallContext,
        operation: FileOperation<String>,
    ) -> Result<Performed, ToolError> {
        let uri = context.name();
        let done = self.perform_watched(context, uri, operation, Arc::default()).await;
        done.map_err(|error| match error {
            ActionError::Refused(_, SearchError::File(error))
                if matches!(error.refusal(), FileRefusal::Missing) =>
            {
                ToolError::no_resource(uri)
            }
            other => bad_argument(self.failed(other)),
        })
    }
}

fn json(
    context: &Context<PresentedFiles>,
    data: &impl Serialize,
) -> Result<ResourceContents, ToolError> {
    let json = serde_json::to_string(data).map_err(|error| {
        tracing::error!(%error, "a resource cannot be written as JSON");
        context.state().invalid("the resource cannot be written")
    })?;
    Ok(ResourceContents::text(context.name(), JSON, json))
}
