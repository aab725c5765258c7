//! Which method is answered from where: the snapshot, the built-ins, an upstream.

use crate::catalog::{Kind, PromptTarget, ResourceTarget, Terms};
use crate::gateway::Gateway;
use crate::guard::check_server;
use crate::learn::Wanted;
use crate::offer::without_logs;
use crate::own::{RESULTS, STATUS};
use crate::rewrite::{self, CompletionTarget};
use crate::state::Snapshot;
use crate::upstream::configured::Unavailable;
use crate::uris::Prefix;
use crate::view::{View, ViewId};
use hobnob_mcp_client::{Forward, Forwarded, Rename};
use hobnob_mcp_engine::{
    Answer, BoxFuture, Call, CallError, ClientId, Notes, Offer, Outcome, Service,
};
use hobnob_mcp_types::cache::CacheHint;
use hobnob_mcp_types::{ErrorCode, Method, Params, Revision, RpcError};
use hobnob_policy::audit::Outcome as Recorded;
use std::sync::Arc;

/// Characters of an argument's name that are repeated.
const SHOWN: usize = 80;

/// The gateway as one view's clients are answered by it.
#[derive(Debug, Clone)]
pub struct GatewayService {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) view: Arc<View>,
}

impl GatewayService {
    /// Which view.
    pub fn view(&self) -> ViewId {
        self.view.id
    }
}

impl Service for GatewayService {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        let notes = if self.view.logs() { notes } else { without_logs(notes) };
        let method = call.method;
        let refused = || Box::pin(std::future::ready(Err(CallError::Method(method))));
        match method {
            Method::ToolsCall => Box::pin(self.call_tool(call, notes)),
            Method::ToolsList => Box::pin(self.list(Kind::Tools, call, notes)),
            Method::ResourcesRead => Box::pin(self.read(call, notes)),
            Method::ResourcesList | Method::ResourcesTemplatesList
                if !self.view.offers_resources() =>
            {
                refused()
            }
            Method::ResourcesList => Box::pin(self.list(Kind::Resources, call, notes)),
            Method::ResourcesTemplatesList => Box::pin(self.list(Kind::Templates, call, notes)),
            Method::PromptsList | Method::PromptsGet if !self.view.offers_prompts() => refused(),
            Method::PromptsList => Box::pin(self.list(Kind::Prompts, call, notes)),
            Method::PromptsGet => Box::pin(self.prompt(call, notes)),
            Method::Complete if !self.view.offers_prompts() && !self.view.offers_resources() => {
                refused()
            }
            Method::Complete => Box::pin(self.complete(call, notes)),
            _ => refused(),
        }
    }

    fn offer(&self) -> Offer {
        self.offered()
    }

    fn client_gone(&self, client: ClientId) {
        self.gateway.polls.end_client(client);
        for upstream in self.view.snapshot().upstreams.values() {
            upstream.end_client(client);
        }
    }

    fn greet(&self, meta: Option<&str>) -> Result<Option<String>, RpcError> {
        self.gateway.identity.admit(meta).map_err(RpcError::invalid_request)
    }
}

