//! Answers each method from its source: the snapshot, a built-in or an upstream.

use crate::calls::contents::permit_contents;
use crate::calls::forward::forward;
use crate::calls::record::CallRecord;
use crate::calls::terms::{arguments_of, check_terms, renamed, with_params};
use crate::catalog::{Catalogue, ListKind, PromptTarget, ResourceTarget};
use crate::dispatch::locate::{Located, Wanted};
use crate::dispatch::service::GatewayService;
use crate::dispatch::tool_search::ToolList;
use crate::permitted::{BuiltInRequest, UpstreamRequest};
use crate::question_origin::QuestionOrigin;
use crate::rewrite::{self, CompletionTarget};
use crate::upstream::configured::Unavailable;
use crate::uris::Prefix;
use crate::uris::{OF_ALL, RESULTS, STATUS};
use crate::view::notes::{built_in_notes, without_logs};
use crate::view::offer::offer;
use crate::view::snapshot::Snapshot;
use hobnob_mcp_client::Forwarded;
use hobnob_mcp_engine::{
    Answer, BoxFuture, Call, CallError, ClientId, Notes, Offer, Outcome, Service, Subscriber,
};
use hobnob_mcp_types::cache::CacheHint;
use hobnob_mcp_types::{ErrorCode, Method, Params, Revision, RpcError};
use hobnob_policy::authorize;
use std::sync::Arc;

impl Service for GatewayService {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        let notes = if self.view.logs() { notes } else { without_logs(notes) };
        let method = call.method;
        let refused = || Box::pin(std::future::ready(Err(CallError::Method(method))));
        match method {
            Method::ToolsCall if self.view.uses_envelopes() => {
                Box::pin(self.call_in_envelope(self.direct(call), notes))
            }
            Method::ToolsCall if !self.result_form().is_usual() => {
                Box::pin(self.call_in_form(self.direct(call), notes))
            }
            Method::ToolsCall => Box::pin(self.call_tool(self.direct(call), notes)),
            Method::ToolsList => Box::pin(self.list(ListKind::Tools, call, notes)),
            Method::ResourcesRead => Box::pin(self.read(call, notes)),
            Method::ResourcesList | Method::ResourcesTemplatesList
                if !self.view.offers_resources() =>
            {
                refused()
            }
            Method::ResourcesList => Box::pin(self.list(ListKind::Resources, call, notes)),
            Method::ResourcesTemplatesList => Box::pin(self.list(ListKind::Templates, call, notes)),
            Method::PromptsList | Method::PromptsGet if !self.view.offers_prompts() => refused(),
            Method::PromptsList => Box::pin(self.list(ListKind::Prompts, call, notes)),
            Method::PromptsGet => Box::pin(self.prompt(call, notes)),
            Method::Complete if !self.view.offers_prompts() && !self.view.offers_resources() => {
                refused()
            }
            Method::Complete => Box::pin(self.complete(call, notes)),
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
        self.view.toolbox.client_gone(client);
        for upstream in self.view.snapshot().upstreams.values() {
            upstream.end_client(client);
        }
    }

    fn roots_changed(&self, client: ClientId) {
        for upstream in self.view.snapshot().upstreams.values() {
            upstream.tell_roots_changed(client);
        }
    }

    fn greet(&self, meta: Option<&str>) -> Result<Option<String>, RpcError> {
        self.context.identity.admit(meta).map_err(RpcError::invalid_request)
    }
}

impl GatewayService {
    async fn list(&self, kind: ListKind, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        // A hub in front of this one may by now be one of its upstreams: a loop.
        self.greet(call.params.get("_meta")).map_err(CallError::Other)?;
        self.context.catch_up(kind).await;
        self.context.first_starts.wait(&self.view, &notes).await;
        self.learn_by_login(&call.caller).await;
        let cursor = match call.params.get("cursor") {
            None | Some("null") => None,
            Some(_) => Some(call.params.string("cursor").map_err(CallError::Params)?),
        };
        let snapshot = self.view.snapshot();
        let (cursor, size) = (cursor.as_deref(), self.view.page().unwrap_or(self.context.page));
        let list = match (self.rights_filter(kind, &call.caller), kind) {
            (None, ListKind::Tools) => self.tool_list(&snapshot, &call),
            _ => ToolList::Whole,
        };
        let shows = self.list_filter(&snapshot, kind, &call.caller);
        let catalogue = &snapshot.catalogue;
        let usual = match list {
            ToolList::Usual => catalogue.everyday_page(cursor, size, shows.as_ref()),
            ToolList::Search => Some(catalogue.search_page(cursor, size)),
            ToolList::Whole => None,
        };
        let page = usual.unwrap_or_else(|| match shows {
            Some(shows) => catalogue.filtered_page(kind, cursor, size, shows),
            None => catalogue.page(kind, cursor, size),
        });
        let page = page.map_err(|bad| CallError::params(bad.to_string()))?;
        Ok(Outcome::Complete(Answer {
            body: page.body.to_string(),
            meta: None,
            cache: Some(CacheHint::NONE),
            floor: Revision::NEWEST,
        }))
    }

