//! The names of all tools that services can offer, including those of disabled services.
//!
//! Commands that write rules use it to interpret a name without opening a service. A test compares
//! it with the kits.

use super::registry::service_names;

/// Tools by service, in every dialect and with everything granted.
const TOOLS: &[(&str, &[&str])] = &[
    ("health", &["check"]),
    ("echo", &["echo"]),
    (
        "memory",
        &[
            "capture",
            "consolidate",
            "delete",
            "enrich",
            "export",
            "gc",
            "get",
            "history",
            "import",
            "intent",
            "list",
            "namespaces",
            "prompt_delete",
            "prompt_list",
            "prompt_run",
            "prompt_save",
            "recall",
            "restore",
            "status",
            "sync",
            "update",
        ],
    ),
    (
        "tasks",
        &[
            "add_blocker",
            "blockers",
            "children",
            "claim",
            "create",
            "delete",
            "get",
            "history",
            "list",
            "ready",
            "release",
            "remove_blocker",
            "renew",
            "update",
        ],
    ),
    (
        "arbor",
        &[
            "context_get_handles",
            "context_get_path",
            "context_list_leaves",
            "node_create_external",
            "node_create_text",
            "node_get",
            "node_get_children",
            "node_get_parent",
            "node_get_path",
            "node_search",
            "tree_claim",
            "tree_create",
            "tree_get",
            "tree_list",
            "tree_list_archived",
            "tree_list_scheduled",
            "tree_release",
            "tree_render",
            "tree_skeleton",
            "tree_update_metadata",
        ],
    ),
    ("cone", &["chat", "create", "delete", "get", "list", "registry", "set_head"]),
    ("shell", &["execute", "input", "list", "output", "run", "start", "stop"]),
    (
        "files",
        &["delete", "edit", "list", "mkdir", "move", "read", "search", "stat", "tree", "write"],
    ),
    ("logs", &["list", "list_logs", "query", "tail"]),
    ("registry", &["delete", "list", "read", "write"]),
    ("claudecode", &["chat", "create", "delete", "fork", "get", "list"]),
];

/// Every tool that a service on this system can offer, as views list it without a profile.
pub fn built_in_tools() -> Vec<String> {
    let services = service_names();
    let there = TOOLS.iter().filter(|(service, _)| services.contains(service));
    let names = there
        .flat_map(|(service, tools)| tools.iter().map(move |tool| format!("{service}_{tool}")));
    names.collect()
}
