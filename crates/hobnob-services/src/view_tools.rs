//! The tools of a service's view, for services that call them on behalf of their caller.
//!
//! The binary implements the trait over the gateway, and hands it to a view's presentation once the
//! view is open. What must stay true: a call made here takes the same path as the caller's own
//! `tools/call`, so permissions, questions, limits and audit are the same.

use hobnob_agent::EffectiveCall;
use hobnob_mcp_engine::{Answers, BoxFuture, CallError, Caller, Notes, Outcome};
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

/// The tools that callers of one view can call.
pub trait ViewTools: Send + Sync + 'static {
    /// The tools that are listed for this caller now, without those that begin another chat.
    fn list<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Vec<ViewTool>>;

    /// Whether a name is that of the tool that calls other tools, which a profile may rename.
    fn is_call_tool(&self, name: &str) -> bool;

    /// Calls a tool as this caller. Dropping the future cancels the call.
    fn call(&self, call: ViewToolCall) -> BoxFuture<'_, Result<Outcome, CallError>>;
}

/// A tool of a view, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewTool {
    /// The name in `tools/call`.
    pub name: String,
    /// The upstream server that has the tool, and its name there; `None` for a built-in tool.
    pub server: Option<(String, String)>,
    /// The description for a model.
    pub description: String,
    /// The JSON Schema of its arguments, as text.
    pub input_schema: String,
}

/// One call of a view's tool.
#[derive(Debug)]
pub struct ViewToolCall {
    /// The tool, by its name in `tools/call`, and its arguments.
    pub call: EffectiveCall,
    /// The caller on whose behalf the call is made; its `via` names the service that makes it.
    pub caller: Caller,
    /// The caller's answers to questions of this call.
    pub answers: Answers,
    /// The sink for notifications during the call.
    pub notes: Notes,
}

/// A slot for a view's tools, which is filled once the view is open. Clones share it.
#[derive(Clone, Default)]
pub struct ViewToolsSlot(Arc<OnceLock<Weak<dyn ViewTools>>>);

impl ViewToolsSlot {
    /// Fills the slot; only the first call has an effect. The reference is weak, since the view
    /// holds the kits that hold this slot.
    pub fn fill(&self, tools: &Arc<dyn ViewTools>) {
        self.0.get_or_init(|| Arc::downgrade(tools));
    }

    /// The tools, if the view is open.
    pub fn get(&self) -> Option<Arc<dyn ViewTools>> {
        self.0.get()?.upgrade()
    }
}

impl fmt::Debug for ViewToolsSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.get().is_some() { "ViewToolsSlot" } else { "ViewToolsSlot(empty)" })
    }
}