    async fn read(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let uri = params.string("uri").map_err(CallError::Params)?;
        // A caller that got a cut result can read its rest, even in a view without resources.
        if !self.view.offers_resources() && !uri.starts_with(RESULTS) {
            return Err(CallError::Method(Method::ResourcesRead));
        }
        if uri.strip_suffix(OF_ALL).unwrap_or(&uri) == STATUS {
            // Status reads are not recorded: they would fill the audit log.
            return self.read_status(&uri, &call.caller);
        }
        let look = |catalogue: &Catalogue| catalogue.resource(&uri).map(drop);
        let located = self.locate(Wanted::Address(&uri), look, &call.caller, &notes).await;
        let Located { snapshot, unavailable, .. } = located;
        let mut record = self.context.recorder.begin(&call, &uri);
        let done = match snapshot.catalogue.resource(&uri) {
            Some(ResourceTarget::Upstream { server, original }) => {
                // The record names the address only: that is where secrets get redacted.
                record.server = Some(server);
                let value = rewrite::quoted(original);
                let request = UpstreamRequest::contents(server, "uri", value, call);
                self.ask(&snapshot, request, &mut record, &notes).await
            }
            Some(ResourceTarget::BuiltIn) => {
                self.read_own(&snapshot, &uri, call, notes, &mut record).await
            }
            // A profile may leave it out of the list, and a template's resources are in none.
            None if self.view.toolbox.has_resource(&uri) => {
                self.ask_built_in(&snapshot, call, notes, &mut record).await
            }
            None => Err(match unavailable {
                Some(why) => upstream_error(why),
                None => CallError::Resource(uri.as_ref().into()),
            }),
        };
        record.call_ended(&done);
        done
    }

