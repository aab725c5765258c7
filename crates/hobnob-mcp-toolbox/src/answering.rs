//! The toolbox: kits come and go at run time, and each call sees one consistent inventory.
//!
//! Servers and the gateway own one. It publishes changes outside its lock.

use crate::call_tool::{ArgumentErrors, call_tool};
use crate::completion::{Completable, CompletionRequest, completion_outcome};
use crate::context::CallParts;
use crate::error::KitError;
use crate::inventory::{Inventory, OnSameName};
use crate::kit::Kit;
use crate::kit_builder::IntoKit;
use crate::listing::ToolboxLists;
use crate::offer::Offered;
use crate::paged_list::{Listed, PagedList};
use crate::prompt::prompt_outcome;
use crate::resource::read_outcome;
use hobnob_mcp_engine::{
    Answer, BoxFuture, Call, CallError, Change, ChangeHub, ClientId, Notes, Offer, Outcome,
    Service, Subscriber,
};
use hobnob_mcp_tasks::Tasks;
use hobnob_mcp_types::cache::CacheHint;
use hobnob_mcp_types::completion::{CompleteParams, CompletionReference};
use hobnob_mcp_types::entries::Entries;
use hobnob_mcp_types::{Method, Params};
use parking_lot::RwLock;
use std::sync::Arc;

/// Answers calls with the tools, resources and prompts of its kits.
pub struct Toolbox {
    inventory: RwLock<Arc<Inventory>>,
    offered: Offered,
    hub: ChangeHub,
    tasks: Tasks,
    instructions: Option<String>,
    settings: AnswerSettings,
}

/// How to answer; set before the first call.
struct AnswerSettings {
    page: usize,
    list_cache: CacheHint,
    read_cache: CacheHint,
    argument_errors: ArgumentErrors,
}

impl Toolbox {
    /// An empty toolbox. It publishes its changes on `hub` and starts tasks in `tasks`.
    pub fn new(hub: ChangeHub, tasks: Tasks) -> Self {
        Self {
            inventory: RwLock::new(Arc::new(Inventory::empty())),
            offered: Offered::default(),
            hub,
            tasks,
            instructions: None,
            settings: AnswerSettings {
                page: hobnob_mcp_engine::Limits::default().page,
                list_cache: CacheHint::NONE,
                read_cache: CacheHint::NONE,
                argument_errors: ArgumentErrors::ByRevision,
            },
        }
    }

    /// Sets how many items a page of a list may have. Pages also end when they get too large.
    #[must_use]
    pub fn with_page(mut self, page: usize) -> Self {
        self.settings.page = page;
        self
    }

    /// Sets a text that tells a model how to use the toolbox.
    #[must_use]
    pub fn with_instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Sets how long clients may cache the lists.
    #[must_use]
    pub fn with_list_cache(mut self, hint: CacheHint) -> Self {
        self.settings.list_cache = hint;
        self
    }

    /// Sets how long clients may cache the contents of resources.
    #[must_use]
    pub fn with_read_cache(mut self, hint: CacheHint) -> Self {
        self.settings.read_cache = hint;
        self
    }

    /// Sets how calls end whose arguments do not match their tool's schema.
    #[must_use]
    pub fn with_argument_errors(mut self, errors: ArgumentErrors) -> Self {
        self.settings.argument_errors = errors;
        self
    }

    /// Declares the resources capability even if there are no resources yet.
    #[must_use]
    pub fn offer_resources(self) -> Self {
        self.offered.offer_resources();
        self
    }

    /// Declares the prompts capability even if there are no prompts yet.
    #[must_use]
    pub fn offer_prompts(self) -> Self {
        self.offered.offer_prompts();
        self
    }

    /// Adds a kit, or changes nothing if one of its names is taken.
    pub fn add(&self, kit: impl IntoKit) -> Result<(), KitError> {
        let kit = kit.into_kit()?;
        self.change(|inventory| inventory.with(kit, OnSameName::Refuse)).map(drop)
    }

