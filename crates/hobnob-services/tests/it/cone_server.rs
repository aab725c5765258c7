//! The server for tests of chats: the service on its own store, with a local provider that answers
//! by the test's script, and a sink that collects events.

use crate::calls::{call_of, client_of, on_event, result_of};
use crate::model_server::{LINES, ModelServer, Step};
use hobnob_llm::{ModelDirectory, ProviderDialect, ProviderSettings};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Method;
use hobnob_secrets::{ScanScope, Scanner};
use hobnob_services::cone::{ConeParts, ConeService};
use hobnob_services::{BuiltInService as _, Presentation};
use hobnob_store::trees::{NodeContent, NodeRef, TreeAccess, TreeRef, TreeRepository as _};
use hobnob_store::{Owner, Time};
use hobnob_store_sqlite::SqliteStore;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::Notify;

/// A server with the chat service on its own store.
pub(crate) struct ConeServer {
    pub(crate) service: ConeService,
    pub(crate) server: Server,
    store: SqliteStore,
    _folder: TempDir,
}

impl ConeServer {
    /// Makes a server that knows this provider as `test`, or none.
    pub(crate) fn new(provider: Option<&ModelServer>) -> Self {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let store = SqliteStore::open(&folder.path().join("store.db")).unwrap();
        let providers: BTreeMap<String, ProviderSettings> = provider
            .into_iter()
            .map(|server| {
                let mut settings = ProviderSettings::new(ProviderDialect::Ollama);
                settings.url = Some(server.url.clone());
                settings.retries = Some(0);
                ("test".to_owned(), settings)
            })
            .collect();
        let service = ConeService::new(ConeParts {
            sessions: Arc::new(store.clone()),
            models: ModelDirectory::from_settings(&providers).unwrap(),
            default_model: provider.map(|_| "test/m".into()),
            scanner: Some(Scanner::new(ScanScope::secrets())),
        });
        let kit = service.kit(&Presentation::default()).unwrap();
        let server = Server::builder("probe", "1.0").kit(kit).build().unwrap();
        Self { service, server, store, _folder: folder }
    }

    /// The result of a method, or its error, for the caller `who`.
    pub(crate) async fn ask(
        &self,
        who: &str,
        method: Method,
        params: Value,
        notes: Notes,
    ) -> Value {
        let caller = client_of(who);
        let call = call_of(&caller, method, &params);
        result_of(&self.server, call, notes)
            .await
            .unwrap_or_else(|error| json!({"code": error.code.0, "message": error.message}))
    }

    pub(crate) async fn tool(&self, who: &str, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": format!("cone_{tool}"), "arguments": arguments});
        self.ask(who, Method::ToolsCall, params, Notes::silent()).await
    }

    /// The data of a tool's result.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        let mut result = self.tool("", tool, arguments).await;
        assert!(result.get("structuredContent").is_some(), "{tool}: {result}");
        result["structuredContent"].take()
    }

    /// The message with which a tool fails.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> String {
        failure(&self.tool("", tool, arguments).await)
    }

    /// Creates a session with this name.
    pub(crate) async fn create(&self, name: &str) -> Value {
        self.data("create", json!({"name": name})).await
    }

    /// Chats in a session; the events are collected.
    pub(crate) async fn chat(&self, name: &str, prompt: &str, events: &Arc<Events>) -> Value {
        let arguments = json!({"name": name, "prompt": prompt});
        let params = json!({"name": "cone_chat", "arguments": arguments});
        self.ask("", Method::ToolsCall, params, events.notes()).await
    }

    /// The node from which the session's next chat continues.
    pub(crate) async fn head(&self, name: &str) -> String {
        text(&self.data("get", json!({"name": name})).await["head"])
    }

    /// The conversation from the root to a node, as `role: text`.
    pub(crate) async fn path(&self, session: &Value, node: &str) -> Vec<String> {
        let page = hobnob_store::memory::PageRequest { after: None, limit: 100 };
        let node = NodeRef::parse(node);
        let path = self.store.path(access(), tree(session), node, page).await.unwrap();
        let said = path.items.into_iter().map(|node| match node.content {
            NodeContent::Text { role, text } => format!("{role}: {text}"),
            NodeContent::External(handle) => panic!("{handle:?}"),
        });
        said.collect()
    }

    /// How many nodes and how many leaves a session's tree has.
    pub(crate) async fn size(&self, session: &Value) -> (u64, usize) {
        let page = hobnob_store::memory::PageRequest { after: None, limit: 100 };
        let leaves = self.store.leaves(access(), tree(session), page).await.unwrap();
        let tree = self.store.tree(access(), tree(session)).await.unwrap();
        (tree.nodes, leaves.items.len())
    }

    /// Makes a kit that lists the current sessions.
    pub(crate) async fn refresh(&self) {
        self.service.refresh().await.unwrap();
        let kit = self.service.kit(&Presentation::default()).unwrap();
        self.server.toolbox().unwrap().replace(kit).unwrap();
    }
}

fn access() -> TreeAccess {
    TreeAccess { owner: Owner::default(), now: Time::now() }
}

fn tree(session: &Value) -> TreeRef {
    TreeRef::parse(session["tree_id"].as_str().unwrap()).unwrap()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value}")).to_owned()
}

/// The whole text of a failed result.
pub(crate) fn failure(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    let blocks = result["content"].as_array().unwrap();
    blocks.iter().map(|block| text(&block["text"])).collect::<Vec<_>>().join("\n")
}

/// One line of the provider, with a piece of text.
pub(crate) fn piece(text: &str) -> Step {
    let line = json!({"model": "m", "message": {"content": text}, "done": false});
    Step::Piece(format!("{line}\n").into_bytes())
}

/// The lines that end an answer of the provider.
pub(crate) fn end() -> [Step; 2] {
    let line = json!({"model": "m", "message": {"content": ""}, "done": true,
        "done_reason": "stop", "prompt_eval_count": 10, "eval_count": 5});
    [Step::Piece(format!("{line}\n").into_bytes()), Step::End]
}

/// All steps of an answer in these pieces.
pub(crate) fn answer(pieces: &[&str]) -> Vec<Step> {
    let pieces = pieces.iter().map(|text| piece(text));
    std::iter::once(Step::Head(LINES)).chain(pieces).chain(end()).collect()
}

/// Collects the events of a chat, in order of arrival.
#[derive(Default)]
pub(crate) struct Events {
    all: Mutex<Vec<Value>>,
    came: Notify,
}

impl Events {
    pub(crate) fn all(&self) -> Vec<Value> {
        self.all.lock().clone()
    }

    pub(crate) fn notes(self: &Arc<Self>) -> Notes {
        let events = Arc::clone(self);
        on_event(move |event| {
            events.all.lock().push(serde_json::from_str(&event.to_json()).unwrap());
            events.came.notify_waiters();
        })
    }

    pub(crate) fn kinds(&self) -> Vec<String> {
        self.all().iter().map(|event| text(&event["type"])).collect()
    }

    /// Waits for an event of this kind.
    pub(crate) async fn until(&self, kind: &str) {
        loop {
            let came = self.came.notified();
            if self.kinds().iter().any(|it| it == kind) {
                return;
            }
            came.await;
        }
    }
}
