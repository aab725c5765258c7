//! The table of the task tools: names, descriptions, annotations, handlers.
//!
//! Names and descriptions are part of the wire format; profiles and tests compare them.

use super::service::PresentedTasks;
use super::{change, claims, look};
use crate::tool_effect::{ToolEffect as Effect, tool_spec as spec};
use hobnob_mcp_toolbox::KitBuilder;

/// Adds all tools of the service to the kit.
pub(super) fn with_tools(kit: KitBuilder<PresentedTasks>) -> KitBuilder<PresentedTasks> {
    with_claims(with_looks(with_changes(kit)))
}

fn with_changes(kit: KitBuilder<PresentedTasks>) -> KitBuilder<PresentedTasks> {
    kit.tool(
        "create", spec(Effect::Adds, "Create a task", "Create a new task"),
        change::create,
    )
    .tool(
        "update", spec(Effect::Sets,
            "Update a task",
            "Change a task: its status, words, priority, parent or result. A blocked task cannot \
             be started or completed; a claimed one only its worker can move",
        ),
        change::update,
    )
    .tool(
        "delete", spec(Effect::Removes,
            "Delete a task",
            "Delete a task that no other task is a part of or waits for",
        ),
        change::delete,
    )
    .tool(
        "add_blocker", spec(Effect::Sets,
            "Add a blocker",
            "Make a task wait for another; what would be a cycle is refused",
        ),
        change::add_blocker,
    )
    .tool(
        "remove_blocker", spec(Effect::Sets,
            "Remove a blocker",
            "Make a task no longer wait for another",
        ),
        change::remove_blocker,
    )
}

fn with_looks(kit: KitBuilder<PresentedTasks>) -> KitBuilder<PresentedTasks> {
    kit.tool(
        "list",
        spec(
            Effect::Reads,
            "List tasks",
            "List tasks, oldest first, a page at a time; long texts are cut",
        ),
        look::list,
    )
    .tool("get", spec(Effect::Reads, "Get a task", "Get a task in full"), look::get)
    .tool(
        "blockers",
        spec(Effect::Reads, "Blockers of a task", "List what a task waits for"),
        look::blockers,
    )
    .tool(
        "children",
        spec(Effect::Reads, "Parts of a task", "List what a task consists of"),
        look::children,
    )
    .tool(
        "ready",
        spec(
            Effect::Reads,
            "Ready tasks",
            "List what can be begun now: pending, not blocked, not claimed; most important first",
        ),
        look::ready,
    )
    .tool(
        "history",
        spec(
            Effect::Reads,
            "History of a task",
            "List what happened to a task, when and by whom, oldest first",
        ),
        look::history,
    )
}

fn with_claims(kit: KitBuilder<PresentedTasks>) -> KitBuilder<PresentedTasks> {
    kit.tool(
        "claim",
        spec(
            Effect::Adds,
            "Claim a task",
            "Take a task that is ready and start it; no two workers ever get the same. When the \
             lease ends the task is free again: renew it while you work",
        ),
        claims::claim,
    )
    .tool(
        "renew",
        spec(Effect::Adds, "Renew a claim", "Keep a task that you have claimed for longer"),
        claims::renew,
    )
    .tool(
        "release",
        spec(
            Effect::Sets,
            "Release a claim",
            "Give a task that you have claimed back, to be begun anew by somebody else",
        ),
        claims::release,
    )
}
