//! Opens a chat: the model, the conversation, the tools.
//!
//! What must stay true: nothing is sent to a model before the first question.

use super::chat_rules::ChatRules;
use super::chat_sessions::{ChatSessions, SessionChoice, questions_in};
use super::chosen_model::ChosenModel;
use super::command_hooks::CommandHooks;
use super::hub_tools::{HubTools, HubToolsParts};
use super::instructions::ChatSurroundings;
use super::memory_offer::offered_memories;
use super::sampling::{Sampling, SamplingRules};
use hobnob_agent::{
    Agent, AgentEvent, AgentHooks, AgentParts, AgentTools, AgentView, AskOptions, Conversation,
    HookVerdict, MAX_REPEATS, SharedTotals, SubAgents, TurnLimits, context_tokens,
};
use hobnob_config::{ChatMemory, ChatTable, Places, Settings};
use hobnob_hub::services::conversation_scanner;
use hobnob_hub::store::open_store;
use hobnob_llm::{ModelCost, ModelDirectory, ResolvedModel, ThinkingWish};
use hobnob_store::Store;
use hobnob_terminal::ended::Ended;
use hobnob_terminal::hub::Hub;
use hobnob_terminal::render;
use hobnob_terminal::terminal::Terminal;
use jiff::Zoned;
use parking_lot::Mutex;
use std::sync::Arc;

/// Most pieces of news that wait for a turn that the history keeps.
const MAX_PENDING_NEWS: usize = 3;
/// Most calls of one answer that run at the same time.
const MAX_PARALLEL_CALLS: usize = 8;
/// Definitions of tools may take the model's context divided by this.
const TOOLS_DIVISOR: u64 = 10;

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
    /// Instructions for the model besides our own.
    pub instructions: Option<String>,
    /// Whether a person may be asked to set up a model.
    pub sets_up: bool,
}

impl ChatOptions {
    /// Which servers may use the model, and how much of it.
    fn sampling_rules(&self, chat: &ChatTable) -> Result<SamplingRules, Ended> {
        SamplingRules::new(chat.sampling_tokens, &chat.sampling_servers, &self.allow_sampling)
    }

    fn ask_options(&self, chat: &ChatTable) -> AskOptions {
        let limits = TurnLimits {
            requests: self.max_requests.unwrap_or(chat.max_turns.get()),
            repeats: Some(MAX_REPEATS),
            cost: self.max_cost,
            tokens: self.max_tokens,
        };
        AskOptions {
            limits,
            parallel: MAX_PARALLEL_CALLS,
            max_tokens: None,
            thinking: ThinkingWish::Default,
        }
    }
}

