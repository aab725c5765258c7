//! The matrix's plan for our own server with the official Rust client: nothing to install, so never
//! skipped. One upstream per era, one client per era, both transports.
#![expect(deprecated, reason = "the legacy era's own calls are what is tried here")]

use std::error::Error;
use std::time::Duration;

use hobnob_mcp_types::Revision;
use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ClientConfig, ClientRequest, CreateMessageRequestParams,
    CreateMessageResult, ElicitRequestParams, ElicitResult, ErrorData, GetPromptRequestParams,
    ListRootsResult, ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
    Request, ResourceUpdatedNotificationParam, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext,
    RoleClient, RunningService,
};
use rmcp::transport::{IntoTransport, TokioChildProcess};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::matrix_home::Home;
use crate::matrix_ours::{called, contents, texts};
use crate::matrix_plan::{as_json, complaints, own_server_steps};
use crate::program::{PROGRAM, within};
use crate::rust_sdk::http;

/// How long an update may take before the resource is touched once more.
const MOMENT: Duration = Duration::from_millis(500);

/// Times a resource is touched before the update is given up.
const ATTEMPTS: usize = 120;

/// Answers everything a server may ask, and hands on what is received.
struct AnswersEverything {
    updates: mpsc::Sender<String>,
    progress: mpsc::Sender<()>,
}

fn value<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

impl ClientHandler for AnswersEverything {
    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let content = json!({"type": "text", "text": "forty-two"});
        Ok(value(json!({"role": "assistant", "model": "abacus", "content": content})))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(value(json!({"roots": [{"uri": "file:///home"}]})))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(value(json!({"action": "accept", "content": {"name": "Ada"}})))
    }

    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _full = self.progress.try_send(());
    }

    async fn on_resource_updated(
        &self,
        updated: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _full = self.updates.try_send(updated.uri);
    }

    fn get_info(&self) -> ClientConfig {
        value(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"roots": {}, "sampling": {}, "elicitation": {"form": {}}},
            "clientInfo": {"name": "matrix-rmcp", "version": "1"},
        }))
    }
}

struct PlanClient {
    client: RunningService<RoleClient, AnswersEverything>,
    revision: Revision,
    updates: mpsc::Receiver<String>,
    progress: mpsc::Receiver<()>,
}

impl PlanClient {
    async fn act(&mut self, step: &Value) -> Result<String, Box<dyn Error>> {
        match step["act"].as_str().unwrap() {
            "list" => {
                let prefix = step["prefix"].as_str().unwrap();
                let tools = self.client.list_all_tools().await?;
                Ok(tools.iter().filter(|it| it.name.starts_with(prefix)).count().to_string())
            }
            "call" => {
                let result = self.client.call_tool(value(named(step))).await?;
                Ok(called(&serde_json::to_value(result)?))
            }
            "read" => {
                let params: ReadResourceRequestParams = value(json!({"uri": step["uri"]}));
                Ok(contents(&serde_json::to_value(self.client.read_resource(params).await?)?))
            }
            "watch" => self.watch(step).await,
            "cancel" => self.cancel(step).await,
            "prompt" => {
                let params: GetPromptRequestParams = value(named(step));
                let result = serde_json::to_value(self.client.get_prompt(params).await?)?;
                Ok(texts(result["messages"].as_array().unwrap().iter().map(|it| &it["content"])))
            }
            "complete" => {
                let [name, argument, typed] =
                    ["name", "argument", "value"].map(|key| step[key].as_str().unwrap());
                Ok(self.client.complete_prompt_simple(name, argument, typed).await?.join(","))
            }
            other => panic!("no such act: {other}"),
        }
    }