    /// Adds each valid kit, and reports the mistakes of all others at once.
    pub fn add_all(
        &self,
        kits: impl IntoIterator<Item = Result<Kit, KitError>>,
    ) -> Result<(), KitError> {
        let mut problems = Vec::new();
        for kit in kits {
            let added = kit.and_then(|kit| self.add(kit));
            problems.extend(added.err().into_iter().flat_map(KitError::into_problems));
        }
        KitError::unless_none(problems, ())
    }

    /// Adds a kit, in place of a kit of the same name if there is one.
    pub fn replace(&self, kit: impl IntoKit) -> Result<(), KitError> {
        let kit = kit.into_kit()?;
        self.change(|inventory| inventory.with(kit, OnSameName::Replace)).map(drop)
    }

    /// Removes a kit; `false` if there was none of this name. Calls in flight go on.
    pub fn remove(&self, kit: &str) -> bool {
        self.change(|inventory| inventory.without(kit).ok_or(())).is_ok()
    }

    /// Notifies subscribers that the contents of a resource have changed.
    pub fn notify_resource_updated(&self, uri: &str) {
        self.hub.publish(&Change::Resource(uri.into()));
    }

    /// Notifies listeners that the list of tools has changed, for reasons beside the kits.
    pub fn notify_tools_changed(&self) {
        self.hub.publish(&Change::Tools);
    }

    /// Notifies listeners that the list of prompts has changed.
    pub fn notify_prompts_changed(&self) {
        self.hub.publish(&Change::Prompts);
    }

    /// Notifies listeners that the lists of resources and templates have changed.
    pub fn notify_resources_changed(&self) {
        self.hub.publish(&Change::Resources);
    }

    /// The lists as they are now; later changes of the kits do not show in them.
    pub fn lists(&self) -> ToolboxLists {
        ToolboxLists(self.inventory())
    }

    fn inventory(&self) -> Arc<Inventory> {
        Arc::clone(&self.inventory.read())
    }

    fn change<E>(&self, make: impl FnOnce(&Inventory) -> Result<Inventory, E>) -> Result<(), E> {
        let changes = {
            let mut place = self.inventory.write();
            let next = make(&place)?;
            let changes = place.changes(&next);
            self.offered.record(&next);
            *place = Arc::new(next);
            changes
        };
        // Outside the lock: a listener may call the toolbox.
        changes.iter().for_each(|change| self.hub.publish(change));
        Ok(())
    }
}

/// The answer to one call, from the kits as they were when it came.
struct Answering<'a> {
    inventory: Arc<Inventory>,
    offered: &'a Offered,
    tasks: &'a Tasks,
    settings: &'a AnswerSettings,
}

impl Answering<'_> {
    async fn answer(self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let inventory = &*self.inventory;
        let method = call.method;
        let offered = |yes: bool| if yes { Ok(()) } else { Err(CallError::Method(method)) };
        match method {
            Method::ToolsCall => {
                let parts = (self.tasks, self.settings.argument_errors);
                call_tool(inventory, parts, call, notes).await
            }
            Method::ToolsList => self.list(&inventory.tools, &call.params),
            Method::PromptsList => {
                offered(self.offered.has_prompts())?;
                self.list(&inventory.prompts, &call.params)
            }
            Method::ResourcesList => {
                offered(self.offered.has_resources())?;
                self.list(&inventory.resources, &call.params)
            }
            Method::ResourcesTemplatesList => {
                offered(self.offered.has_resources())?;
                self.list(&inventory.templates, &call.params)
            }
            Method::ResourcesRead => {
                offered(self.offered.has_resources())?;
                self.read(call, notes).await
            }
            Method::PromptsGet => {
                offered(self.offered.has_prompts())?;
                get_prompt(inventory, call, notes).await
            }
            Method::Complete => {
                offered(!inventory.completions.is_empty())?;
                complete(inventory, call, notes).await
            }
            other => Err(CallError::Method(other)),
        }
    }

    fn list<T: Listed>(&self, list: &PagedList<T>, params: &Params) -> Result<Outcome, CallError> {
        // Some clients write `null` for a member that they mean to leave out.
        let given = params.get("cursor").filter(|text| *text != "null");
        let cursor = given.map(|_| params.string("cursor")).transpose()?;
        let body = list.page(cursor.as_deref(), self.settings.page)?;
        let floor = hobnob_mcp_types::Revision::V2024_11_05;
        let cache = Some(self.settings.list_cache.clone());
        Ok(Outcome::Complete(Answer { body, meta: None, cache, floor }))
    }

    async fn read(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let Call { params, caller, answers, .. } = call;
        let uri = params.string("uri")?;
        // Spec 2026-07-28, caching: a result that depends on answers is for its caller only.
        let cached = &self.settings.read_cache;
        let hint = if answers.is_empty() { cached.clone() } else { CacheHint::NONE };
        let parts = CallParts::new(Arc::from(&*uri), caller, answers, notes);
        let (polls, work) = match self.inventory.resources.get(&uri) {
            Some(resource) => (&resource.polls, resource.run(parts)),
            None => match self.inventory.matching(&uri) {
                Some((template, variables)) => (&template.polls, template.run(variables, parts)?),
                None => return Err(CallError::Resource((*uri).into())),
            },
        };
        Ok(match read_outcome(polls.watch(&uri, work).await, &uri)? {
            Outcome::Complete(answer) => Outcome::Complete(answer.cached(hint)),
            other => other,
        })
    }
}

