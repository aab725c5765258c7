//! The service that answers one view's clients: each method from the part that knows how.
//!
//! `Gateway::open_view` makes one for each view; all of them share the parts.

use crate::calls::record::Recorder;
use crate::catalog::ListKind;
use crate::dispatch::call::ToolCaller;
use crate::dispatch::contents::Contents;
use crate::dispatch::guard::Guard;
use crate::dispatch::lists::ViewLists;
use crate::dispatch::locate::Locator;
use crate::dispatch::own::OwnResources;
use crate::dispatch::result_form::ResultForm;
use crate::dispatch::shown_tools::ShownTools;
use crate::dispatch::tool_search::{direct, is_call_tool};
use crate::identity::HubIdentity;
use crate::tool_vectors::ToolVectors;
use crate::view::notes::without_logs;
use crate::view::offer::offer;
use crate::view::{View, ViewId};
use crate::watch::poller::Poller;
use hobnob_mcp_engine::{
    BoxFuture, Call, CallError, ClientId, EndedSession, Notes, Offer, Outcome, Service, Subscriber,
};
use hobnob_mcp_types::{Method, RpcError};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

/// The parts that answer the requests of all views.
pub(crate) struct DispatchContext {
    pub(crate) identity: Arc<HubIdentity>,
    pub(crate) locator: Arc<Locator>,
    pub(crate) lists: ViewLists,
    pub(crate) tools: ToolCaller,
    pub(crate) contents: Contents,
    pub(crate) poller: Arc<Poller>,
    /// Set if an embedding model is installed.
    pub(crate) tool_vectors: OnceLock<Arc<ToolVectors>>,
}

impl DispatchContext {
    pub(crate) fn new(
        identity: Arc<HubIdentity>,
        recorder: Recorder,
        locator: Arc<Locator>,
        guard: Guard,
        own: OwnResources,
        page: NonZeroUsize,
    ) -> Self {
        let (poller, results) = (Arc::clone(&own.poller), Arc::clone(&own.results));
        Self {
            identity,
            lists: ViewLists::new(Arc::clone(&locator), page),
            tools: ToolCaller::new(recorder.clone(), Arc::clone(&locator), guard, results),
            contents: Contents { recorder, locator: Arc::clone(&locator), own },
            locator,
            poller,
            tool_vectors: OnceLock::new(),
        }
    }
}

/// The service that answers the clients of one view.
#[derive(Clone)]
pub struct GatewayService {
    pub(crate) context: Arc<DispatchContext>,
    pub(crate) view: Arc<View>,
}

impl Service for GatewayService {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        let Self { context, view } = self;
        let notes = if view.logs() { notes } else { without_logs(notes) };
        let method = call.method;
        let refused = || Box::pin(std::future::ready(Err(CallError::Method(method))));
        match method {
            Method::ToolsCall
                if view.uses_envelopes()
                    || !ResultForm::wished(view.profile.as_ref()).is_usual() =>
            {
                Box::pin(context.tools.call_in_form(view, direct(view, call), notes))
            }
            Method::ToolsCall => Box::pin(context.tools.call(view, direct(view, call), notes)),
            Method::ToolsList => Box::pin(self.list(ListKind::Tools, call, notes)),
            Method::ResourcesRead => Box::pin(context.contents.read(view, call, notes)),
            Method::ResourcesList | Method::ResourcesTemplatesList if !view.offers_resources() => {
                refused()
            }
            Method::ResourcesList => Box::pin(self.list(ListKind::Resources, call, notes)),
            Method::ResourcesTemplatesList => Box::pin(self.list(ListKind::Templates, call, notes)),
            Method::PromptsList | Method::PromptsGet if !view.offers_prompts() => refused(),
            Method::PromptsList => Box::pin(self.list(ListKind::Prompts, call, notes)),
            Method::PromptsGet => Box::pin(context.contents.prompt(view, call, notes)),
            Method::Complete if !view.offers_prompts() && !view.offers_resources() => refused(),
            Method::Complete => Box::pin(context.contents.complete(view, call, notes)),
            _ => refused(),
        }
    }

    fn offer(&self) -> Offer {
        offer(&self.view)
    }

    fn may_subscribe(&self, subscriber: Subscriber<'_>, uri: &str) -> bool {
        self.view.toolbox.may_subscribe(subscriber, uri)
    }

    fn client_gone(&self, client: ClientId) {
        self.context.poller.polls.end_client(client);
        self.context.tools.client_gone(client);
        self.view.toolbox.client_gone(client);
        for upstream in self.view.snapshot().upstreams.values() {
            upstream.connections.end_client(client);
        }
    }

    fn session_ended(&self, session: EndedSession) {
        if let Some(observer) = self.context.contents.recorder.observer() {
            observer.session_ended(&session);
        }
    }

    fn roots_changed(&self, client: ClientId) {
        for upstream in self.view.snapshot().upstreams.values() {
            upstream.connections.tell_roots_changed(client);
        }
    }

    fn greet(&self, meta: Option<&str>) -> Result<Option<String>, RpcError> {
        self.context.identity.admit(meta).map_err(RpcError::invalid_request)
    }
}

impl GatewayService {
    /// The view that it answers for, as `Gateway::replace_kit` expects it.
    pub fn view(&self) -> ViewId {
        self.view.id
    }

    /// The tools that this view shows now.
    pub fn shown_tools(&self) -> ShownTools {
        ShownTools(self.view.snapshot())
    }

    /// Whether this view calls the tool `call_tool` by this name.
    pub fn is_call_tool(&self, name: &str) -> bool {
        is_call_tool(&self.view, name)
    }

    async fn list(&self, kind: ListKind, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        // A hub in front of this one may by now be one of its upstreams: a loop.
        self.greet(call.params.get("_meta")).map_err(CallError::Other)?;
        self.context.lists.page(&self.view, kind, &call, &notes).await
    }
}

impl std::fmt::Debug for GatewayService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GatewayService({:?})", self.view)
    }
}