impl GatewayService {
    async fn list(&self, kind: Kind, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        // A hub that lists us may by now be one that we list.
        self.greet(call.params.get("_meta")).map_err(CallError::Other)?;
        self.gateway.settled(&self.view, &notes).await;
        let cursor = match call.params.get("cursor") {
            None | Some("null") => None,
            Some(_) => Some(call.params.string("cursor").map_err(CallError::Params)?),
        };
        let snapshot = self.view.snapshot();
        let page = snapshot
            .catalogue
            .page(kind, cursor.as_deref(), self.gateway.page)
            .map_err(|bad| CallError::params(bad.to_string()))?;
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
        // Whoever was given a cut result can read its rest, wherever that was.
        if !self.view.offers_resources() && !uri.starts_with(RESULTS) {
            return Err(CallError::Method(Method::ResourcesRead));
        }
        if *uri == *STATUS {
            // Whoever looks how things are leaves no trace: there would be little else.
            return self.read_own(STATUS, call, notes).await;
        }
        let mut snapshot = self.view.snapshot();
        let mut unavailable = None;
        if snapshot.catalogue.resource(&uri).is_none() {
            let learnt = self.learn_owner(Wanted::Address(&uri), &call.caller, &notes).await;
            unavailable = learnt.err();
            snapshot = self.view.snapshot();
        }
        let recorder = &self.gateway.recorder;
        let shadow = recorder.shadow(&call);
        let mut record = recorder.begin(&shadow, &uri);
        let done = match snapshot.catalogue.resource(&uri) {
            Some(ResourceTarget::Upstream { server, original }) => {
                // The address says it all, and only there it is rid of secrets.
                record.server = Some(server);
                let original = rewrite::quoted(original);
                let rename = Rename { key: "uri", value: &original };
                self.ask(&snapshot, server, &call, rename, &notes).await
            }
            Some(ResourceTarget::BuiltIn) => self.read_own(&uri, call, notes).await,
            // A profile may not list it, and a template lists none of its own.
            None if self.view.toolbox.has_resource(&uri) => self.built_in(call, notes).await,
            None => Err(match unavailable {
                Some(why) => upstream_error(why),
                None => CallError::Resource(uri.as_ref().into()),
            }),
        };
        note(&mut record, &done);
        done
    }

    async fn prompt(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let name = params.string("name").map_err(CallError::Params)?;
        let mut snapshot = self.view.snapshot();
        let mut unavailable = None;
        if snapshot.catalogue.prompt(&name).is_none() {
            let learnt = self.learn_owner(Wanted::Prompt(&name), &call.caller, &notes).await;
            unavailable = learnt.err();
            snapshot = self.view.snapshot();
        }
        let recorder = &self.gateway.recorder;
        let shadow = recorder.shadow(&call);
        let mut record = recorder.begin(&shadow, &name);
        let terms = snapshot.catalogue.prompt_terms(&name);
        let done = match (check_terms(terms, arguments_of(&call)), snapshot.catalogue.prompt(&name))
        {
            (Err(error), _) => Err(error),
            (Ok(()), Some(PromptTarget::Upstream { server, original })) => {
                record.server = Some(server);
                record.original = Some(original);
                let original = rewrite::quoted(original);
                let rename = Rename { key: "name", value: &original };
                self.ask(&snapshot, server, &call, rename, &notes).await
            }
            (Ok(()), Some(PromptTarget::BuiltIn(own))) if **own == *name => {
                self.built_in(call, notes).await
            }
            (Ok(()), Some(PromptTarget::BuiltIn(own))) => {
                self.built_in(renamed(&call, own)?, notes).await
            }
            (Ok(()), None) => Err(match unavailable {
                Some(why) => upstream_error(why),
                None => self.unknown_prompt(&snapshot, &name),
            }),
        };
        note(&mut record, &done);
        let mut outcome = done?;
        if let (Outcome::Complete(answer), Some(description)) =
            (&mut outcome, terms.and_then(|terms| terms.description.as_deref()))
        {
            // The prompt repeats how it is described.
            let body = std::mem::take(&mut answer.body);
            answer.body =
                rewrite::apply(body, |it| rewrite::with_string(it, "description", description));
        }
        Ok(outcome)
    }

    /// A profile may have a code of its own for that.
    fn unknown_prompt(&self, snapshot: &Snapshot, name: &str) -> CallError {
        let hint = self.hint(snapshot, Kind::Prompts, name);
        let message = format!("Unknown prompt: {name}{hint}");
        let codes = self.view.profile.as_ref().map(|profile| profile.errors.codes);
        match codes.and_then(|codes| codes.prompt_not_found) {
            Some(code) => CallError::Other(RpcError::new(ErrorCode(code.into()), message)),
            None => CallError::params(message),
        }
    }

    async fn complete(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
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
                    return self.built_in(call, notes).await;
                }
                None => {
                    return Err(CallError::params(format!("nothing to complete at `{name}`")));
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
            return self.built_in(call, notes).await;
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
        let params = Arc::new(Params::from_json(text).map_err(CallError::Params)?);
        let reference = params.get("ref").unwrap_or("{}").to_owned();
        let rename = Rename { key: "ref", value: &reference };
        self.ask(&snapshot, server, &call, rename, &notes).await
    }