async fn get_prompt(inventory: &Inventory, call: Call, notes: Notes) -> Result<Outcome, CallError> {
    let Call { params, caller, answers, .. } = call;
    let name = params.string("name")?;
    let unknown = || CallError::params(format!("Unknown prompt: {name}"));
    let prompt = inventory.prompts.get(&name).ok_or_else(unknown)?;
    let arguments: Entries<String> = match params.get("arguments") {
        None | Some("null") => Entries::new(),
        Some(text) => serde_json::from_str(text)
            .map_err(|error| CallError::params(format!("`params.arguments`: {error}")))?,
    };
    let parts = CallParts::new(Arc::clone(&prompt.name), caller, answers, notes);
    let work = prompt.run(arguments, parts)?;
    prompt_outcome(prompt.polls.watch(&prompt.name, work).await)
}

async fn complete(inventory: &Inventory, call: Call, notes: Notes) -> Result<Outcome, CallError> {
    let CompleteParams { reference, argument, context: given, .. } = call.params.decode()?;
    let (known, target) = match reference {
        CompletionReference::Prompt(prompt) => {
            let known = inventory.prompts.get(&prompt.name).is_some();
            (known, Completable::Prompt(prompt.name.into()))
        }
        CompletionReference::Resource(resource) => {
            let known = inventory.templates.get(&resource.uri).is_some()
                || inventory.resources.get(&resource.uri).is_some();
            (known, Completable::Template(resource.uri.into()))
        }
        CompletionReference::Unknown(_) => {
            return Err(CallError::params("`params.ref.type` is not known"));
        }
    };
    let (Completable::Prompt(name) | Completable::Template(name)) = &target;
    if !known {
        let message = format!("there is no prompt or template `{name}` to complete");
        return Err(CallError::params(message));
    }
    let values = match inventory.completions.get(&(target.clone(), argument.name.as_str().into())) {
        Some(run) => {
            let parts = CallParts::new(Arc::from(&**name), call.caller, call.answers, notes);
            let arguments = given.map(|given| given.arguments).unwrap_or_default();
            let request = CompletionRequest { value: argument.value, arguments };
            run(request, parts).await.map_err(crate::ToolError::into_call_error)?
        }
        None => Vec::new(),
    };
    completion_outcome(values)
}

impl Service for Toolbox {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        let Self { offered, tasks, settings, .. } = self;
        let inventory = self.inventory();
        Box::pin(Answering { inventory, offered, tasks, settings }.answer(call, notes))
    }

    fn offer(&self) -> Offer {
        let capabilities = self.offered.capabilities(&self.inventory());
        Offer { capabilities, instructions: self.instructions.clone() }
    }

    fn may_subscribe(&self, subscriber: Subscriber<'_>, uri: &str) -> bool {
        self.inventory().may_subscribe(subscriber, uri)
    }

    fn client_gone(&self, client: ClientId) {
        self.inventory().client_gone(client);
    }
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inventory = self.inventory();
        let tools: Vec<&str> = inventory.tools.iter().map(|(name, _)| name).collect();
        f.debug_struct("Toolbox").field("tools", &tools).finish_non_exhaustive()
    }
}
