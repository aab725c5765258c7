//! Sub-agents in the background: started, listed, read, stopped.
//!
//! What must stay true: their number is bounded, and none outlives [`BackgroundAgents`].

use super::running::{SubAgent, run_to_end};
use crate::agent_tools::{CallScope, ToolReport};
use crate::tool_text::bounded;
use hobnob_llm::ToolOutcome;
use parking_lot::Mutex;
use std::fmt::Write as _;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How many sub-agents may run at once, and how many are remembered.
const MAX_RUNNING: usize = 8;
const MAX_KNOWN: usize = 100;

/// Sub-agents that their parent does not wait for.
#[derive(Default)]
pub(super) struct BackgroundAgents(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    agents: Vec<Listed>,
    started: usize,
    tasks: JoinSet<()>,
}

struct Listed {
    id: String,
    name: String,
    cancel: CancellationToken,
    /// The answer of the sub-agent, once it has ended.
    report: Option<ToolReport>,
}

impl BackgroundAgents {
    pub(super) fn start(&self, agent: SubAgent, scope: CallScope) -> ToolReport {
        let mut known = self.0.lock();
        while known.tasks.try_join_next().is_some() {}
        if MAX_RUNNING <= known.running() {
            return ToolReport::failed(format!(
                "{MAX_RUNNING} sub-agents run in the background: wait for one, or stop one"
            ));
        }
        known.started += 1;
        let (id, name) = (format!("a{}", known.started), agent.name.clone());
        // A token of its own: the sub-agent continues when the turn has ended.
        let cancel = CancellationToken::new();
        let scope = CallScope { cancel: cancel.clone(), ..scope };
        let (agents, own) = (Arc::downgrade(&self.0), id.clone());
        known.tasks.spawn(async move {
            let report = run_to_end(agent, scope).await;
            let Some(agents) = agents.upgrade() else { return };
            let mut known = agents.lock();
            if let Some(listed) = known.agents.iter_mut().find(|listed| listed.id == own) {
                listed.report = Some(report);
            }
        });
        known.agents.push(Listed { id: id.clone(), name, cancel, report: None });
        known.forget_oldest();
        ToolReport::done(format!("the sub-agent runs in the background as {id}"))
    }

    pub(super) fn running(&self) -> usize {
        self.0.lock().running()
    }

    pub(super) fn list(&self) -> String {
        let known = self.0.lock();
        if known.agents.is_empty() {
            return "no sub-agent was started in the background".into();
        }
        let mut lines = String::new();
        for Listed { id, name, report, .. } in &known.agents {
            let state = match report {
                None => "running",
                Some(ToolReport { outcome: ToolOutcome::Done, .. }) => "done",
                Some(_) => "failed",
            };
            let _fits = writeln!(lines, "{id}  {state}  {name}");
        }
        lines
    }

    pub(super) fn read(&self, id: &str) -> ToolReport {
        let known = self.0.lock();
        match known.agents.iter().find(|listed| listed.id == id) {
            None => unknown(id),
            Some(Listed { report: None, .. }) => ToolReport::done(format!("{id} is still running")),
            Some(Listed { report: Some(report), .. }) => report.clone(),
        }
    }

    pub(super) fn stop(&self, id: &str) -> ToolReport {
        let known = self.0.lock();
        match known.agents.iter().find(|listed| listed.id == id) {
            None => unknown(id),
            Some(Listed { report: Some(_), .. }) => {
                ToolReport::done(format!("{id} had ended already"))
            }
            Some(listed) => {
                listed.cancel.cancel();
                ToolReport::done(format!("{id} is told to stop"))
            }
        }
    }

    pub(super) async fn shut_down(&self) {
        let mut tasks = {
            let mut known = self.0.lock();
            known.agents.iter().for_each(|listed| listed.cancel.cancel());
            std::mem::take(&mut known.tasks)
        };
        while tasks.join_next().await.is_some() {}
    }
}

impl Known {
    fn running(&self) -> usize {
        self.agents.iter().filter(|listed| listed.report.is_none()).count()
    }

    /// Forgets the oldest sub-agent that has ended, if there are too many.
    fn forget_oldest(&mut self) {
        if MAX_KNOWN < self.agents.len()
            && let Some(oldest) = self.agents.iter().position(|listed| listed.report.is_some())
        {
            self.agents.remove(oldest);
        }
    }
}

fn unknown(id: &str) -> ToolReport {
    let id = bounded(id);
    ToolReport::failed(format!("there is no sub-agent {id}: agent_list shows those there are"))
}
