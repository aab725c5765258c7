//! The tools of the view in which a service is shown, as a service calls them for its caller.
//!
//! The binary implements the trait over the gateway and hands it to a view's presentation once the
//! view is open. What must stay true: a call made here goes the way of the caller's own `tools/call`,
//! so permissions, questions, limits and audit are the same.

use hobnob_agent::EffectiveCall;
use hobnob_mcp_engine::{Answers, BoxFuture, CallError, Caller, Notes, Outcome};
use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

/// What callers of one view can call.
pub trait ViewTools: Send + Sync + 'static {
    /// The tools that are listed for this caller now. Those that begin another chat are left out.
    fn list<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Vec<ViewTool>>;

    /// Whether a name is that of the tool that calls others, which a profile may give another name.
    fn is_call_tool(&self, name: &str) -> bool;

    /// Calls a tool as this caller. Dropping the future cancels the call.
    fn call(&self, call: ViewToolCall) -> BoxFuture<'_, Result<Outcome, CallError>>;
}

/// A tool of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewTool {
    /// The name in `tools/call`.
    pub name: String,
    /// The server behind the gateway that has it, and its name there; none for a built-in.
    pub server: Option<(String, String)>,
    /// What it does, for a model.
    pub description: String,
    /// The JSON Schema of its arguments, as text.
    pub input_schema: String,
}

/// One call of a tool of a view.
#[derive(Debug)]
pub struct ViewToolCall {
    /// The tool, by its name in `tools/call`, and its arguments.
    pub call: EffectiveCall,
    /// For whom it is made, with what makes it in `via`.
    pub caller: Caller,
    /// What the caller has answered to questions of this call.
    pub answers: Answers,
    /// Where the call says what happens meanwhile.
    pub notes: Notes,
}

/// Where a view's tools are, from the moment on at which the view is open. Clones share it.
#[derive(Clone, Default)]
pub struct ViewToolsSlot(Arc<OnceLock<Weak<dyn ViewTools>>>);

impl ViewToolsSlot {
    /// Fills the slot; only the first one counts. It is held weakly, since the view holds the kits that
    /// hold this.
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
