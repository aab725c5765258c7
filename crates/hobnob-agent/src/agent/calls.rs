//! Makes the tool calls of one answer, several at a time, with the person's hooks before and after each.
//! It stores every result when it arrives, and shows it to the view.
//!
//! What must stay true: a turn that is cancelled waits for no call; dropping their futures cancels them.

use super::open_turn::OpenTurn;
use crate::agent_event::AgentEvent;
use crate::agent_tools::{AgentTools, CallScope, ToolReport};
use crate::conversation::ConversationError;
use crate::effective_call::{CALL_TOOL, EffectiveCall};
use crate::hooks::AgentHooks;
use crate::stored_turns::{masked, result_node};
use crate::tool_text::bounded;
use crate::turn::{TurnEnd, TurnStep};
use futures_util::stream::{self, StreamExt as _};
use hobnob_llm::ToolUse;
use std::pin::pin;
use std::sync::Arc;
use std::time::Instant;

impl OpenTurn<'_> {
    pub(super) async fn make_calls(
        &mut self,
        calls: Vec<ToolUse>,
    ) -> Result<TurnStep, ConversationError> {
        let agent = &mut *self.agent;
        let (tools, hooks) = (Arc::clone(&agent.tools), Arc::clone(&agent.parts.hooks));
        let scope = CallScope {
            branch: agent.conversation().branch_point(),
            view: Arc::clone(self.view),
            cancel: self.cancel.clone(),
        };
        let running = stream::iter(calls).map(|call| {
            let (tools, hooks, scope) = (Arc::clone(&tools), Arc::clone(&hooks), scope.clone());
            async move {
                let listed = tools.listed_name(&call.name);
                let resolved = EffectiveCall::resolve(&call, &listed, |name| name == CALL_TOOL);
                let shown = resolved.as_ref().map_or(&call, EffectiveCall::as_tool_use).clone();
                scope.view.show(&AgentEvent::CallStarted(shown.clone()));
                let begun = Instant::now();
                let report = match &resolved {
                    Ok(effective) => one_call(&*tools, &*hooks, effective, scope).await,
                    Err(why) => ToolReport::failed(bounded(why)),
                };
                let took = begun.elapsed().saturating_sub(report.asked);
                (call, shown, report, took)
            }
        });
        let mut running = pin!(running.buffer_unordered(agent.parts.options.parallel.max(1)));
        let mut step = TurnStep::Ask;
        loop {
            let ended = tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Ok(TurnStep::End(TurnEnd::Interrupted)),
                ended = running.next() => ended,
            };
            let Some((call, shown, report, took)) = ended else { return Ok(step) };
            let (text, outcome) = (masked(&report.text, agent.parts.scanner), report.outcome);
            let node = result_node(&call.name, &call, text.clone(), outcome);
            agent.context.add_result((&call.id, text.len()), node, report.images).await?;
            step = self.progress.call_ended(&call.id, &agent.totals()).unwrap_or(step);
            self.view.show(&AgentEvent::CallEnded { call: shown, text, outcome, took });
        }
    }
}

async fn one_call(
    tools: &dyn AgentTools,
    hooks: &dyn AgentHooks,
    call: &EffectiveCall,
    scope: CallScope,
) -> ToolReport {
    let before = hooks.before_call(call).await;
    if let Some(why) = before.block {
        return ToolReport::failed(format!("a hook of the person blocked this call: {why}"));
    }
    let report = tools.call(call, scope).await;
    let mut report = ToolReport { text: bounded(&report.text), ..report };
    let after = hooks.after_call(call, &report).await;
    if let Some(why) = after.block {
        return ToolReport::failed(format!("a hook of the person withholds the result: {why}"));
    }
    for added in [before.add, after.add].into_iter().flatten() {
        report.text = format!("{}\n[From a hook of the person] {}", report.text, bounded(&added));
    }
    report
}
