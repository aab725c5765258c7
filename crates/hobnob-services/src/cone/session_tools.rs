//! The tools of one session during one chat: which ones the model is offered, and how they are
//! called on behalf of the chat's caller.
//!
//! What must stay true: a model reaches only tools that the session's patterns name, and every call
//! goes through the view, which decides as if the caller had made the call.

use super::tool_patterns::ToolPatterns;
use crate::view_tools::{ViewTool, ViewToolCall, ViewTools};
use hobnob_agent::{EffectiveCall, MAX_MODEL_TOOL_NAME, bounded, model_tool_name, read_result};
use hobnob_llm::{ModelTool, ToolOutcome, ToolUse};
use hobnob_mcp_engine::{Answers, Caller, Note, NoteSink, Notes, Outcome, Questions};
use hobnob_mcp_toolbox::CallContext;
use hobnob_mcp_types::logging::LoggingLevel;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Most tools that a model is offered: the smallest limit of any provider.
const MAX_TOOLS: usize = 128;

/// How a call of a tool ended.
#[derive(Debug)]
pub(super) enum ToolEnd {
    /// The result for the model.
    Finished { text: String, outcome: ToolOutcome },
    /// The tool has questions that the caller has to answer first.
    Asks(Box<Questions>),
}

/// The tools that a session can call for its caller.
pub(super) struct SessionTools {
    view: Option<Arc<dyn ViewTools>>,
    patterns: ToolPatterns,
    /// The caller of the chat, with the session as its `via`.
    caller: Caller,
    context: CallContext,
    offered: Vec<ModelTool>,
    /// The tool's name in the view, by the name that the model knows.
    names: HashMap<String, String>,
}

impl SessionTools {
    /// Lists the tools that match the patterns. `via` names the session.
    pub(super) async fn open(
        view: Option<Arc<dyn ViewTools>>,
        patterns: ToolPatterns,
        context: CallContext,
        via: &str,
    ) -> Self {
        let caller = Caller { via: Some(via.into()), ..context.caller().clone() };
        let listed = match &view {
            Some(view) if !patterns.is_empty() => view.list(&caller).await,
            _ => Vec::new(),
        };
        let (mut offered, mut names) = (Vec::new(), HashMap::<String, String>::new());
        for tool in listed.iter().filter(|tool| patterns.include(tool)).take(MAX_TOOLS) {
            let name = model_tool_name(&tool.name, |name| names.contains_key(name));
            match ModelTool::new(&name, &tool.description, schema(tool)) {
                Ok(model_tool) => {
                    offered.push(model_tool);
                    names.insert(name, tool.name.clone());
                }
                Err(error) => tracing::debug!(%error, "a tool cannot be offered to a model"),
            }
        }
        Self { view, patterns, caller, context, offered, names }
    }

    pub(super) fn offered(&self) -> &[ModelTool] {
        &self.offered
    }

    /// The view's name for a tool that the model names.
    pub(super) fn listed_name<'a>(&'a self, name: &'a str) -> &'a str {
        self.names.get(name).map_or(name, String::as_str)
    }

    /// Whether the session has a tool, given its name in the view.
    fn has(&self, name: &str) -> bool {
        self.names.values().any(|listed| listed == name) || self.patterns.include_name(name)
    }

    /// Calls a tool. Every error goes to the model, which may try something else.
    pub(super) async fn call(&self, call: &ToolUse, answers: Answers) -> ToolEnd {
        let Some(view) = &self.view else {
            return failed("no tools can be called here");
        };
        let listed = self.listed_name(&call.name);
        let call = match EffectiveCall::resolve(call, listed, |name| view.is_call_tool(name)) {
            Ok(call) => call,
            Err(why) => return failed(&why),
        };
        if !self.has(call.tool()) {
            let shown: String = call.tool().chars().take(MAX_MODEL_TOOL_NAME).collect();
            return failed(&format!("tool `{shown}` is not among the tools of this session"));
        }
        let made = view.call(ViewToolCall {
            call,
            caller: self.caller.clone(),
            answers,
            notes: Notes::new(Arc::new(SubscriptionNotes(self.context.clone()))),
        });
        match made.await {
            Ok(Outcome::Complete(answer)) => {
                let (text, is_error) = read_result(&answer.body);
                let outcome = if is_error { ToolOutcome::Failed } else { ToolOutcome::Done };
                ToolEnd::Finished { text: bounded(&text), outcome }
            }
            Ok(Outcome::NeedsInput(questions)) => ToolEnd::Asks(Box::new(questions)),
            Ok(Outcome::Started(_)) => {
                failed("the tool went on as a task, which has no result yet")
            }
            Err(error) => failed(&error.to_rpc(&self.caller).message),
        }
    }
}

impl fmt::Debug for SessionTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTools").field("names", &self.names).finish_non_exhaustive()
    }
}

fn failed(why: &str) -> ToolEnd {
    ToolEnd::Finished { text: bounded(why), outcome: ToolOutcome::Failed }
}

/// The input schema of a tool, or one for any object if the server leaves it out.
fn schema(tool: &ViewTool) -> &str {
    match tool.input_schema.as_str() {
        "{}" => r#"{"type":"object"}"#,
        schema => schema,
    }
}

/// The notifications of a tool while it runs. Only subscriptions reach the caller: it would mistake
/// progress and events for those of the chat.
struct SubscriptionNotes(CallContext);

impl NoteSink for SubscriptionNotes {
    fn wants_progress(&self) -> bool {
        false
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        match note {
            Note::Watch { uri } => self.0.watch(&uri),
            Note::Unwatch { uri } => self.0.unwatch(&uri),
            Note::Progress { .. } | Note::Event(_) | Note::Log { .. } | Note::Pause { .. } => {}
        }
    }
}
