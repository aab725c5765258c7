//! What a view declares and says about itself, and in whose name it speaks.

use crate::view::View;
use hobnob_mcp_engine::Offer;
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ListCapability, ResourcesCapability, ServerCapabilities,
    ServerTaskRequests, ServerTasksCapability, ToolTaskRequests,
};
use hobnob_mcp_types::tasks_ext;

/// Bytes of other servers' instructions that are passed on.
const INSTRUCTIONS: usize = 8 << 10;

/// What the view's server declares.
pub(crate) fn offer(view: &View) -> Offer {
    Offer { capabilities: capabilities(view), instructions: instructions(view) }
}

/// Instructions for the model: ours, and those of the servers as far as they fit.
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
        let Some(lists) = upstream.known().lists else { continue };
        if snapshot.denied.contains(name) {
            continue;
        }
        let Some(own) = &lists.about.instructions else { continue };
        if text.len() + own.len() > INSTRUCTIONS {
            continue;
        }
        text.push_str(&format!("\n\nServer {name}:\n{own}"));
    }
    Some(text)
}

fn capabilities(view: &View) -> ServerCapabilities {
    // Without a profile the same whatever is behind us: a server may come with anything.
    let mut able = match view.has_servers() {
        true => everything(),
        false => view.toolbox.capabilities(),
    };
    let Some(profile) = &view.profile else { return able };
    let list_changed = profile.server.announce_changes;
    let list = ListCapability { list_changed };
    let resources = ResourcesCapability { subscribe: list_changed, list_changed };
    able.tools = Some(list.clone());
    able.resources = view.offers_resources().then_some(resources);
    able.prompts = view.offers_prompts().then_some(list);
    if able.resources.is_none() && able.prompts.is_none() {
        able.completions = None;
    }
    if !profile.server.logging {
        able.logging = None;
    }
    if view.uses_envelopes() {
        // An envelope holds the end of a call, and never a task.
        able.tasks = None;
        able.extensions.remove(tasks_ext::EXTENSION);
    }
    able
}

fn everything() -> ServerCapabilities {
    let yes = || Some(CapabilitySettings::default());
    let mut able = ServerCapabilities {
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
    able.extensions.insert(tasks_ext::EXTENSION, CapabilitySettings::default());
    able
}
