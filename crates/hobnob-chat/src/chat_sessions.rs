//! The person's stored chats: begins and resumes them, and lists those of the project. When the store
//! is full, a new chat replaces the oldest one that the person did not name.
//!
//! What must stay true: a chat without a question is not listed, and never counts as the last chat.

use anyhow::Context as _;
use hobnob_agent::{Conversation, ConversationError, Speaker, said_by};
use hobnob_config::Places;
use hobnob_store::memory::PageRequest;
use hobnob_store::model_sessions::{
    ModelSession, ModelSessionError, ModelSessionName, NewModelSession,
};
use hobnob_store::trees::{NodeRef, TreeAccess, TreeError, TreeNode, TreeRef};
use hobnob_store::{Owner, Store, Time};
use hobnob_terminal::ended::Ended;
use jiff::Zoned;
use serde_json::{Value, json};
use std::sync::Arc;

/// Prefix of the names that Hobnob chooses for chats.
const CHAT_PREFIX: &str = "chat-";
/// Most sessions that are read from the store.
const MAX_SESSIONS: usize = 1_000;
/// Most nodes that a list reads of one chat.
const MAX_NODES: usize = 2_000;

/// Which conversation to go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
    /// Begin a new conversation.
    New,
    /// The last conversation of this project.
    Last,
    /// The conversation of this name; it begins now if there is none.
    Named(String),
    /// The conversation of this name, which must exist.
    Existing(String),
}

/// A chat as a list shows it.
pub(super) struct ListedChat {
    pub(super) session: ModelSession,
    /// The first question, which is its title.
    pub(super) first: String,
    pub(super) questions: usize,
}

/// The questions of the person among these nodes.
pub(super) fn questions_in(nodes: &[TreeNode]) -> Vec<String> {
    let said = said_by(nodes).into_iter();
    said.filter(|(speaker, _)| *speaker == Speaker::Person).map(|(_, text)| text).collect()
}

/// The conversations of the person.
pub(super) struct ChatSessions<'a> {
    pub(super) store: &'a Arc<dyn Store>,
    pub(super) places: &'a Places,
    pub(super) system: &'a str,
}

impl ChatSessions<'_> {
    /// Opens or begins the conversation that `choice` names.
    pub(super) async fn choose(&self, choice: &SessionChoice) -> anyhow::Result<Conversation> {
        match choice {
            SessionChoice::New => self.begin(&fresh_name()).await,
            SessionChoice::Last => match self.listed(1).await?.into_iter().next() {
                Some(last) => Ok(self.open(last.session.name).await?),
                None => Err(Ended::usage("there is no chat of this project to go on with").into()),
            },
            SessionChoice::Existing(raw) => Ok(self.open(parse(raw)?).await?),
            SessionChoice::Named(raw) => match self.open(parse(raw)?).await {
                Err(ConversationError::Session(ModelSessionError::NotFound(_))) => {
                    self.begin(raw).await
                }
                opened => Ok(opened?),
            },
        }
    }

    /// At most `count` chats of this project that have a question, the last changed first.
    pub(super) async fn listed(&self, count: usize) -> anyhow::Result<Vec<ListedChat>> {
        let mut listed = Vec::new();
        for session in self.project_sessions().await? {
            if listed.len() == count {
                break;
            }
            let questions = self.questions(&session).await?;
            if let Some(first) = questions.first().cloned() {
                listed.push(ListedChat { session, first, questions: questions.len() });
            }
        }
        Ok(listed)
    }

    /// The person's questions among the first `MAX_NODES` nodes of a chat.
    async fn questions(&self, session: &ModelSession) -> Result<Vec<String>, TreeError> {
        let (mut read, mut questions, mut after) = (0, Vec::new(), None);
        while read < MAX_NODES {
            let of = TreeRef::Id(session.tree.clone());
            let to = NodeRef::Id(session.head.clone());
            let page = self.store.path(access(), of, to, PageRequest { after, limit: 500 }).await?;
            read += page.items.len();
            questions.extend(questions_in(&page.items));
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        Ok(questions)
    }

    async fn open(&self, name: ModelSessionName) -> Result<Conversation, ConversationError> {
        Conversation::open(Arc::clone(self.store), Owner::default(), name).await
    }

    async fn begin(&self, name: &str) -> anyhow::Result<Conversation> {
        let project = self.places.project.display().to_string();
        let name = ModelSessionName::parse(name).context("the name of the session is not one")?;
        let new = NewModelSession {
            name,
            model: None,
            system_prompt: Some(self.system.to_owned()),
            settings: None,
            metadata: Some(json!({"chat": {"project": project}}).to_string()),
        };
        let begin = |new| Conversation::begin(Arc::clone(self.store), Owner::default(), new);
        match begin(new.clone()).await {
            Err(ConversationError::Session(ModelSessionError::TooMany)) => {
                self.forget_oldest().await?;
                Ok(begin(new).await?)
            }
            begun => Ok(begun?),
        }
    }

    /// The chats of this project, the last changed first.
    async fn project_sessions(&self) -> anyhow::Result<Vec<ModelSession>> {
        let project = self.places.project.display().to_string();
        let mut found = self.all_sessions().await?;
        found.retain(|session| {
            let metadata = session.metadata.as_deref().unwrap_or("{}");
            let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
            metadata["chat"]["project"] == project
        });
        found.sort_by_key(|session| std::cmp::Reverse(session.updated));
        Ok(found)
    }

    /// Makes room: deletes the oldest chat that the person did not name. Its tree stays for weeks.
    async fn forget_oldest(&self) -> anyhow::Result<()> {
        let unnamed = |session: &ModelSession| session.name.as_str().starts_with(CHAT_PREFIX);
        let oldest =
            self.all_sessions().await?.into_iter().filter(unnamed).min_by_key(|it| it.updated);
        let oldest =
            oldest.context("there are too many sessions: delete one that you do not need")?;
        self.store.delete_model_session(access(), oldest.name).await?;
        Ok(())
    }

    async fn all_sessions(&self) -> Result<Vec<ModelSession>, ModelSessionError> {
        let (mut all, mut after) = (Vec::new(), None);
        while all.len() < MAX_SESSIONS {
            let page = PageRequest { after, limit: 500 };
            let page = self.store.model_sessions(access(), page).await?;
            all.extend(page.items);
            match page.next {
                Some(next) => after = Some(next),
                None => break,
            }
        }
        Ok(all)
    }
}

fn parse(raw: &str) -> Result<ModelSessionName, Ended> {
    let bad = || Ended::usage(format!("{raw}: a name has 1 to 64 letters, digits, `_` and `-`"));
    ModelSessionName::parse(raw).ok_or_else(bad)
}

fn access() -> TreeAccess {
    TreeAccess { owner: Owner::default(), now: Time::now() }
}

/// A name from the clock and the process id, so that no other process chooses the same.
fn fresh_name() -> String {
    let now = Zoned::now();
    format!("{CHAT_PREFIX}{}-{}", now.strftime("%Y%m%d-%H%M%S"), std::process::id())
}
