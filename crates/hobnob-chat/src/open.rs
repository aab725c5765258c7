//! Opens a chat: the model, the conversation, the tools.
//!
//! What must stay true: nothing is sent to a model before the first question.

use super::chat_rules::ChatRules;
use super::command_hooks::CommandHooks;
use super::hub_tools::{HubTools, HubToolsParts};
use super::instructions::ChatSurroundings;
use super::memory_offer::offered_memories;
use super::sampling::{Sampling, SamplingRules};
use anyhow::Context as _;
use hobnob_agent::{
    Agent, AgentEvent, AgentHooks, AgentParts, AgentTools, AgentView, AskOptions, Conversation,
    ConversationError, HookVerdict, SharedTotals, SubAgentOptions, SubAgents, TurnLimits,
    context_tokens,
};
use hobnob_config::{ChatMemory, ChatTable, Places, Settings};
use hobnob_hub::services::{conversation_scanner, open_models};
use hobnob_hub::store::open_store;
use hobnob_llm::{ModelCost, ModelDirectory, ResolvedModel, ThinkingWish};
use hobnob_store::memory::PageRequest;
use hobnob_store::model_sessions::{
    ModelSession, ModelSessionError, ModelSessionName, NewModelSession,
};
use hobnob_store::trees::{NodeContent, TreeAccess, TreeNode};
use hobnob_store::{Owner, Store, Time};
use hobnob_terminal::ended::{Code, Ended};
use hobnob_terminal::hub::Hub;
use hobnob_terminal::terminal::Terminal;
use jiff::Zoned;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// What the names of chats begin with, unless the person chose one.
const CHAT: &str = "chat-";
/// Sessions that are looked through for the last one.
const LOOKED_AT: usize = 1_000;
/// News that wait for a turn that comes to something.
const MAX_UNTOLD: usize = 3;
/// Calls of one answer that run at the same time.
const PARALLEL: usize = 8;
/// The part of a model's context that definitions of tools may take: one in so many.
const TOOLS_SHARE: u64 = 10;

/// Which conversation to go on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
    /// Begin a new one.
    New,
    /// The last one of this project.
    Last,
    /// The one of this name; it is begun if there is none.
    Named(String),
    /// The one of this name, which must be there.
    Existing(String),
}

/// What the person chose on the command line.
#[derive(Debug, Clone)]
pub struct ChatOptions {
    /// The model to ask, instead of the one that the settings name.
    pub model: Option<String>,
    /// Which chat to begin or to go on with.
    pub session: SessionChoice,
    /// Which tools run without a question, and which never.
    pub rules: ChatRules,
    /// Servers that may use the model without asking, by globs.
    pub allow_sampling: Vec<String>,
    /// How often the model may be asked for one answer.
    pub max_requests: Option<u32>,
    /// What one answer may cost.
    pub max_cost: Option<ModelCost>,
    /// How many tokens one answer may take.
    pub max_tokens: Option<u64>,
    /// What the model is told besides our own instructions.
    pub instructions: Option<String>,
}

impl ChatOptions {
    /// Which servers may use the model, and how much of it.
    fn sampling_rules(&self, chat: &ChatTable) -> Result<SamplingRules, Ended> {
        SamplingRules::new(chat.sampling_tokens, &chat.sampling_servers, &self.allow_sampling)
    }

    fn ask_options(&self, chat: &ChatTable) -> AskOptions {
        let limits = TurnLimits {
            requests: self.max_requests.unwrap_or(chat.max_turns.get()),
            cost: self.max_cost,
            tokens: self.max_tokens,
        };
        AskOptions { limits, parallel: PARALLEL, max_tokens: None, thinking: ThinkingWish::Default }
    }
}

/// A chat that can begin.
pub struct OpenChat {
    pub(crate) agent: Agent,
    pub(crate) sub_agents: Arc<SubAgents>,
    pub(crate) tools: Arc<HubTools>,
    pub(crate) sampling: Arc<Sampling>,
    pub(crate) models: ModelDirectory,
    store: Arc<dyn Store>,
    system: String,
    hooks: Arc<CommandHooks>,
    memory: ChatMemory,
    /// Whether the hooks know that the chat has begun.
    announced: bool,
    /// What the model was not told yet, because the turn came to nothing.
    untold: Vec<String>,
}

