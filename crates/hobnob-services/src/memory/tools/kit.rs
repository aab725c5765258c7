//! The table of memory's tools: names, texts, annotations, handlers.
//!
//! Names and texts are part of the wire; profiles and tests compare them.

use super::{capture, carry, change, consolidate, enrich, look, prompts, recall};
use crate::handler::with;
use crate::memory::service::PresentedMemory;
use crate::memory::sync;
use crate::presentation::NamespaceRule;
use hobnob_mcp_server::toolbox::{Kit, KitError, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use serde_json::json;

/// What a tool does to what is stored.
#[derive(Clone, Copy)]
enum Effect {
    /// It changes nothing that is stored.
    Reads,
    /// It adds, or changes so that what was can be had again.
    Adds,
    /// Something may be gone afterwards.
    Removes,
}

fn spec(name: &str, effect: Effect, title: &str, description: &str) -> ToolSpec {
    let annotations = ToolAnnotations {
        read_only_hint: Some(matches!(effect, Effect::Reads)),
        destructive_hint: Some(matches!(effect, Effect::Removes)),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    ToolSpec::new(name, description).title(title).annotations(annotations)
}

/// The kit with all tools in it.
pub(in crate::memory) fn with_tools(
    kit: Kit,
    presented: &PresentedMemory,
) -> Result<Kit, KitError> {
    let kit = kit
        .tool(capture_spec(presented), with(presented, capture::capture))?
        .tool(
            spec("recall", Effect::Reads, "Recall", "Find what is remembered about something: by words and by meaning, best first, each with a score from 0 to 1; an empty list means that nothing relevant is known"),
            with(presented, recall::recall),
        )?
        .tool(
            spec("get", Effect::Reads, "Get a memory", "Read one memory in full"),
            with(presented, look::get),
        )?
        .tool(
            spec("list", Effect::Reads, "List memories", "List memories, newest first"),
            with(presented, look::list),
        )?
        .tool(
            spec("update", Effect::Adds, "Update a memory", "Change a memory; what it was stays in its history"),
            with(presented, change::update),
        )?
        .tool(
            spec("delete", Effect::Removes, "Delete a memory", "Delete a memory; it can be restored for a while unless it is purged"),
            with(presented, change::delete),
        )?
        .tool(
            spec("restore", Effect::Adds, "Restore a memory", "Bring back a memory that was deleted or superseded"),
            with(presented, change::restore),
        )?
        .tool(
            spec("history", Effect::Reads, "History of a memory", "Show every version of a memory, oldest first"),
            with(presented, look::history),
        )?
        .tool(
            spec("status", Effect::Reads, "Memory status", "Tell how much is remembered, for which project, and how far embeddings are"),
            with(presented, look::status),
        )?
        .tool(
            spec("namespaces", Effect::Reads, "Namespaces", "List namespaces, what they are for, and how many memories each has"),
            with(presented, look::namespaces),
        )?;
    with_more(kit, presented)
}

fn with_more(kit: Kit, presented: &PresentedMemory) -> Result<Kit, KitError> {
    kit.tool(
        spec("enrich", Effect::Adds, "Enrich a memory", "Let the client's model suggest tags and context for a memory"),
        with(presented, enrich::enrich),
    )?
    .tool(
        spec("consolidate", Effect::Adds, "Consolidate memories", "Find memories that say nearly the same and let the client's model merge them; the old ones stay as superseded"),
        with(presented, consolidate::consolidate),
    )?
    .tool(
        spec("export", Effect::Reads, "Export memories", "Write memories as JSON lines or Markdown, a page at a time"),
        with(presented, carry::export),
    )?
    .tool(
        spec("import", Effect::Adds, "Import memories", "Read memories that export wrote; what is known already is left alone"),
        with(presented, carry::import),
    )?
    .tool(
        spec("gc", Effect::Removes, "Clean up", "End memories whose time is over, and purge what was deleted long ago"),
        with(presented, carry::gc),
    )?
    .tool(sync_spec(), with(presented, sync::sync))?
    .tool(
        spec("prompt_save", Effect::Adds, "Save a prompt", "Store a prompt of your own with {{variables}}; it is listed among the prompts"),
        with(presented, prompts::save),
    )?
    .tool(
        spec("prompt_list", Effect::Reads, "List own prompts", "List the prompts that were saved"),
        with(presented, prompts::list),
    )?
    .tool(
        spec("prompt_run", Effect::Reads, "Fill in a prompt", "Fill in a saved prompt and return its text"),
        with(presented, prompts::run),
    )?
    .tool(
        spec("prompt_delete", Effect::Removes, "Delete a prompt", "Remove a saved prompt"),
        with(presented, prompts::remove),
    )
}

/// The only tool that reaches beyond this machine.
fn sync_spec() -> ToolSpec {
    let about = "Exchange the project's memories with its git remote, through a notes ref; \
                 conflicts are kept as two versions. A person is asked before the first exchange";
    ToolSpec::new("sync", about).title("Sync with git").annotations(ToolAnnotations {
        read_only_hint: Some(false),
        destructive_hint: Some(false),
        open_world_hint: Some(true),
        ..ToolAnnotations::default()
    })
}

/// Where namespaces are a closed list, the schema lists them; the handler's own words say which
/// one was wrong.
fn capture_spec(presented: &PresentedMemory) -> ToolSpec {
    let about = "Store something worth remembering for later: a decision, a pattern, a fact. \
                 Secrets and personal data are refused";
    let spec = spec("capture", Effect::Adds, "Capture a memory", about);
    match &presented.presentation.namespaces {
        NamespaceRule::Open => spec,
        NamespaceRule::Closed(known) => {
            let names: Vec<&str> = known.iter().map(|it| it.as_str()).collect();
            spec.listed_schema(json!({
                "type": "object",
                "properties": {
                    "content": {"type": "string"},
                    "namespace": {"type": "string", "enum": names},
                    "tags": {"type": "array", "items": {"type": "string"}},
                    "source": {"type": "string"},
                },
                "required": ["content", "namespace"],
            }))
        }
    }
}
