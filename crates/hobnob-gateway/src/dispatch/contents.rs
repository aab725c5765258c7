//! Answers `resources/read`, `prompts/get` and `completion/complete`: finds the upstream or built-in,
//! asks it, and makes the addresses in its answer public.
//!
//! The router calls it. Each request to an upstream or a built-in goes through `permitted` with a
//! permit of that very request.

use crate::calls::contents::permit_contents;
use crate::calls::forward::forward;
use crate::calls::record::{CallRecord, Recorder};
use crate::calls::terms::{arguments_of, check_terms, renamed, with_params};
use crate::catalog::{Catalogue, ListKind, PromptTarget, ResourceTarget};
use crate::dispatch::locate::{Located, Locator, Wanted};
use crate::dispatch::own::OwnResources;
use crate::permitted::{BuiltInRequest, UpstreamRequest};
use crate::question_origin::QuestionOrigin;
use crate::rewrite::{self, CompletionTarget};
use crate::upstream::configured::Unavailable;
use crate::uris::{OF_ALL, PublicUris, RESULTS, STATUS, is_own};
use crate::view::View;
use crate::view::notes::built_in_notes;
use crate::view::snapshot::Snapshot;
use hobnob_mcp_client::Forwarded;
use hobnob_mcp_engine::{Answer, Call, CallError, Notes, Outcome};
use hobnob_mcp_types::{ErrorCode, Method, Params, Revision, RpcError};
use hobnob_policy::authorize;
use std::pin::pin;
use std::sync::Arc;

/// Answers requests for resources and prompts, and completions of their arguments.
pub(crate) struct Contents {
    pub(crate) recorder: Recorder,
    pub(super) locator: Arc<Locator>,
    pub(super) own: OwnResources,
}

impl Contents {
    pub(super) async fn read(
        &self,
        view: &View,
        call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let uri = params.string("uri").map_err(CallError::Params)?;
        // A caller that got a cut result can read its rest, even in a view without resources.
        if !view.offers_resources() && !uri.starts_with(RESULTS) {
            return Err(CallError::Method(Method::ResourcesRead));
        }
        if uri.strip_suffix(OF_ALL).unwrap_or(&uri) == STATUS {
            // Status reads are not recorded: they would fill the audit log.
            return self.own.read_status(view, &uri, &call.caller);
        }
        let look = |catalogue: &Catalogue| catalogue.resource(&uri).map(drop);
        let located =
            self.locator.locate(view, Wanted::Address(&uri), look, &call.caller, &notes).await;
        let Located { snapshot, unavailable, .. } = located;
        let mut record = self.recorder.begin(&call, &uri);
        let call = record.traced(call);
        let done = match snapshot.catalogue.resource(&uri) {
            Some(ResourceTarget::Upstream { server, original }) => {
                // The record names the address only: that is where secrets get redacted.
                record.server = Some(server);
                let value = rewrite::quoted(&original);
                let request = UpstreamRequest::contents(server, "uri", value, call);
                ask(&snapshot, request, &mut record, &notes).await
            }
            Some(ResourceTarget::BuiltIn) if is_own(&uri) => {
                self.own.read(view, &uri, &call.caller)
            }
            None if !view.toolbox.has_resource(&uri) => Err(match unavailable {
                Some(why) => upstream_error(why),
                None => CallError::Resource(uri.as_ref().into()),
            }),
            // A profile may leave it out of the list, and a template's resources are in none.
            Some(ResourceTarget::BuiltIn) | None => {
                ask_built_in(view, &snapshot, call, notes, &mut record).await
            }
        };
        record.call_ended(&done);
        done
    }

