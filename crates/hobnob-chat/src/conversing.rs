//! A chat that takes place: its agent, its hub, its screen, and the turns with them.
//!
//! `interactive` reads lines for it, `commands` change it.

use super::mentions::with_mentions;
use super::open::{OpenChat, SessionChoice};
use super::run_turn::run_turn;
use super::screen::Screen;
use hobnob_agent::{AgentView, TurnEnd};
use hobnob_config::Places;
use hobnob_store::model_sessions::ModelSession;
use hobnob_store::trees::TreeNode;
use hobnob_terminal::hub::Hub;
use hobnob_terminal::render::{self, Tone, paint};
use hobnob_terminal::signals::Signals;
use std::sync::Arc;

/// A chat and where it takes place.
pub(super) struct Conversing<'a> {
    pub(super) open: OpenChat,
    pub(super) hub: &'a Hub,
    pub(super) places: &'a Places,
    pub(super) signals: &'a mut Signals,
    /// What the next line begins with.
    pub(super) begun: String,
    pub(super) screen: Arc<Screen>,
}

impl Conversing<'_> {
    /// Takes a turn with what the person said.
    pub(super) async fn say(&mut self, text: String) -> anyhow::Result<()> {
        let with = with_mentions(&text, &self.places.project, self.hub.client()).await;
        for problem in &with.problems {
            render::warn(problem);
        }
        let view = self.view();
        let asked = match self.open.prepared(with.text, &view).await {
            Ok(asked) => asked,
            Err(why) => {
                render::warn(&why);
                self.begun = text;
                return Ok(());
            }
        };
        let report = run_turn(&mut self.open.agent, asked, &view, self.signals).await?;
        if report.kept {
            self.open.told();
        }
        if !report.kept && report.end != TurnEnd::Complete {
            // Nothing of it is in the history, so it can be sent again.
            self.begun = text;
        }
        self.show_status()
    }

    pub(super) fn view(&self) -> Arc<dyn AgentView> {
        Arc::clone(&self.screen) as Arc<dyn AgentView>
    }

    pub(super) fn model_id(&self) -> String {
        let model = self.open.agent.model();
        format!("{}/{}", model.provider.name(), model.model.id)
    }

    /// Goes on with another conversation.
    pub(super) async fn switch(&mut self, to: &SessionChoice) -> anyhow::Result<()> {
        let conversation = self.open.sessions(self.places).choose(to).await?;
        self.open.set_conversation(conversation);
        Ok(())
    }

    /// The chats of this project, the newest first.
    pub(super) async fn sessions(&self) -> anyhow::Result<Vec<ModelSession>> {
        self.open.sessions(self.places).of_project().await
    }

    /// Everything from the root to here, also what a summary stands for.
    pub(super) async fn whole_path(&self) -> anyhow::Result<Vec<TreeNode>> {
        Ok(self.open.agent.conversation().whole_path().await?)
    }

    /// Says who answers, and where it is stored.
    pub(super) fn greet(&self) -> anyhow::Result<()> {
        let session = self.open.agent.conversation().session();
        let session = session.map(|it| it.name.to_string()).unwrap_or_default();
        render::line(&format!("hobnob chat · {} · {session}", self.model_id()))?;
        render::text(&paint(Tone::Dim, "/help lists the commands, Ctrl-D leaves"))
    }

    fn show_status(&self) -> anyhow::Result<()> {
        let (tokens, context) = self.open.agent.context();
        let (tools, _) = self.open.tools.size();
        let mut parts = vec![self.model_id(), format!("{tokens} of {context} tokens")];
        if let Some(cost) = self.open.agent.totals().cost() {
            parts.push(format!("${cost}"));
        }
        parts.push(format!("{tools} tools"));
        match self.open.sub_agents.running() {
            0 => {}
            running => parts.push(format!("{running} in the background")),
        }
        render::text(&paint(Tone::Dim, &render::safe(&parts.join(" · "))))
    }
}