    async fn prompt(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let name = params.string("name").map_err(CallError::Params)?;
        let look = |catalogue: &Catalogue| catalogue.prompt(&name).cloned();
        let located = self.locate(Wanted::Prompt(&name), look, &call.caller, &notes).await;
        let Located { snapshot, found, unavailable } = located;
        let mut record = self.context.recorder.begin(&call, &name);
        let terms = snapshot.catalogue.prompt_terms(&name);
        let done = match (check_terms(terms, arguments_of(&call)), &found) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(PromptTarget::Upstream { server, original })) => {
                record.server = Some(server);
                record.original = Some(original);
                let value = rewrite::quoted(original);
                let request = UpstreamRequest::contents(server, "name", value, call);
                self.ask(&snapshot, request, &mut record, &notes).await
            }
            (Ok(()), Some(PromptTarget::BuiltIn(own))) => {
                let call = if **own == *name { call } else { renamed(&call, own)? };
                self.ask_built_in(&snapshot, call, notes, &mut record).await
            }
            (Ok(()), None) => Err(match unavailable {
                Some(why) => upstream_error(why),
                None => self.unknown_prompt(&snapshot, &name),
            }),
        };
        record.call_ended(&done);
        let mut outcome = done?;
        if let (Outcome::Complete(answer), Some(description)) =
            (&mut outcome, terms.and_then(|terms| terms.description.as_deref()))
        {
            // A prompt's result repeats its description.
            let body = std::mem::take(&mut answer.body);
            answer.body =
                rewrite::apply(body, |it| rewrite::with_string(it, "description", description));
        }
        Ok(outcome)
    }

    /// The error for an unknown prompt; a profile may set a code for it.
    fn unknown_prompt(&self, snapshot: &Snapshot, name: &str) -> CallError {
        let hint = self.hint(snapshot, ListKind::Prompts, name);
        let message = format!("Unknown prompt: {name}{hint}");
        let codes = self.view.profile.as_ref().map(|profile| profile.errors.codes);
        match codes.and_then(|codes| codes.prompt_not_found) {
            Some(code) => CallError::Other(RpcError::new(ErrorCode(code.into()), message)),
            None => CallError::params(message),
        }
    }

    async fn complete(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let mut record = self.context.recorder.silent(&call);
        let target = rewrite::completion_target(params.raw());
        let snapshot = self.snapshot_for(target.as_ref(), &call, &notes).await?;
        let found = match &target {
            Some(CompletionTarget::Prompt(name)) => match snapshot.catalogue.prompt(name) {
                Some(PromptTarget::Upstream { server, original }) => {
                    Some((server, original.to_string()))
                }
                Some(PromptTarget::BuiltIn(own)) => {
                    let text = rewrite::with_completion_target(params.raw(), own).into_owned();
                    let call = with_params(&call, text)?;
                    return self.ask_built_in(&snapshot, call, notes, &mut record).await;
                }
                None => {
                    let message = format!("there is no prompt or template `{name}` to complete");
                    return Err(CallError::params(message));
                }
            },
            Some(CompletionTarget::Resource(uri)) => match snapshot.catalogue.resource(uri) {
                Some(ResourceTarget::Upstream { server, original }) => {
                    Some((server, original.to_owned()))
                }
                _ => None,
            },
            None => None,
        };
        let Some((server, original)) = found else {
            return self.ask_built_in(&snapshot, call, notes, &mut record).await;
        };
        let known = snapshot.upstreams.get(server).and_then(|upstream| upstream.known().lists);
        if known.is_some_and(|lists| !lists.about.completes) {
            let nothing = "{\"completion\":{\"values\":[],\"hasMore\":false}}".to_owned();
            return Ok(Outcome::Complete(Answer {
                body: nothing,
                meta: None,
                cache: None,
                floor: Revision::V2024_11_05,
            }));
        }
        let text = rewrite::with_completion_target(params.raw(), &original).into_owned();
        let there = Params::from_json(text).map_err(CallError::Params)?;
        let reference = there.get("ref").unwrap_or("{}").to_owned();
        let request = UpstreamRequest::contents(server, "ref", reference, call);
        self.ask(&snapshot, request, &mut record, &notes).await
    }

    /// The snapshot to complete from, after the target's server was learned if need be.
    async fn snapshot_for(
        &self,
        target: Option<&CompletionTarget<'_>>,
        call: &Call,
        notes: &Notes,
    ) -> Result<Arc<Snapshot>, CallError> {
        let wanted = match target {
            Some(CompletionTarget::Prompt(name)) => Wanted::Prompt(name),
            Some(CompletionTarget::Resource(uri)) => Wanted::Address(uri),
            None => return Ok(self.view.snapshot()),
        };
        let look = |catalogue: &Catalogue| match target? {
            CompletionTarget::Prompt(name) => catalogue.prompt(name).map(drop),
            CompletionTarget::Resource(uri) => catalogue.resource(uri).map(drop),
        };
        let located = self.locate(wanted, look, &call.caller, notes).await;
        match (located.found, located.unavailable) {
            (None, Some(why)) => Err(upstream_error(why)),
            _ => Ok(located.snapshot),
        }
    }

    /// Has a built-in answer a request other than a tool call.
    pub(crate) async fn ask_built_in(
        &self,
        snapshot: &Snapshot,
        call: Call,
        notes: Notes,
        record: &mut CallRecord<'_>,
    ) -> Result<Outcome, CallError> {
        let request = self.contents_request(snapshot, call);
        let permit = authorize(&snapshot.rules, request).without_asking().map_err(|denied| {
            record.decided(denied.audit());
            CallError::params(denied.to_string())
        })?;
        record.decided(permit.audit());
        record.begins().await?;
        let done = self.view.toolbox.call(permit, built_in_notes(&self.view, notes)).await;
        done.map(QuestionOrigin::of_built_in)
    }

    /// The request as the rules see it. A read that a tool could do as well counts as a call of
    /// that tool, under its public name in this view, shown or not.
    fn contents_request(&self, snapshot: &Snapshot, call: Call) -> BuiltInRequest {
        let uri = match call.method {
            Method::ResourcesRead => call.params.string("uri").ok().map(|uri| uri.to_string()),
            _ => None,
        };
        let tool = uri.and_then(|uri| Some((self.view.toolbox.read_counts_as(&uri)?, uri)));
        match tool {
            None => BuiltInRequest::contents(call),
            Some((own, uri)) => {
                let public = snapshot.catalogue.name_of_built_in(&own).unwrap_or(&own);
                BuiltInRequest::read_as(public, &own, &uri, call)
            }
        }
    }

    /// Sends an upstream a request that is no tool call; makes addresses in its answer public.
    async fn ask(
        &self,
        snapshot: &Snapshot,
        request: UpstreamRequest,
        record: &mut CallRecord<'_>,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        let server = Arc::clone(request.server());
        let missing = || CallError::params(format!("unknown server `{server}`"));
        let upstream = snapshot.upstreams.get(&server).ok_or_else(missing)?;
        let permit = permit_contents(snapshot, request).map_err(|(denied, error)| {
            record.decided(denied.audit());
            error
        })?;
        record.decided(permit.audit());
        record.begins().await?;
        let call = permit.request().call();
        let done = forward(upstream, &permit, None, notes, &|| true).await;
        let outcome = match done.map_err(|error| error.error(&server, call))? {
            Forwarded::Outcome(outcome) => outcome,
            Forwarded::Task(task) => {
                let outcome = task.run(call, &call.answers, notes).await?;
                QuestionOrigin::server(&server).asks_in(outcome)
            }
        };
        let Outcome::Complete(mut answer) = outcome else { return Ok(outcome) };
        let prefix = Prefix::of(&server);
        let body = std::mem::take(&mut answer.body);
        answer.body = match call.method {
            Method::ResourcesRead => rewrite::apply(body, |it| rewrite::read_result(it, &prefix)),
            Method::PromptsGet => rewrite::apply(body, |it| rewrite::prompt_result(it, &prefix)),
            _ => body,
        };
        Ok(Outcome::Complete(answer))
    }
}

/// The protocol error for a server that cannot be used.
fn upstream_error(why: Unavailable) -> CallError {
    CallError::Other(RpcError::new(ErrorCode::UPSTREAM, why.0))
}