    /// The snapshot in which what is to be completed is found, if it is anywhere.
    async fn snapshot_for(
        &self,
        target: Option<&CompletionTarget<'_>>,
        call: &Call,
        notes: &Notes,
    ) -> Result<Arc<Snapshot>, CallError> {
        let snapshot = self.view.snapshot();
        let (wanted, found) = match target {
            Some(CompletionTarget::Prompt(name)) => {
                (Wanted::Prompt(name), snapshot.catalogue.prompt(name).is_some())
            }
            Some(CompletionTarget::Resource(uri)) => {
                (Wanted::Address(uri), snapshot.catalogue.resource(uri).is_some())
            }
            None => return Ok(snapshot),
        };
        if found {
            return Ok(snapshot);
        }
        self.learn_owner(wanted, &call.caller, notes).await.map_err(upstream_error)?;
        Ok(self.view.snapshot())
    }

    /// Asks an upstream something that is no tool, and puts our names into the answer.
    async fn ask(
        &self,
        snapshot: &Snapshot,
        server: &Arc<str>,
        call: &Call,
        rename: Rename<'_>,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        let missing = || CallError::params(format!("unknown server `{server}`"));
        let upstream = snapshot.upstreams.get(server).ok_or_else(missing)?;
        check_server(snapshot, server)?;
        let forward = Forward { rename: Some(rename), ..Forward::default() };
        let done = self.gateway.forward(upstream, call, &forward, notes, &|| true).await;
        let (forwarded, _) = done.map_err(|trouble| trouble.error(server, call))?;
        let outcome = match forwarded {
            Forwarded::Outcome(outcome) => outcome,
            Forwarded::Task(task) => task.run(call, &call.answers, notes).await?,
        };
        let Outcome::Complete(mut answer) = outcome else { return Ok(outcome) };
        let prefix = Prefix::of(server);
        let body = std::mem::take(&mut answer.body);
        answer.body = match call.method {
            Method::ResourcesRead => rewrite::apply(body, |it| rewrite::read_result(it, &prefix)),
            Method::PromptsGet => rewrite::apply(body, |it| rewrite::prompt_result(it, &prefix)),
            _ => body,
        };
        Ok(Outcome::Complete(answer))
    }
}

/// The error of the protocol for a server that cannot be asked.
fn upstream_error(why: Unavailable) -> CallError {
    CallError::Other(RpcError::new(ErrorCode::UPSTREAM, why.0))
}

/// What a call gives, as JSON text.
pub(crate) fn arguments_of(call: &Call) -> &str {
    call.params.get("arguments").unwrap_or("{}")
}

/// Refuses what a view takes from a tool or a prompt.
pub(crate) fn check_terms(terms: Option<&Terms>, arguments: &str) -> Result<(), CallError> {
    let Some(keep) = terms.and_then(|terms| terms.arguments.as_deref()) else { return Ok(()) };
    match rewrite::stranger(arguments, keep) {
        None => Ok(()),
        Some(stranger) => {
            let shown: String = stranger.chars().take(SHOWN).collect();
            let message = format!("arguments.{shown}: expected no such property");
            Err(CallError::params(message))
        }
    }
}

/// The call of a built-in under its own name.
pub(crate) fn renamed(call: &Call, own: &str) -> Result<Call, CallError> {
    with_params(call, rewrite::with_string(call.params.raw(), "name", own).into_owned())
}

fn with_params(call: &Call, text: String) -> Result<Call, CallError> {
    let params = Arc::new(Params::from_json(text).map_err(CallError::Params)?);
    Ok(Call {
        method: call.method,
        params,
        caller: call.caller.clone(),
        answers: call.answers.clone(),
        task: call.task.clone(),
        mirrored: call.mirrored.clone(),
    })
}

fn note(record: &mut crate::record::Record<'_>, done: &Result<Outcome, CallError>) {
    match done {
        Ok(Outcome::Complete(answer)) => record.answered(Recorded::Ok, answer.body.len()),
        Ok(Outcome::NeedsInput(_) | Outcome::Started(_)) => record.ended(Recorded::Ok),
        Err(error) => record.failed(error),
    }
}
