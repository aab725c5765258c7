//! An interactive chat in progress: its agent, its hub, its screen, and the turns with them.
//!
//! `interactive` reads lines for it, `commands` change it.

use super::chat_sessions::{ListedChat, SessionChoice};
use super::mentions::with_mentions;
use super::open::OpenChat;
use super::run_turn::run_turn;
use super::screen::Screen;
use super::typed_ahead::TypedAhead;
use hobnob_agent::{AgentView, Speaker, TurnEnd, said_by};
use hobnob_config::Places;
use hobnob_llm::ModelCapability;
use hobnob_store::trees::TreeNode;
use hobnob_terminal::hub::Hub;
use hobnob_terminal::render::{self, Tone, one_line, paint};
use hobnob_terminal::signals::Signals;
use hobnob_terminal::terminal::Keyboard;
use std::sync::Arc;

/// Most chats that `/resume` lists.
const MAX_LISTED: usize = 20;
/// Turns that the screen shows again when the person resumes a chat.
const SHOWN_TURNS: usize = 2;

/// An open chat, with its hub, project, screen and keyboard.
pub(super) struct Conversing<'a> {
    pub(super) open: OpenChat,
    pub(super) hub: &'a Hub,
    pub(super) places: &'a Places,
    pub(super) signals: &'a mut Signals,
    /// What was typed while answers came, and what the next line begins with.
    pub(super) ahead: TypedAhead,
    pub(super) screen: Arc<Screen>,
    pub(super) keyboard: &'a Keyboard,
}

impl Conversing<'_> {
    /// Takes a turn with the person's text and what it mentions.
    pub(super) async fn say(&mut self, text: String) -> anyhow::Result<()> {
        let with = with_mentions(&text, &self.places.project, self.hub.client()).await;
        for problem in &with.problems {
            render::warn(problem);
        }
        let capabilities = &self.open.agent.model().model.capabilities;
        if !with.pictures.is_empty() && !capabilities.contains(&ModelCapability::Images) {
            let model = self.model_id();
            render::warn(&format!("{model} is not known to take pictures, so it gets none"));
        }
        for picture in with.pictures {
            render::note(&format!("with the picture {}", one_line(&picture.name)));
            self.open.agent.keep_picture(&picture.words, picture.image);
        }
        let view = self.view();
        let asked = match self.open.prepare(with.text, &view).await {
            Ok(asked) => asked,
            Err(why) => {
                render::warn(&why);
                self.ahead.back_to_draft(Some(text));
                return Ok(());
            }
        };
        let report = run_turn(&mut self.open.agent, asked, &view, self.signals).await?;
        self.open.warn_of_tools();
        if report.kept {
            self.open.clear_news();
        }
        if report.end != TurnEnd::Complete {
            // A question that is not in the history goes back to the draft, to be sent again.
            self.ahead.back_to_draft(Some(text).filter(|_| !report.kept));
        }
        self.show_status()
    }

    pub(super) fn view(&self) -> Arc<dyn AgentView> {
        Arc::clone(&self.screen) as Arc<dyn AgentView>
    }

    pub(super) fn model_id(&self) -> String {
        self.open.agent.model().full_name()
    }

    /// Goes on with another conversation.
    pub(super) async fn switch(&mut self, to: &SessionChoice) -> anyhow::Result<()> {
        let conversation = self.open.sessions(self.places).choose(to).await?;
        self.open.set_conversation(conversation);
        Ok(())
    }

    /// The newest chats of this project in which something was asked.
    pub(super) async fn listed_chats(&self) -> anyhow::Result<Vec<ListedChat>> {
        self.open.sessions(self.places).listed(MAX_LISTED).await
    }

    /// Shows the last turns again, for a person who resumes the conversation.
    pub(super) fn show_last_turns(&self) {
        let said = said_by(self.open.agent.conversation().path());
        let questions = said.iter().enumerate().filter(|(_, it)| it.0 == Speaker::Person);
        let from = questions.rev().nth(SHOWN_TURNS - 1).map_or(0, |(at, _)| at);
        for (speaker, text) in &said[from..] {
            self.screen.replay(*speaker, text);
        }
    }

    /// All nodes from the root to the current one, including those that a summary replaces.
    pub(super) async fn whole_path(&self) -> anyhow::Result<Vec<TreeNode>> {
        Ok(self.open.agent.conversation().whole_path().await?)
    }

    /// Prints the model and the session, and the last turns of a resumed chat.
    pub(super) fn greet(&self) -> anyhow::Result<()> {
        let session = self.open.agent.conversation().session();
        let session = session.map(|it| it.name.to_string()).unwrap_or_default();
        render::line(&format!("hobnob chat · {} · {session}", self.model_id()))?;
        if let Some(found) = &self.open.found {
            render::line(&format!("{found}; /model shows the others"))?;
        }
        render::text(&paint(Tone::Dim, "/help lists the commands, Ctrl-D leaves"))?;
        self.show_last_turns();
        Ok(())
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
