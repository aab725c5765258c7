//! The chats of the person: which one to go on with, and what is shown of each in a list.
//!
//! What must stay true: a chat in which nothing was asked is neither gone on with nor listed.

use super::open::SessionChoice;
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

/// What the names of chats begin with, unless the person chose one.
const CHAT: &str = "chat-";
/// Sessions that are looked through for the last one.
const LOOKED_AT: usize = 1_000;
/// Nodes of a chat that are read for a list.
const MAX_READ: usize = 2_000;

/// A chat as a list shows it.
pub(super) struct ListedChat {
    pub(super) session: ModelSession,
    /// The first question, which is its title.
    pub(super) first: String,
    pub(super) questions: usize,
}

/// The questions of the person among these nodes.
pub(super) fn asked(nodes: &[TreeNode]) -> Vec<String> {
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
    /// Opens or begins the conversation that is meant.
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

    /// What a list shows of the chats of this project, at most `count`, the one that changed last first.
    pub(super) async fn listed(&self, count: usize) -> anyhow::Result<Vec<ListedChat>> {
        let mut listed = Vec::new();
        for session in self.of_project().await? {
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

    /// What was asked in a chat, as far as it is read for a list.
    async fn questions(&self, session: &ModelSession) -> Result<Vec<String>, TreeError> {
        let (mut read, mut questions, mut after) = (0, Vec::new(), None);
        while read < MAX_READ {
            let of = TreeRef::Id(session.tree.clone());
            let to = NodeRef::Id(session.head.clone());
            let page = self.store.path(access(), of, to, PageRequest { after, limit: 500 }).await?;
            read += page.items.len();
            questions.extend(asked(&page.items));
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

    /// The chats of this project, the one that changed last first.
    async fn of_project(&self) -> anyhow::Result<Vec<ModelSession>> {
        let project = self.places.project.display().to_string();
        let mut found = self.all().await?;
        found.retain(|session| {
            let metadata = session.metadata.as_deref().unwrap_or("{}");
            let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
            metadata["chat"]["project"] == project
        });
        found.sort_by_key(|session| std::cmp::Reverse(session.updated));
        Ok(found)
    }

    /// Makes room: the oldest chat that nobody gave a name. Its tree can be read for weeks still.
    async fn forget_oldest(&self) -> anyhow::Result<()> {
        let unnamed = |session: &ModelSession| session.name.as_str().starts_with(CHAT);
        let oldest = self.all().await?.into_iter().filter(unnamed).min_by_key(|it| it.updated);
        let oldest =
            oldest.context("there are too many sessions: delete one that you do not need")?;
        self.store.delete_model_session(access(), oldest.name).await?;
        Ok(())
    }

    async fn all(&self) -> Result<Vec<ModelSession>, ModelSessionError> {
        let (mut all, mut after) = (Vec::new(), None);
        while all.len() < LOOKED_AT {
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

/// A name by the clock, unlike those of other processes.
fn fresh_name() -> String {
    let now = Zoned::now();
    format!("{CHAT}{}-{}", now.strftime("%Y%m%d-%H%M%S"), std::process::id())
}
