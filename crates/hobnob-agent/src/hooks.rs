//! What a person's own programs may say before and after a tool runs.
//!
//! The terminal implements it by commands of the settings; an agent asks it around each call.

use crate::agent_tools::ToolReport;
use crate::effective_call::EffectiveCall;
use futures_util::future::BoxFuture;

/// What a hook says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookVerdict {
    /// Why it must not go on.
    pub block: Option<String>,
    /// What the model is told besides.
    pub add: Option<String>,
}

/// Hooks around the calls of an agent.
pub trait AgentHooks: Send + Sync {
    /// Before a call is made; one that is blocked is not made.
    fn before_call<'a>(&'a self, call: &'a EffectiveCall) -> BoxFuture<'a, HookVerdict>;

    /// After a call was made; a result that is blocked does not reach the model.
    fn after_call<'a>(
        &'a self,
        call: &'a EffectiveCall,
        report: &'a ToolReport,
    ) -> BoxFuture<'a, HookVerdict>;
}

/// Nobody has a say.
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