impl OpenChat {
    /// Opens the store and the model, and reads the conversation.
    pub async fn open(
        hub: &Hub,
        terminal: &Arc<Terminal>,
        places: &Places,
        options: ChatOptions,
    ) -> anyhow::Result<Self> {
        let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
        let models = open_models(&settings)?;
        let model = resolve(&models, options.model.as_deref(), &settings)?;
        let chat = &settings.chat;
        let sampling_rules = options.sampling_rules(chat)?;
        let surroundings = ChatSurroundings {
            project: &places.project,
            settings: &places.config_dir,
            today: Zoned::now().date().to_string(),
            files: chat.project_instructions,
            added: options.instructions.as_deref(),
        };
        let store = open_store(places, &settings.limits)?;
        let system = surroundings.system_prompt();
        let sessions = ChatSessions { store: &store, places, system: &system };
        let conversation = sessions.choose(&options.session).await?;
        let scanner = conversation_scanner(&settings);
        let hooks = Arc::new(CommandHooks {
            commands: chat.hooks.clone(),
            project: places.project.clone(),
            session: Mutex::new(name_of(&conversation)),
        });
        let agent_options = options.ask_options(chat);
        let spent = SharedTotals::default();
        let person = Arc::clone(terminal);
        let sampling = Sampling::new(person, model.clone(), sampling_rules, spent.clone());
        let sampling = Arc::new(sampling);
        let tools = open_tools(hub, terminal, &sampling, options.rules, &model);
        let sub_agents = Arc::new(SubAgents::new(
            Arc::clone(&tools) as Arc<dyn AgentTools>,
            SubAgentOptions {
                model: model.clone(),
                options: agent_options.clone(),
                hooks: Arc::clone(&hooks) as Arc<dyn AgentHooks>,
                scanner,
                surroundings: surroundings.facts(),
                spent: spent.clone(),
            },
        ));
        let agent = Agent::new(AgentParts {
            conversation,
            model,
            tools: Arc::clone(&sub_agents) as Arc<dyn AgentTools>,
            hooks: Arc::clone(&hooks) as Arc<dyn AgentHooks>,
            scanner,
            options: agent_options,
            spent,
        });
        let (memory, announced, untold) = (chat.memory, false, Vec::new());
        Ok(Self {
            agent,
            sub_agents,
            tools,
            sampling,
            models,
            store,
            system,
            hooks,
            memory,
            announced,
            untold,
        })
    }

    /// What goes to the model of a question, with what it should know besides; or why nothing does.
    pub(super) async fn prepared(
        &mut self,
        question: String,
        view: &Arc<dyn AgentView>,
    ) -> Result<String, String> {
        let mut asked = self.hooked(question).await?;
        if let Some(memories) = self.memories(&asked).await {
            view.show(&AgentEvent::ContextAdded(memories.clone()));
            asked = format!("{asked}\n\n{memories}");
        }
        if let Some(news) = self.tools.news().await {
            self.untold.push(news);
        }
        let old = self.untold.len().saturating_sub(MAX_UNTOLD);
        self.untold.drain(..old);
        for told in &self.untold {
            view.show(&AgentEvent::ContextAdded(told.clone()));
            asked = format!("{asked}\n\n{told}");
        }
        Ok(asked)
    }

    /// What is remembered about the first question of a conversation, if the settings offer it.
    async fn memories(&self, question: &str) -> Option<String> {
        let asked_before = |node: &TreeNode| match &node.content {
            NodeContent::Text { role, .. } => role == "user",
            _ => false,
        };
        match self.memory {
            ChatMemory::Off => None,
            ChatMemory::Offer if self.agent.conversation().path().iter().any(asked_before) => None,
            ChatMemory::Offer => offered_memories(self.tools.client(), question).await,
        }
    }