    async fn watch(&mut self, step: &Value) -> Result<String, Box<dyn Error>> {
        let uri = step["uri"].as_str().unwrap();
        let mut listening = match self.revision {
            Revision::V2026_07_28 => {
                let filter: SubscriptionFilter = value(json!({"resourceSubscriptions": [uri]}));
                Some(self.client.listen(filter).await?)
            }
            _ => {
                let params: SubscribeRequestParams = value(json!({"uri": uri}));
                self.client.subscribe(params).await?;
                None
            }
        };
        let mut seen = "nothing";
        for _ in 0..ATTEMPTS {
            self.client.call_tool(value(named(step))).await?;
            let received = match &mut listening {
                Some(stream) => timeout(MOMENT, stream.next()).await.is_ok(),
                None => timeout(MOMENT, self.updates.recv()).await.is_ok(),
            };
            if received {
                seen = "updated";
                break;
            }
        }
        match listening {
            Some(mut stream) => stream.cancel().await?,
            None => {
                let params: UnsubscribeRequestParams = value(json!({"uri": uri}));
                self.client.unsubscribe(params).await?;
            }
        }
        Ok(seen.into())
    }

    /// Begins a call, takes it back as soon as it is known to run.
    async fn cancel(&mut self, step: &Value) -> Result<String, Box<dyn Error>> {
        let params: CallToolRequestParams = value(named(step));
        let request = ClientRequest::CallToolRequest(Request::new(params));
        let options = PeerRequestOptions::no_options();
        // The progress of earlier requests, of a list that waited for servers, says nothing here.
        while self.progress.try_recv().is_ok() {}
        let handle = self.client.send_cancellable_request(request, options).await?;
        within("the call's progress", self.progress.recv()).await;
        handle.cancel(Some("enough".into())).await?;
        Ok("cancelled".into())
    }
}

fn named(step: &Value) -> Value {
    json!({"name": step["name"], "arguments": step["arguments"]})
}

fn legacy() -> (ClientLifecycleMode, Revision) {
    (ClientLifecycleMode::Initialize, Revision::V2025_11_25)
}

fn modern() -> (ClientLifecycleMode, Revision) {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    (ClientLifecycleMode::Discover { preferred_versions }, Revision::V2026_07_28)
}

async fn run_plan<T, E, A>(transport: T, (lifecycle, revision): (ClientLifecycleMode, Revision))
where
    T: IntoTransport<RoleClient, E, A>,
    E: Error + Send + Sync + 'static,
{
    let (updating, updates) = mpsc::channel(64);
    let (progressing, progress) = mpsc::channel(64);
    let host = AnswersEverything { updates: updating, progress: progressing };
    let connecting = host.serve_with_lifecycle(transport, lifecycle);
    let client = within("the handshake", connecting).await.unwrap();
    let mut plan_client = PlanClient { client, revision, updates, progress };
    let mut steps = own_server_steps("ours_modern", "rmcp");
    steps.extend(own_server_steps("ours_legacy", "rmcp"));
    let mut cells = Vec::new();
    for step in as_json(&steps).as_array().unwrap() {
        let saw = within(&step.to_string(), plan_client.act(step)).await;
        let saw = saw.unwrap_or_else(|error| format!("error: {error}"));
        cells.push(json!({"server": step["server"], "what": step["what"], "saw": saw}));
    }
    let complaints = complaints("rmcp", revision, &steps, &cells);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    within("the farewell", plan_client.client.cancel()).await.unwrap();
}

async fn over_stdio(label: &str, mode: (ClientLifecycleMode, Revision)) {
    let home = Home::with_own_server_only(label).await;
    let mut command = Command::new(PROGRAM);
    command.arg("serve").env("HOBNOB_HOME", &home.folder).current_dir(&home.folder);
    command.env_remove("RUST_LOG").kill_on_drop(true);
    run_plan(TokioChildProcess::new(command).unwrap(), mode).await;
}

async fn over_http(label: &str, mode: (ClientLifecycleMode, Revision)) {
    let home = Home::with_own_server_only(label).await;
    let server = home.serve_http().await;
    run_plan(http(&server), mode).await;
}

#[tokio::test]
async fn rmcp_legacy_stdio() {
    over_stdio("rmcp-legacy-stdio", legacy()).await;
}

#[tokio::test]
async fn rmcp_modern_stdio() {
    over_stdio("rmcp-modern-stdio", modern()).await;
}

#[tokio::test]
async fn rmcp_legacy_http() {
    over_http("rmcp-legacy-http", legacy()).await;
}

#[tokio::test]
async fn rmcp_modern_http() {
    over_http("rmcp-modern-http", modern()).await;
}
