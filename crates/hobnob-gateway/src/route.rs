//! Which method is answered from where: the snapshot, the built-ins, an upstream.

use crate::catalog::{Kind, PromptTarget, ResourceTarget};
use crate::gateway::Gateway;
use crate::own::STATUS;
use crate::prepare::is_denied;
use crate::rewrite::{self, CompletionTarget};
use crate::state::Snapshot;
use crate::uris::Prefix;
use hobnob_policy::audit::Outcome as Recorded;
use mcp_client::{Forward, Forwarded, Rename};
use mcp_engine::{Answer, BoxFuture, Call, CallError, Notes, Offer, Outcome, Service};
use mcp_types::cache::CacheHint;
use mcp_types::capabilities::{
    ListCapability, ResourcesCapability, ServerCapabilities, ServerTaskRequests,
    ServerTasksCapability, Settings, ToolTaskRequests,
};
use mcp_types::{Method, Params, Revision, tasks_ext};
use std::sync::Arc;

/// Bytes of other servers' instructions that are passed on.
const INSTRUCTIONS: usize = 8 << 10;

/// The gateway as what answers a server's clients.
#[derive(Debug, Clone)]
pub struct GatewayService(pub Arc<Gateway>);

impl Service for GatewayService {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        let gateway = &self.0;
        match call.method {
            Method::ToolsCall => Box::pin(gateway.call_tool(call, notes)),
            Method::ToolsList => Box::pin(gateway.list(Kind::Tools, call)),
            Method::ResourcesList => Box::pin(gateway.list(Kind::Resources, call)),
            Method::ResourcesTemplatesList => Box::pin(gateway.list(Kind::Templates, call)),
            Method::PromptsList => Box::pin(gateway.list(Kind::Prompts, call)),
            Method::ResourcesRead => Box::pin(gateway.read(call, notes)),
            Method::PromptsGet => Box::pin(gateway.prompt(call, notes)),
            Method::Complete => Box::pin(gateway.complete(call, notes)),
            other => Box::pin(std::future::ready(Err(CallError::Method(other)))),
        }
    }

    fn offer(&self) -> Offer {
        Offer { capabilities: capabilities(), instructions: Some(self.0.instructions()) }
    }
}

/// The same whatever is behind us: a server may come with anything at any time.
fn capabilities() -> ServerCapabilities {
    let yes = || Some(Settings::default());
    let mut able = ServerCapabilities {
        tools: Some(ListCapability { list_changed: true }),
        resources: Some(ResourcesCapability { subscribe: true, list_changed: true }),
        prompts: Some(ListCapability { list_changed: true }),
        completions: yes(),
        logging: yes(),
        tasks: Some(ServerTasksCapability {
            list: yes(),
            cancel: yes(),
            requests: Some(ServerTaskRequests { tools: Some(ToolTaskRequests { call: yes() }) }),
        }),
        ..ServerCapabilities::default()
    };
    able.extensions.insert(tasks_ext::EXTENSION, Settings::default());
    able
}

impl Gateway {
    /// What a model is told about all of this.
    fn instructions(&self) -> String {
        let snapshot = self.snapshot();
        let mut text = String::from(
            "Tools of several servers behind one endpoint. A tool named mcp__SERVER__TOOL belongs \
             to that server; a resource mcp://SERVER/URI likewise.",
        );
        for (name, upstream) in &snapshot.upstreams {
            let Some(lists) = upstream.known().lists else { continue };
            if is_denied(&snapshot.rules, name) {
                continue;
            }
            let Some(words) = &lists.about.instructions else { continue };
            if text.len() + words.len() > INSTRUCTIONS {
                continue;
            }
            text.push_str(&format!("\n\nServer {name}:\n{words}"));
        }
        text
    }

