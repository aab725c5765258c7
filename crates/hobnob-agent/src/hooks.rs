//! Hooks: programs of the user that can block a tool call or its result, or add a text to it.
//!
//! The terminal implements them with commands from the settings; an agent runs them at each call.

use crate::agent_tools::ToolReport;
use crate::effective_call::EffectiveCall;
use futures_util::future::BoxFuture;

/// The decision of a hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookVerdict {
    /// Why the call, or its result, is blocked.
    pub block: Option<String>,
    /// A text that is added to the result for the model.
    pub add: Option<String>,
}

/// Hooks around the calls of an agent.
pub trait AgentHooks: Send + Sync {
    /// Runs before a call. A blocked call is not made.
    fn before_call<'a>(&'a self, call: &'a EffectiveCall) -> BoxFuture<'a, HookVerdict>;

    /// Runs after a call. A blocked result does not reach the model.
    fn after_call<'a>(
        &'a self,
        call: &'a EffectiveCall,
        report: &'a ToolReport,
    ) -> BoxFuture<'a, HookVerdict>;
}

/// Hooks that block nothing and add nothing.
#[derive(Debug, Clone, Copy)]
pub struct NoHooks;

impl AgentHooks for NoHooks {
    fn before_call<'a>(&'a self, _call: &'a EffectiveCall) -> BoxFuture<'a, HookVerdict> {
        Box::pin(async { HookVerdict::default() })
    }

    fn after_call<'a>(
        &'a self,
        _call: &'a EffectiveCall,
        _report: &'a ToolReport,
    ) -> BoxFuture<'a, HookVerdict> {
        Box::pin(async { HookVerdict::default() })
    }
}