    /// The model was told what it was not told before.
    pub(super) fn told(&mut self) {
        self.untold.clear();
    }

    async fn hooked(&mut self, mut question: String) -> Result<String, String> {
        let begins = !std::mem::replace(&mut self.announced, true);
        let start = if begins { self.hooks.session_start().await } else { HookVerdict::default() };
        let asked = self.hooks.question(&question).await;
        for HookVerdict { block, add } in [start, asked] {
            if let Some(why) = block {
                return Err(why);
            }
            if let Some(added) = add {
                question = format!("{question}\n\n[From a hook of the person] {added}");
            }
        }
        Ok(question)
    }

    /// Lets another model answer from now on.
    pub(super) fn set_model(&mut self, model: ResolvedModel) {
        self.sub_agents.set_model(model.clone());
        self.sampling.set_model(model.clone());
        self.agent.set_model(model);
    }

    /// Goes on with another conversation; the hooks hear its name from now on.
    pub(super) fn set_conversation(&mut self, conversation: Conversation) {
        self.hooks.set_session(name_of(&conversation));
        self.agent.set_conversation(conversation);
    }

    /// Ends what runs in the background, and tells the hooks.
    pub(super) async fn end(&self) {
        self.sub_agents.shut_down().await;
        if self.announced {
            self.hooks.session_end().await;
        }
    }

    /// The conversations of the person.
    pub(super) fn sessions<'a>(&'a self, places: &'a Places) -> ChatSessions<'a> {
        ChatSessions { store: &self.store, places, system: &self.system }
    }
}

/// The tools of the hub, as many at once as this model has room for.
fn open_tools(
    hub: &Hub,
    terminal: &Arc<Terminal>,
    sampling: &Arc<Sampling>,
    rules: ChatRules,
    model: &ResolvedModel,
) -> Arc<HubTools> {
    let budget = context_tokens(&model.model) / TOOLS_SHARE;
    Arc::new(HubTools::new(HubToolsParts {
        client: hub.client().clone(),
        updated: hub.updated_resources().clone(),
        terminal: Arc::clone(terminal),
        sampling: Arc::clone(sampling),
        rules,
        budget: usize::try_from(budget).unwrap_or(usize::MAX),
    }))
}

fn name_of(conversation: &Conversation) -> String {
    conversation.session().map(|it| it.name.to_string()).unwrap_or_default()
}

/// Who answers, by the name on the command line or in the settings.
fn resolve(
    models: &ModelDirectory,
    wanted: Option<&str>,
    settings: &Settings,
) -> Result<ResolvedModel, Ended> {
    if models.is_empty() {
        return Err(Ended::new(
            Code::Failed,
            "no model can be asked: add a provider to config.toml (`hobnob edit`), such as\n\
             [providers.anthropic]\ndialect = \"anthropic\"\n\
             key = { variable = \"ANTHROPIC_API_KEY\" }",
        ));
    }
    let usual = settings.chat.model.as_deref().or(settings.models.default.as_deref());
    let Some(name) = wanted.or(usual) else {
        return Err(Ended::usage(
            "no model is named: pass --model, or set `default` of [models] in config.toml",
        ));
    };
    models.resolve(name).map_err(|error| Ended::usage(format!("model {name}: {error}")))
}

/// The conversations of the person.
pub(super) struct ChatSessions<'a> {
    store: &'a Arc<dyn Store>,
    places: &'a Places,
    system: &'a str,
}

impl ChatSessions<'_> {
    /// Opens or begins the conversation that is meant.
    pub(super) async fn choose(&self, choice: &SessionChoice) -> anyhow::Result<Conversation> {
        match choice {
            SessionChoice::New => self.begin(&fresh_name()).await,
            SessionChoice::Last => match self.of_project().await?.into_iter().next() {
                Some(last) => Ok(self.open(last.name).await?),
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
    pub(super) async fn of_project(&self) -> anyhow::Result<Vec<ModelSession>> {
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