    pub(super) async fn prompt(
        &self,
        view: &View,
        call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let name = params.string("name").map_err(CallError::Params)?;
        let look = |catalogue: &Catalogue| catalogue.prompt(&name).cloned();
        let located =
            self.locator.locate(view, Wanted::Prompt(&name), look, &call.caller, &notes).await;
        let Located { snapshot, found, unavailable } = located;
        let mut record = self.recorder.begin(&call, &name);
        let call = record.traced(call);
        let terms = snapshot.catalogue.terms(ListKind::Prompts, &name);
        let done = match (check_terms(terms, arguments_of(&call)), &found) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(PromptTarget::Upstream { server, original })) => {
                record.server = Some(server);
                record.original = Some(original);
                let value = rewrite::quoted(original);
                let request = UpstreamRequest::contents(server, "name", value, call);
                ask(&snapshot, request, &mut record, &notes).await
            }
            (Ok(()), Some(PromptTarget::BuiltIn(own))) => {
                let call = if **own == *name { call } else { renamed(&call, own)? };
                ask_built_in(view, &snapshot, call, notes, &mut record).await
            }
            (Ok(()), None) => Err(match unavailable {
                Some(why) => upstream_error(why),
                None => self.unknown_prompt(view, &snapshot, &name),
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
    fn unknown_prompt(&self, view: &View, snapshot: &Snapshot, name: &str) -> CallError {
        let hint = self.locator.hint(view, snapshot, ListKind::Prompts, name);
        let message = format!("Unknown prompt: {name}{hint}");
        let codes = view.profile.as_ref().map(|profile| profile.errors.codes);
        match codes.and_then(|codes| codes.prompt_not_found) {
            Some(code) => CallError::Other(RpcError::new(ErrorCode(code.into()), message)),
            None => CallError::params(message),
        }
    }

    pub(super) async fn complete(
        &self,
        view: &View,
        call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let mut record = self.recorder.silent(&call);
        let target = rewrite::completion_target(params.raw());
        let snapshot = self.snapshot_for(view, target.as_ref(), &call, &notes).await?;
        let found = match &target {
            Some(CompletionTarget::Prompt(name)) => match snapshot.catalogue.prompt(name) {
                Some(PromptTarget::Upstream { server, original }) => {
                    Some((server, original.to_string()))
                }
                Some(PromptTarget::BuiltIn(own)) => {
                    let text = rewrite::with_completion_target(params.raw(), own).into_owned();
                    let call = with_params(&call, text)?;
                    return ask_built_in(view, &snapshot, call, notes, &mut record).await;
                }
                None => {
                    let message = format!("there is no prompt or template `{name}` to complete");
                    return Err(CallError::params(message));
                }
            },
            Some(CompletionTarget::Resource(uri)) => match snapshot.catalogue.resource(uri) {
                Some(ResourceTarget::Upstream { server, original }) => {
                    Some((server, original.into_owned()))
                }
                _ => None,
            },
            None => None,
        };
        let Some((server, original)) = found else {
            return ask_built_in(view, &snapshot, call, notes, &mut record).await;
        };
        let known = snapshot.upstreams.get(server).and_then(|upstream| upstream.lists.get().lists);
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
        ask(&snapshot, request, &mut record, &notes).await
    }

    /// The snapshot to complete from, after the target's server was learned if need be.
    async fn snapshot_for(
        &self,
        view: &View,
        target: Option<&CompletionTarget<'_>>,
        call: &Call,
        notes: &Notes,
    ) -> Result<Arc<Snapshot>, CallError> {
        let wanted = match target {
            Some(CompletionTarget::Prompt(name)) => Wanted::Prompt(name),
            Some(CompletionTarget::Resource(uri)) => Wanted::Address(uri),
            None => return Ok(view.snapshot()),
        };
        let look = |catalogue: &Catalogue| match target? {
            CompletionTarget::Prompt(name) => catalogue.prompt(name).map(drop),
            CompletionTarget::Resource(uri) => catalogue.resource(uri).map(drop),
        };
        let located = self.locator.locate(view, wanted, look, &call.caller, notes).await;
        match (located.found, located.unavailable) {
            (None, Some(why)) => Err(upstream_error(why)),
            _ => Ok(located.snapshot),
        }
    }
}

/// Has a built-in answer a request other than a tool call.
async fn ask_built_in(
    view: &View,
    snapshot: &Snapshot,
    call: Call,
    notes: Notes,
    record: &mut CallRecord<'_>,
) -> Result<Outcome, CallError> {
    let request = contents_request(view, snapshot, call);
    let permit = authorize(&snapshot.rules, request).without_asking().map_err(|denied| {
        record.decided(denied.audit());
        CallError::params(denied.to_string())
    })?;
    record.decided(permit.audit());
    record.begins().await?;
    let notes = record.observed_notes(notes);
    let work = pin!(view.toolbox.call(permit, built_in_notes(view, notes)));
    let done = record.until_cancelled(work).await?;
    done.map(QuestionOrigin::of_built_in)
}

/// The request as the rules see it. A read that a tool could do as well counts as a call of
/// that tool, under its public name in this view, shown or not.
fn contents_request(view: &View, snapshot: &Snapshot, call: Call) -> BuiltInRequest {
    let uri = match call.method {
        Method::ResourcesRead => call.params.string("uri").ok().map(|uri| uri.to_string()),
        _ => None,
    };
    let tool = uri.and_then(|uri| Some((view.toolbox.read_counts_as(&uri)?, uri)));
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
    let notes = record.observed_notes(notes.clone());
    let work = pin!(forward(upstream, &permit, None, &notes, &|| true));
    let outcome =
        match record.until_cancelled(work).await?.map_err(|error| error.error(&server, call))? {
            Forwarded::Outcome(outcome) => outcome,
            Forwarded::Task(task) => {
                let outcome = task.run(call, &call.answers, &notes).await?;
                QuestionOrigin::server(&server).asks_in(outcome)
            }
        };
    let Outcome::Complete(mut answer) = outcome else { return Ok(outcome) };
    let uris = PublicUris::of(&server);
    let body = std::mem::take(&mut answer.body);
    answer.body = match call.method {
        Method::ResourcesRead => rewrite::apply(body, |it| rewrite::read_result(it, &uris)),
        Method::PromptsGet => rewrite::apply(body, |it| rewrite::prompt_result(it, &uris)),
        _ => body,
    };
    Ok(Outcome::Complete(answer))
}

/// The protocol error for a server that cannot be used.
fn upstream_error(why: Unavailable) -> CallError {
    CallError::Other(RpcError::new(ErrorCode::UPSTREAM, why.0))
}
