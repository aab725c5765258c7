//! The table of the memory tools: names, descriptions, annotations, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::capture::WriteTools;
use super::enrich::ModelTools;
use super::look::ReadTools;
use super::model::Models;
use super::prompts::PromptTools;
use crate::memory::caller_memories::CallerMemories;
use crate::memory::checks::Checks;
use crate::memory::service::MemoryService;
use crate::memory::settings::IntentRule;
use crate::memory::sync::SyncTool;
use crate::memory::view::MemoryView;
use crate::presentation::{NamespaceRule, Presentation};
use hobnob_mcp_toolbox::{Context, KitBuilder, ToolSpec};
use hobnob_mcp_types::tools::ToolAnnotations;
use serde_json::json;
use std::sync::Arc;

/// The context of a call of this kit.
pub(in crate::memory) type MemoryCall = Context<MemoryTools>;

/// The kit's state: the tools in groups, each with what it needs. Resources and prompts use the
/// two public fields.
pub(in crate::memory) struct MemoryTools {
    pub(in crate::memory) memories: Arc<CallerMemories>,
    pub(in crate::memory) checks: Arc<Checks>,
    read: ReadTools,
    write: WriteTools,
    models: ModelTools,
    prompts: PromptTools,
    sync: SyncTool,
}

impl MemoryTools {
    /// The tools of a service as one view presents them.
    pub(in crate::memory) fn new(service: &MemoryService, presentation: &Presentation) -> Self {
        let state = &*service.0;
        let view = MemoryView::new(presentation);
        let memories = Arc::new(CallerMemories {
            view: view.clone(),
            store: Arc::clone(&state.memories),
            here: Arc::clone(&state.project),
            roles: state.roles.clone(),
        });
        let checks = Arc::new(Checks { view: view.clone(), rules: state.rules });
        Self {
            read: ReadTools {
                view: view.clone(),
                memories: Arc::clone(&memories),
                recall: Arc::clone(&state.recall),
                secrets: state.rules.secrets,
            },
            write: WriteTools {
                view: view.clone(),
                memories: Arc::clone(&memories),
                checks: Arc::clone(&checks),
                recall: Arc::clone(&state.recall),
                captured: Arc::clone(&state.captured),
                keep_deleted: state.settings.keep_deleted,
            },
            models: ModelTools {
                view: view.clone(),
                memories: Arc::clone(&memories),
                checks: Arc::clone(&checks),
                captured: Arc::clone(&state.captured),
                models: Models { view: view.clone(), configured: state.model.clone() },
                intent_rule: state.settings.intent,
            },
            prompts: PromptTools {
                view,
                checks: Arc::clone(&checks),
                prompts: Arc::clone(&state.prompts),
            },
            sync: SyncTool {
                memories: Arc::clone(&memories),
                sync: Arc::clone(&state.sync),
                captured: Arc::clone(&state.captured),
            },
            memories,
            checks,
        }
    }
}

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
    kit: KitBuilder<MemoryTools>,
    presentation: &Presentation,
    rule: IntentRule,
) -> KitBuilder<MemoryTools> {
    let kit = kit
        .tool("capture", capture_spec(presentation), |it, call: MemoryCall| async move { call.state().write.capture(it, &call).await })
        .tool(
            "recall", spec(Effect::Reads, "Recall", "Find what is remembered about something: by words and by meaning, best first, each with a score from 0 to 1; an empty list means that nothing relevant is known"),
            |it, call: MemoryCall| async move { call.state().read.recall(it, &call).await },
        )
        .tool(
            "get", spec(Effect::Reads, "Get a memory", "Read one memory in full"),
            |it, call: MemoryCall| async move { call.state().read.get(it, &call).await },
        )
        .tool(
            "list", spec(Effect::Reads, "List memories", "List memories, newest first"),
            |it, call: MemoryCall| async move { call.state().read.list(it, &call).await },
        )
        .tool(
            "update", spec(Effect::Adds, "Update a memory", "Change a memory; what it was stays in its history"),
            |it, call: MemoryCall| async move { call.state().write.update(it, &call).await },
        )
        .tool(
            "delete", spec(Effect::Removes, "Delete a memory", "Delete a memory; it can be restored for a while unless it is purged"),
            |it, call: MemoryCall| async move { call.state().write.delete(it, &call).await },
        )
        .tool(
            "restore", spec(Effect::Adds, "Restore a memory", "Bring back a memory that was deleted or superseded, or undo that another one replaced it"),
            |it, call: MemoryCall| async move { call.state().write.restore(it, &call).await },
        )
        .tool(
            "history", spec(Effect::Reads, "History of a memory", "Show every version of a memory, oldest first"),
            |it, call: MemoryCall| async move { call.state().read.history(it, &call).await },
        )
        .tool(
            "status", spec(Effect::Reads, "Memory status", "Tell how much is remembered, for which project, and how far embeddings are"),
            |call: MemoryCall| async move { call.state().read.status(&call).await },
        )
        .tool(
            "namespaces", spec(Effect::Reads, "Namespaces", "List namespaces, what they are for, and how many memories each has"),
            |call: MemoryCall| async move { call.state().read.namespaces(&call).await },
        );
    let kit = with_more(kit);
    match rule {
        IntentRule::Off => kit,
        IntentRule::Words | IntentRule::Model => kit.tool(
            "intent", spec(Effect::Reads, "Intent of a prompt", "Tell whether a prompt asks to remember something, to recall something, or neither; nothing is stored or looked up"),
            |it, call: MemoryCall| async move { call.state().models.intent(it, &call).await },
        ),
    }
}

