//! The tool table of the service.

use super::{capture, carry, change, consolidate, enrich, look, prompts, recall};
use crate::memory::service::Desk;
use crate::memory::sync;
use crate::presentation::NamespaceRule;
use hobnob_mcp_server::toolbox::{Context, Kit, KitError, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use serde_json::json;

/// What a tool does to what is stored.
#[derive(Clone, Copy)]
enum Effect {
    /// Nothing.
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
pub(in crate::memory) fn with_tools(kit: Kit, desk: &Desk) -> Result<Kit, KitError> {
    let kit = kit
        .tool(capture_spec(desk), with(desk, capture::capture))?
        .tool(
            spec("recall", Effect::Reads, "Recall", "Find what is remembered about something: by words and by meaning, best first, each with a score from 0 to 1; an empty list means that nothing relevant is known"),
            with(desk, recall::recall),
        )?
        .tool(
            spec("get", Effect::Reads, "Get a memory", "Read one memory in full"),
            with(desk, look::get),
        )?
        .tool(
            spec("list", Effect::Reads, "List memories", "List memories, newest first"),
            with(desk, look::list),
        )?
        .tool(
            spec("update", Effect::Adds, "Update a memory", "Change a memory; what it was stays in its history"),
            with(desk, change::update),
        )?
        .tool(
            spec("delete", Effect::Removes, "Delete a memory", "Delete a memory; it can be restored for a while unless it is purged"),
            with(desk, change::delete),
        )?
        .tool(
            spec("restore", Effect::Adds, "Restore a memory", "Bring back a memory that was deleted or superseded"),
            with(desk, change::restore),
        )?
        .tool(
            spec("history", Effect::Reads, "History of a memory", "Show every version of a memory, oldest first"),
            with(desk, look::history),
        )?
        .tool(
            spec("status", Effect::Reads, "Memory status", "Tell how much is remembered, for which project, and how far embeddings are"),
            with(desk, look::status),
        )?
        .tool(
            spec("namespaces", Effect::Reads, "Namespaces", "List namespaces, what they are for, and how many memories each has"),
            with(desk, look::namespaces),
        )?;
    with_more(kit, desk)
}

fn with_more(kit: Kit, desk: &Desk) -> Result<Kit, KitError> {
    kit.tool(
        spec("enrich", Effect::Adds, "Enrich a memory", "Let the client's model suggest tags and context for a memory"),
        with(desk, enrich::enrich),
    )?
    .tool(
        spec("consolidate", Effect::Adds, "Consolidate memories", "Find memories that say nearly the same and let the client's model merge them; the old ones stay as superseded"),
        with(desk, consolidate::consolidate),
    )?
    .tool(
        spec("export", Effect::Reads, "Export memories", "Write memories as JSON lines or Markdown, a page at a time"),
        with(desk, carry::export),
    )?
    .tool(
        spec("import", Effect::Adds, "Import memories", "Read memories that export wrote; what is known already is left alone"),
        with(desk, carry::import),
    )?
    .tool(
        spec("gc", Effect::Removes, "Clean up", "End memories whose time is over, and purge what was deleted long ago"),
        with(desk, carry::gc),
    )?
    .tool(sync_spec(), with(desk, sync::sync))?
    .tool(
        spec("prompt_save", Effect::Adds, "Save a prompt", "Store a prompt of your own with {{variables}}; it is listed among the prompts"),
        with(desk, prompts::save),
    )?
    .tool(
        spec("prompt_list", Effect::Reads, "List own prompts", "List the prompts that were saved"),
        with(desk, prompts::list),
    )?
    .tool(
        spec("prompt_run", Effect::Reads, "Fill in a prompt", "Fill in a saved prompt and return its text"),
        with(desk, prompts::run),
    )?
    .tool(
        spec("prompt_delete", Effect::Removes, "Delete a prompt", "Remove a saved prompt"),
        with(desk, prompts::remove),
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
fn capture_spec(desk: &Desk) -> ToolSpec {
    let about = "Store something worth remembering for later: a decision, a pattern, a fact. \
                 Secrets and personal data are refused";
    let spec = spec("capture", Effect::Adds, "Capture a memory", about);
    match &desk.presentation.namespaces {
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

/// A handler with its desk at hand.
pub(in crate::memory) fn with<A, Output>(
    desk: &Desk,
    run: fn(Desk, A, Context) -> Output,
) -> impl Fn(A, Context) -> Output + Send + Sync + 'static
where
    A: 'static,
    Output: 'static,
{
    let desk = desk.clone();
    move |arguments, context| run(desk.clone(), arguments, context)
}
