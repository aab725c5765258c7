//! What a view declares and says about itself, and in whose name it speaks.

use crate::route::GatewayService;
use crate::view::View;
use hobnob_mcp_engine::{Note, NoteSink, Notes, Offer};
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ListCapability, ResourcesCapability, ServerCapabilities,
    ServerTaskRequests, ServerTasksCapability, ToolTaskRequests,
};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::tasks_ext;
use std::sync::Arc;

/// Bytes of other servers' instructions that are passed on.
const INSTRUCTIONS: usize = 8 << 10;

impl GatewayService {
    pub(crate) fn offered(&self) -> Offer {
        Offer { capabilities: capabilities(&self.view), instructions: self.instructions() }
    }

    /// The notes of a built-in, which logs under the name that the profile gives us.
    pub(crate) fn built_in_notes(&self, notes: Notes) -> Notes {
        let name = self.view.profile.as_ref().and_then(|profile| profile.server.name.as_deref());
        match name {
            Some(name) => logged_as(notes, name),
            None => notes,
        }
    }

    /// What a model is told about all of this.
    fn instructions(&self) -> Option<String> {
        let own = self.view.profile.as_ref().and_then(|it| it.server.instructions.clone());
        if own.is_some() || !self.view.has_servers() {
            return own;
        }
        let snapshot = self.view.snapshot();
        let mut text = String::from(
            "Tools of several servers behind one endpoint. A tool named mcp__SERVER__TOOL belongs \
             to that server; a resource mcp://SERVER/URI likewise.",
        );
        for (name, upstream) in &snapshot.upstreams {
            let Some(lists) = upstream.known().lists else { continue };
            if snapshot.denied.contains(name) {
                continue;
            }
            let Some(words) = &lists.about.instructions else { continue };
            if text.len() + words.len() > INSTRUCTIONS {
                continue;
            }
            text.push_str(&format!("\n\nServer {name}:\n{words}"));
        }
        Some(text)
    }
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

/// A call's notes for a client that is sent no log messages.
pub(crate) fn without_logs(notes: Notes) -> Notes {
    Notes::new(Arc::new(LogFilter { notes, logs: Logs::Dropped }))
}

/// A built-in's notes for a client that knows us by another name.
fn logged_as(notes: Notes, name: &str) -> Notes {
    Notes::new(Arc::new(LogFilter { notes, logs: Logs::By(name.into()) }))
}

struct LogFilter {
    notes: Notes,
    logs: Logs,
}

/// What becomes of log messages.
enum Logs {
    /// Nothing.
    Dropped,
    /// This one says them.
    By(Box<str>),
}

impl NoteSink for LogFilter {
    fn wants_progress(&self) -> bool {
        self.notes.wants_progress()
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        // Those who hear them ask once more.
        matches!(self.logs, Logs::By(_))
    }

    fn send(&self, note: Note) {
        match (note, &self.logs) {
            (Note::Progress { progress, total, message }, _) => {
                self.notes.progress(progress, total, message.as_deref());
            }
            (Note::Log { level, data, .. }, Logs::By(name)) => {
                self.notes.log(level, Some(name), &data);
            }
            (Note::Log { .. }, Logs::Dropped) => {}
            (Note::Pause { retry }, _) => self.notes.pause(retry),
            (Note::Watch { uri }, _) => self.notes.watch(&uri),
            (Note::Unwatch { uri }, _) => self.notes.unwatch(&uri),
        }
    }
}