/// A chat that is ready for its first question.
pub struct OpenChat {
    pub(crate) agent: Agent,
    pub(crate) sub_agents: Arc<SubAgents>,
    pub(crate) tools: Arc<HubTools>,
    pub(crate) sampling: Arc<Sampling>,
    pub(crate) models: ModelDirectory,
    /// How the model was found, if no settings name it.
    pub(crate) found: Option<String>,
    store: Arc<dyn Store>,
    system: String,
    hooks: Arc<CommandHooks>,
    memory: ChatMemory,
    /// Whether the `session_start` hook has run.
    session_started: bool,
    /// News that the model has not seen yet, because the turn with it was not kept.
    pending_news: Vec<String>,
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
        let sets_up = options.sets_up && terminal.is_attended();
        let keyboard = sets_up.then_some(&terminal.keyboard);
        let wanted = options.model.as_deref();
        let chosen = ChosenModel::choose(places, &settings, wanted, keyboard).await?;
        let ChosenModel { models, model, found } = chosen;
        let chat = &settings.chat;
        let sampling_rules = options.sampling_rules(chat)?;
        let surroundings = ChatSurroundings {
            project: &places.project,
            settings: &places.config_dir,
            today: Zoned::now().date().to_string(),
            reads_files: chat.project_instructions,
            added: options.instructions.as_deref(),
        };
        let (store, system) = (open_store(places, &settings.limits)?, surroundings.system_prompt());
        let sessions = ChatSessions { store: &store, places, system: &system };
        let conversation = sessions.choose(&options.session).await?;
        let hooks = Arc::new(CommandHooks {
            commands: chat.hooks.clone(),
            project: places.project.clone(),
            session: Mutex::new(name_of(&conversation)),
        });
        let (ask_options, spent) = (options.ask_options(chat), SharedTotals::default());
        let sampling =
            Sampling::new(Arc::clone(terminal), model.clone(), sampling_rules, spent.clone());
        let sampling = Arc::new(sampling);
        let tools = open_tools(hub, terminal, &sampling, options.rules, &model, places);
        let parts = AgentParts {
            model,
            hooks: Arc::clone(&hooks) as Arc<dyn AgentHooks>,
            scanner: conversation_scanner(&settings),
            options: ask_options,
            spent,
        };
        let own_tools = Arc::clone(&tools) as Arc<dyn AgentTools>;
        let sub_agents = SubAgents::new(own_tools, parts.clone(), &surroundings.facts());
        let sub_agents = Arc::new(sub_agents);
        let all_tools = Arc::clone(&sub_agents) as Arc<dyn AgentTools>;
        let agent = Agent::new(conversation, all_tools, parts);
        Ok(Self {
            agent,
            sub_agents,
            tools,
            sampling,
            models,
            found,
            store,
            system,
            hooks,
            memory: chat.memory,
            session_started: false,
            pending_news: Vec::new(),
        })
    }

    /// Adds to a question what hooks, memory and watches contribute; or says why a hook blocks it.
    pub(super) async fn prepare(
        &mut self,
        question: String,
        view: &Arc<dyn AgentView>,
    ) -> Result<String, String> {
        let mut asked = self.run_hooks(question).await?;
        if let Some(memories) = self.memories(&asked).await {
            view.show(&AgentEvent::ContextAdded(memories.clone()));
            asked = format!("{asked}\n\n{memories}");
        }
        if let Some(news) = self.tools.news().await {
            self.pending_news.push(news);
        }
        let old = self.pending_news.len().saturating_sub(MAX_PENDING_NEWS);
        self.pending_news.drain(..old);
        for news in &self.pending_news {
            view.show(&AgentEvent::ContextAdded(news.clone()));
            asked = format!("{asked}\n\n{news}");
        }
        Ok(asked)
    }

    /// Memories about the first question of a conversation, if the settings offer them.
    async fn memories(&self, question: &str) -> Option<String> {
        match self.memory {
            ChatMemory::Off => None,
            ChatMemory::Offer if !questions_in(self.agent.conversation().path()).is_empty() => None,
            ChatMemory::Offer => offered_memories(self.tools.client(), question).await,
        }
    }

    /// Warns the person if the list of tools failed, so that the model may have lacked some.
    pub(super) fn warn_of_tools(&self) {
        if let Some(why) = self.tools.take_list_failure() {
            render::warn(&format!("the tools could not be listed: {why}"));
        }
    }

    /// Forgets the news, once the history has kept a turn with it.
    pub(super) fn clear_news(&mut self) {
        self.pending_news.clear();
    }

    async fn run_hooks(&mut self, mut question: String) -> Result<String, String> {
        let begins = !std::mem::replace(&mut self.session_started, true);
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

    /// Goes on with another conversation; the hooks get its name from now on.
    pub(super) fn set_conversation(&mut self, conversation: Conversation) {
        self.hooks.set_session(name_of(&conversation));
        self.agent.set_conversation(conversation);
    }

    /// Stops sub-agents in the background, and runs the `session_end` hook.
    pub(super) async fn end(&self) {
        self.sub_agents.shut_down().await;
        if self.session_started {
            self.hooks.session_end().await;
        }
    }

    /// The conversations of the person.
    pub(super) fn sessions<'a>(&'a self, places: &'a Places) -> ChatSessions<'a> {
        ChatSessions { store: &self.store, places, system: &self.system }
    }
}

/// The tools of the hub, with a token budget that suits the model's context.
fn open_tools(
    hub: &Hub,
    terminal: &Arc<Terminal>,
    sampling: &Arc<Sampling>,
    rules: ChatRules,
    model: &ResolvedModel,
    places: &Places,
) -> Arc<HubTools> {
    let budget = context_tokens(&model.model) / TOOLS_DIVISOR;
    Arc::new(HubTools::new(HubToolsParts {
        client: hub.client().clone(),
        updated: hub.events.updated.clone(),
        terminal: Arc::clone(terminal),
        sampling: Arc::clone(sampling),
        rules,
        project: places.project.clone(),
        budget: usize::try_from(budget).unwrap_or(usize::MAX),
    }))
}

fn name_of(conversation: &Conversation) -> String {
    conversation.session().map(|it| it.name.to_string()).unwrap_or_default()
}