    async fn list(self: &Arc<Self>, kind: Kind, call: Call) -> Result<Outcome, CallError> {
        self.settled().await;
        let cursor = match call.params.get("cursor") {
            None | Some("null") => None,
            Some(_) => Some(call.params.string("cursor").map_err(CallError::Params)?),
        };
        let snapshot = self.snapshot();
        let page = snapshot
            .catalogue
            .page(kind, cursor.as_deref(), self.page)
            .map_err(|bad| CallError::params(bad.to_string()))?;
        Ok(Outcome::Complete(Answer {
            body: page.body.to_string(),
            meta: None,
            cache: Some(CacheHint::NONE),
            floor: Revision::NEWEST,
        }))
    }

    async fn read(self: &Arc<Self>, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let uri = params.string("uri").map_err(CallError::Params)?;
        if *uri == *STATUS {
            // Whoever looks how things are leaves no trace: there would be little else.
            return self.read_own(STATUS, call, notes).await;
        }
        let snapshot = self.snapshot();
        let shadow = self.recorder.shadow(&call);
        let mut record = self.recorder.begin(&shadow, &uri);
        let done = match snapshot.catalogue.resource(&uri) {
            Some(ResourceTarget::Upstream { server, original }) => {
                // The address says it all, and only there it is rid of secrets.
                record.server = Some(server);
                let original = rewrite::quoted(original);
                let rename = Rename { key: "uri", value: &original };
                self.ask(&snapshot, server, &call, rename, &notes).await
            }
            Some(ResourceTarget::BuiltIn) => self.read_own(&uri, call, notes).await,
            None => Err(CallError::Resource(uri.as_ref().into())),
        };
        note(&mut record, &done);
        done
    }

    async fn prompt(self: &Arc<Self>, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let name = params.string("name").map_err(CallError::Params)?;
        let snapshot = self.snapshot();
        let shadow = self.recorder.shadow(&call);
        let mut record = self.recorder.begin(&shadow, &name);
        let done = match snapshot.catalogue.prompt(&name) {
            Some(PromptTarget::Upstream { server, original }) => {
                record.server = Some(server);
                record.original = Some(original);
                let original = rewrite::quoted(original);
                let rename = Rename { key: "name", value: &original };
                self.ask(&snapshot, server, &call, rename, &notes).await
            }
            Some(PromptTarget::BuiltIn(_)) => self.toolbox.call(call, notes).await,
            None => Err(CallError::params(format!("unknown prompt `{name}`"))),
        };
        note(&mut record, &done);
        done
    }

    async fn complete(self: &Arc<Self>, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let snapshot = self.snapshot();
        let params = Arc::clone(&call.params);
        let target = rewrite::completion_target(params.raw());
        let found = match &target {
            Some(CompletionTarget::Prompt(name)) => match snapshot.catalogue.prompt(name) {
                Some(PromptTarget::Upstream { server, original }) => {
                    Some((server, original.to_string()))
                }
                _ => None,
            },
            Some(CompletionTarget::Resource(uri)) => match snapshot.catalogue.resource(uri) {
                Some(ResourceTarget::Upstream { server, original }) => {
                    Some((server, original.to_owned()))
                }
                _ => None,
            },
            None => None,
        };
        let Some((server, original)) = found else { return self.toolbox.call(call, notes).await };
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

    /// Asks an upstream something that is no tool, and puts our names into the answer.
    async fn ask(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        server: &Arc<str>,
        call: &Call,
        rename: Rename<'_>,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        let missing = || CallError::params(format!("unknown server `{server}`"));
        let upstream = snapshot.upstreams.get(server).ok_or_else(missing)?;
        self.check_server(snapshot, server)?;
        let forward = Forward { rename: Some(rename), ..Forward::default() };
        let done = self.forward(upstream, call, &forward, notes, &|| true).await;
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

fn note(record: &mut crate::record::Record<'_>, done: &Result<Outcome, CallError>) {
    match done {
        Ok(Outcome::Complete(answer)) => record.answered(Recorded::Ok, answer.body.len()),
        Ok(Outcome::NeedsInput(_) | Outcome::Started(_)) => record.ended(Recorded::Ok),
        Err(error) => record.failed(error),
    }
}
