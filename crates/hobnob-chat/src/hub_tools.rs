//! The tools of the hub, as the agent loop calls them.
//!
//! They are listed again for every request, so the model sees a changed list at once.

use super::call_host::{Agreement, CallHost, HostedCall};
use super::catalogue::{FIND_TOOL, FoundTools, ToolCatalogue};
use super::chat_rules::{ChatRules, ChatVerdict};
use super::project_paths::with_absolute_paths;
use super::sampling::Sampling;
use super::server_notes::{SHOWN_LEVEL, ServerNotes};
use super::watched_resources::WatchedResources;
use futures_util::future::BoxFuture;
use hobnob_agent::{AgentTools, CallScope, EffectiveCall, ToolReport, read_images, read_result};
use hobnob_llm::{ModelTool, ToolOutcome};
use hobnob_mcp_client::{Client, ForwardOptions, ListKind};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::object;
use hobnob_terminal::hub::{UpdatedResources, failed, listing_failed};
use hobnob_terminal::terminal::Terminal;
use parking_lot::{Mutex, MutexGuard};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// Calls tools of the hub on behalf of the person at the terminal.
pub(crate) struct HubTools {
    client: Client,
    terminal: Arc<Terminal>,
    sampling: Arc<Sampling>,
    watched: WatchedResources,
    rules: Mutex<ChatRules>,
    /// The base of relative paths in arguments.
    project: PathBuf,
    /// The most tokens that all definitions together may have.
    budget: usize,
    catalogue: Mutex<Arc<ToolCatalogue>>,
    found: Mutex<FoundTools>,
    /// Why the last list failed, until `take_list_failure` hands it to the person.
    list_failure: Mutex<Option<String>>,
}

/// The parts from which `HubTools::new` makes the tools.
pub(crate) struct HubToolsParts {
    /// The client for lists; each call has its own host for what servers ask.
    pub(crate) client: Client,
    /// Where the connection notes changes of what the model watches.
    pub(crate) updated: UpdatedResources,
    pub(crate) terminal: Arc<Terminal>,
    pub(crate) sampling: Arc<Sampling>,
    pub(crate) rules: ChatRules,
    pub(crate) project: PathBuf,
    /// The most tokens that all definitions together may have.
    pub(crate) budget: usize,
}

impl HubTools {
    pub(crate) fn new(parts: HubToolsParts) -> Self {
        let HubToolsParts { client, updated, terminal, sampling, rules, project, budget } = parts;
        let watched = WatchedResources::new(client.clone(), updated);
        let (rules, catalogue, found) = (Mutex::new(rules), Mutex::default(), Mutex::default());
        let list_failure = Mutex::default();
        Self {
            client,
            terminal,
            sampling,
            watched,
            rules,
            project,
            budget,
            catalogue,
            found,
            list_failure,
        }
    }

    /// The person's rules for tools.
    pub(crate) fn rules(&self) -> MutexGuard<'_, ChatRules> {
        self.rules.lock()
    }

    /// The client that acts for the person.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// The number of tools in the catalogue, and the estimated tokens of their definitions.
    pub(crate) fn size(&self) -> (usize, usize) {
        let catalogue = self.catalogue();
        (catalogue.len(), catalogue.tokens())
    }

    /// Changes of what the model watches, in words for the model.
    pub(super) async fn news(&self) -> Option<String> {
        self.watched.news().await
    }

    /// Takes the reason why the last list failed, so that the person sees it once.
    pub(super) fn take_list_failure(&self) -> Option<String> {
        self.list_failure.lock().take()
    }

    fn catalogue(&self) -> Arc<ToolCatalogue> {
        Arc::clone(&self.catalogue.lock())
    }

    /// A client whose host answers for one call.
    fn client_for(&self, agreement: Agreement, hosted: HostedCall) -> Client {
        let host = CallHost {
            terminal: Arc::clone(&self.terminal),
            sampling: Arc::clone(&self.sampling),
            agreement,
            hosted,
        };
        let client = Client::new(Arc::clone(self.client.remote()), Arc::new(host));
        client.with_log_level(SHOWN_LEVEL)
    }

    async fn list(&self) -> Vec<ModelTool> {
        match self.client.list_text(ListKind::Tools).await {
            Ok(definitions) => {
                let read = Arc::new(ToolCatalogue::read(&definitions));
                *self.catalogue.lock() = read;
            }
            // The model still gets the previous list; a call reports what is wrong.
            Err(error) => {
                let why = listing_failed(&error).to_string();
                *self.list_failure.lock() = Some(why);
            }
        }
        let rules = self.rules().clone();
        let found = self.found.lock();
        self.catalogue().offered(self.budget, &found, |tool| rules.offers(tool))
    }

    /// Calls the effective tool, which is the one that the rules decide about.
    async fn call_tool(&self, call: &EffectiveCall, scope: CallScope) -> ToolReport {
        let catalogue = self.catalogue();
        let (listed, tool) = (call.tool(), catalogue.by_listed_name(call.tool()));
        if tool.is_none() && *listed == *FIND_TOOL {
            let mut found = self.found.lock();
            return catalogue.find(call.arguments(), &mut found);
        }
        // A tool that is not listed may be held back or denied: the hub knows why.
        let reads_only = tool.is_some_and(|tool| tool.reads_only);
        let agreement = match self.rules().verdict(call, reads_only) {
            ChatVerdict::Ask => Agreement::Person,
            ChatVerdict::Agree => Agreement::Given,
            ChatVerdict::Refuse(why) => return ToolReport::failed(why),
        };
        let params = object(|params| {
            let arguments = with_absolute_paths(listed, call.arguments(), &self.project);
            params.string("name", listed).raw("arguments", &arguments);
        });
        let (not_lent, answer_time) =
            (Arc::<OnceLock<String>>::default(), Arc::<Mutex<_>>::default());
        let hosted = HostedCall {
            call: call.clone(),
            view: Arc::clone(&scope.view),
            not_lent: Arc::clone(&not_lent),
            answer_time: Arc::clone(&answer_time),
        };
        let (client, forward) = (self.client_for(agreement, hosted), ForwardOptions::default());
        let (events, notes) = ServerNotes::of_call(&call.as_tool_use().id);
        let calling = client.call_raw(Method::ToolsCall, params, &forward, &notes);
        let mut report = match events.show_during(&scope.view, calling).await {
            Ok(raw) => {
                let (mut text, is_error) = read_result(&raw);
                if !is_error
                    && let Some(more) = self.watched.note_call(listed, call.arguments(), &raw).await
                {
                    text = format!("{text}\n{more}");
                }
                let outcome = if is_error { ToolOutcome::Failed } else { ToolOutcome::Done };
                ToolReport { outcome, images: read_images(&raw), ..ToolReport::done(text) }
            }
            Err(error) => ToolReport::failed(failed(&error).to_string()),
        };
        if let Some(why) = not_lent.get().filter(|why| !report.text.contains(why.as_str())) {
            report.text = format!("{}\n[From Hobnob] {why}", report.text);
        }
        report.asked = *answer_time.lock();
        report
    }
}

impl AgentTools for HubTools {
    fn offered(&self) -> BoxFuture<'_, Vec<ModelTool>> {
        Box::pin(self.list())
    }

    fn listed_name(&self, name: &str) -> Box<str> {
        self.catalogue().get(name).map_or(name, |tool| &tool.listed_name).into()
    }

    fn call<'a>(&'a self, call: &'a EffectiveCall, scope: CallScope) -> BoxFuture<'a, ToolReport> {
        Box::pin(self.call_tool(call, scope))
    }
}
