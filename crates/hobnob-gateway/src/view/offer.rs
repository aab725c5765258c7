//! What a view declares to its clients: capabilities, instructions and identity.

use crate::view::View;
use hobnob_mcp_engine::Offer;
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ListCapability, ResourcesCapability, ServerCapabilities,
    ServerTaskRequests, ServerTasksCapability, ToolTaskRequests,
};
use hobnob_mcp_types::tasks_ext;

/// The size of all instructions up to which those of servers are added.
const MAX_INSTRUCTION_BYTES: usize = 8 << 10;

/// The offer that the view's server declares.
pub(crate) fn offer(view: &View) -> Offer {
    Offer { capabilities: capabilities(view), instructions: instructions(view) }
}

/// Instructions for the model: Hobnob's own, and those of the servers as far as they fit.
fn instructions(view: &View) -> Option<String> {
    let own = view.profile.as_ref().and_then(|it| it.server.instructions.clone());
    if own.is_some() || !view.has_servers() {
        return own;
    }
    let snapshot = view.snapshot();
    let mut text = String::from(
        "Tools of several servers behind one endpoint. A tool named mcp__SERVER__TOOL belongs \
         to that server; a resource mcp://SERVER/URI likewise.",
    );
    if snapshot.is_searched() || snapshot.lacks_rare_tools() {
        text.push_str(
            "\n\nNot every tool is listed. find_tools finds tools by what you want to do, \
             describe_tools shows their arguments, call_tool calls them.",
        );
    }
    for (name, upstream) in &snapshot.upstreams {
        let Some(lists) = upstream.lists.get().lists else { continue };
        if snapshot.denied.contains(name) {
            continue;
        }
        let Some(own) = &lists.about.instructions else { continue };
        if text.len() + own.len() > MAX_INSTRUCTION_BYTES {
            continue;
        }
        text.push_str(&format!("\n\nServer {name}:\n{own}"));
    }
    Some(text)
}

fn capabilities(view: &View) -> ServerCapabilities {
    // Without a profile, declare everything: a server with any capability may be added later.
    let mut capabilities = match view.has_servers() {
        true => everything(),
        false => view.toolbox.capabilities(),
    };
    let Some(profile) = &view.profile else { return capabilities };
    let list_changed = profile.server.announce_changes;
    let list = ListCapability { list_changed };
    let resources = ResourcesCapability { subscribe: list_changed, list_changed };
    capabilities.tools = Some(list.clone());
    capabilities.resources = view.offers_resources().then_some(resources);
    capabilities.prompts = view.offers_prompts().then_some(list);
    if capabilities.resources.is_none() && capabilities.prompts.is_none() {
        capabilities.completions = None;
    }
    if !profile.server.logging {
        capabilities.logging = None;
    }
    if view.uses_envelopes() {
        // An envelope holds the result of a finished call, never a task.
        capabilities.tasks = None;
        capabilities.extensions.remove(tasks_ext::EXTENSION);
    }
    capabilities
}

fn everything() -> ServerCapabilities {
    let yes = || Some(CapabilitySettings::default());
    let mut capabilities = ServerCapabilities {
        tools: Some(ListCapability { list_changed: true }),
        resources: Some(ResourcesCapability { subscribe: true, list_changed: true }),
        prompts: Some(ListCapability { list_changed: true }),
        completions: yes(),
        logging: yes(),
        tasks: Some(ServerTasksCapability {
            list: yes(),
            cancel: yes(),
            requests: Some(ServerTaskRequests { tools: Some(ToolTaskRequests { call: yes() }) }),
        }),
        ..ServerCapabilities::default()
    };
    capabilities.extensions.insert(tasks_ext::EXTENSION, CapabilitySettings::default());
    capabilities
}