fn with_more(kit: KitBuilder<MemoryTools>) -> KitBuilder<MemoryTools> {
    kit.tool(
        "enrich", spec(Effect::Adds, "Enrich a memory", "Let the client's model suggest tags and context for a memory"),
        |it, call: MemoryCall| async move { call.state().models.enrich(it, &call).await },
    )
    .tool(
        "consolidate", spec(Effect::Adds, "Consolidate memories", "Find memories that say nearly the same and let the client's model merge them; the old ones stay as superseded"),
        |it, call: MemoryCall| async move { call.state().models.consolidate(it, &call).await },
    )
    .tool(
        "export", spec(Effect::Reads, "Export memories", "Write memories as JSON lines or Markdown, a page at a time"),
        |it, call: MemoryCall| async move { call.state().read.export(it, &call).await },
    )
    .tool(
        "import", spec(Effect::Adds, "Import memories", "Read memories that export wrote; what is known already is left alone"),
        |it, call: MemoryCall| async move { call.state().write.import(it, &call).await },
    )
    .tool(
        "gc", spec(Effect::Removes, "Clean up", "End memories whose time is over, and purge what was deleted long ago"),
        |call: MemoryCall| async move { call.state().write.gc(&call).await },
    )
    .tool("sync", sync_spec(), |call: MemoryCall| async move { call.state().sync.sync(&call).await })
    .tool(
        "prompt_save", spec(Effect::Adds, "Save a prompt", "Store a prompt of your own with {{variables}}; it is listed among the prompts"),
        |it, call: MemoryCall| async move { call.state().prompts.save(it, &call).await },
    )
    .tool(
        "prompt_list", spec(Effect::Reads, "List own prompts", "List the prompts that were saved"),
        |call: MemoryCall| async move { call.state().prompts.list(&call).await },
    )
    .tool(
        "prompt_run", spec(Effect::Reads, "Fill in a prompt", "Fill in a saved prompt and return its text"),
        |it, call: MemoryCall| async move { call.state().prompts.run(it, &call).await },
    )
    .tool(
        "prompt_delete", spec(Effect::Removes, "Delete a prompt", "Remove a saved prompt"),
        |it, call: MemoryCall| async move { call.state().prompts.remove(it, &call).await },
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
