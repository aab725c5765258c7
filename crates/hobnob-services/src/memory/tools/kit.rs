//! The table of the memory tools: names, descriptions, annotations, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::{capture, carry, change, consolidate, enrich, intent, look, prompts, recall};
use crate::memory::service::PresentedMemory;
use crate::memory::settings::IntentRule;
use crate::memory::sync;
use crate::presentation::{NamespaceRule, Presentation};
use hobnob_mcp_toolbox::{KitBuilder, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use serde_json::json;

/// The effect of a tool on stored memories, from which its annotations follow.
#[derive(Clone, Copy)]
enum Effect {
    /// It only reads memories.
    Reads,
    /// It adds a memory, or changes one so that the old version can be restored.
    Adds,
    /// It may remove something for good.
    Removes,
}

fn spec(effect: Effect, title: &str, description: &str) -> ToolSpec {
    let annotations = ToolAnnotations {
        read_only_hint: Some(matches!(effect, Effect::Reads)),
        destructive_hint: Some(matches!(effect, Effect::Removes)),
        open_world_hint: Some(false),
        ..ToolAnnotations::default()
    };
    ToolSpec::new(description).title(title).annotations(annotations)
}

/// Adds all tools of the service to the kit.
pub(in crate::memory) fn with_tools(
    kit: KitBuilder<PresentedMemory>,
    presentation: &Presentation,
    rule: IntentRule,
) -> KitBuilder<PresentedMemory> {
    let kit = kit
        .tool("capture", capture_spec(presentation), capture::capture)
        .tool(
            "recall", spec(Effect::Reads, "Recall", "Find what is remembered about something: by words and by meaning, best first, each with a score from 0 to 1; an empty list means that nothing relevant is known"),
            recall::recall,
        )
        .tool(
            "get", spec(Effect::Reads, "Get a memory", "Read one memory in full"),
            look::get,
        )
        .tool(
            "list", spec(Effect::Reads, "List memories", "List memories, newest first"),
            look::list,
        )
        .tool(
            "update", spec(Effect::Adds, "Update a memory", "Change a memory; what it was stays in its history"),
            change::update,
        )
        .tool(
            "delete", spec(Effect::Removes, "Delete a memory", "Delete a memory; it can be restored for a while unless it is purged"),
            change::delete,
        )
        .tool(
            "restore", spec(Effect::Adds, "Restore a memory", "Bring back a memory that was deleted or superseded"),
            change::restore,
        )
        .tool(
            "history", spec(Effect::Reads, "History of a memory", "Show every version of a memory, oldest first"),
            look::history,
        )
        .tool(
            "status", spec(Effect::Reads, "Memory status", "Tell how much is remembered, for which project, and how far embeddings are"),
            look::status,
        )
        .tool(
            "namespaces", spec(Effect::Reads, "Namespaces", "List namespaces, what they are for, and how many memories each has"),
            look::namespaces,
        );
    let kit = with_more(kit);
    match rule {
        IntentRule::Off => kit,
        IntentRule::Words | IntentRule::Model => kit.tool(
            "intent", spec(Effect::Reads, "Intent of a prompt", "Tell whether a prompt asks to remember something, to recall something, or neither; nothing is stored or looked up"),
            intent::intent,
        ),
    }
}

fn with_more(kit: KitBuilder<PresentedMemory>) -> KitBuilder<PresentedMemory> {
    kit.tool(
        "enrich", spec(Effect::Adds, "Enrich a memory", "Let the client's model suggest tags and context for a memory"),
        enrich::enrich,
    )
    .tool(
        "consolidate", spec(Effect::Adds, "Consolidate memories", "Find memories that say nearly the same and let the client's model merge them; the old ones stay as superseded"),
        consolidate::consolidate,
    )
    .tool(
        "export", spec(Effect::Reads, "Export memories", "Write memories as JSON lines or Markdown, a page at a time"),
        carry::export,
    )
    .tool(
        "import", spec(Effect::Adds, "Import memories", "Read memories that export wrote; what is known already is left alone"),
        carry::import,
    )
    .tool(
        "gc", spec(Effect::Removes, "Clean up", "End memories whose time is over, and purge what was deleted long ago"),
        carry::gc,
    )
    .tool("sync", sync_spec(), sync::sync)
    .tool(
        "prompt_save", spec(Effect::Adds, "Save a prompt", "Store a prompt of your own with {{variables}}; it is listed among the prompts"),
        prompts::save,
    )
    .tool(
        "prompt_list", spec(Effect::Reads, "List own prompts", "List the prompts that were saved"),
        prompts::list,
    )
    .tool(
        "prompt_run", spec(Effect::Reads, "Fill in a prompt", "Fill in a saved prompt and return its text"),
        prompts::run,
    )
    .tool(
        "prompt_delete", spec(Effect::Removes, "Delete a prompt", "Remove a saved prompt"),
        prompts::remove,
    )
}

/// The specification of `sync`, the only tool that reaches beyond this machine.
fn sync_spec() -> ToolSpec {
    let about = "Exchange the project's memories with its git remote, through a notes ref; \
                 conflicts are kept as two versions. A person is asked before the first exchange";
    ToolSpec::new(about).title("Sync with git").annotations(ToolAnnotations {
        read_only_hint: Some(false),
        destructive_hint: Some(false),
        open_world_hint: Some(true),
        ..ToolAnnotations::default()
    })
}

/// The specification of `capture`. If namespaces are a closed list, the schema names them; the
/// handler's error message says which one is wrong.
fn capture_spec(presentation: &Presentation) -> ToolSpec {
    let about = "Store something worth remembering for later: a decision, a pattern, a fact. \
                 Secrets and personal data are refused";
    let spec = spec(Effect::Adds, "Capture a memory", about);
    match &presentation.namespaces {
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
