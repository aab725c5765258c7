//! A process that may die at any moment: its own runtime, a server on it, and callers.

use super::shared_store::SharedStore;
use super::task_kit;
use crate::support::Gate;
use hobnob_mcp_engine::{ClientId, Limits, Principal};
use hobnob_mcp_server::{Eras, Reply, ReplyScope, Server, Session};
use hobnob_mcp_transport::{Outbox, OutboxLimits};
use hobnob_mcp_types::Incoming;
use serde_json::{Value, json};
use std::future::Future;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

pub(crate) struct Process {
    runtime: Runtime,
    pub(crate) server: Server,
    pub(crate) gate: Gate,
    store: Arc<SharedStore>,
    name: &'static str,
}

impl Process {
    pub(crate) fn start(store: &Arc<SharedStore>, name: &'static str) -> Self {
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
        let gate = Gate::new();
        let limits = Limits { page: 2, ..Limits::default() };
        let builder = Server::builder("probe", "1.0").limits(limits);
        let server = builder.kit(task_kit(&gate)).build().expect("a server");
        server.store_tasks_in(store.handle(name));
        let runtime = runtime.expect("a runtime");
        Self { runtime, server, gate, store: Arc::clone(store), name }
    }

    pub(crate) fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The answer that this caller gets, once everything else has settled.
    pub(crate) fn ask(&self, who: &Who, method: &str, params: Value) -> Value {
        self.run(async {
            let answer = ask(&self.server, who, method, params).await;
            hobnob_mcp_testkit::transcript::quiet().await;
            answer
        })
    }

    /// Calls a tool as a task; returns the task's id.
    pub(crate) fn call(&self, who: &Who, tool: &str) -> String {
        let result = self.ask(who, "tools/call", json!({"name": tool, "task": {}}));
        let result = &result["result"];
        let id = result.get("taskId").or_else(|| result["task"].get("taskId"));
        id.and_then(Value::as_str).unwrap_or_else(|| panic!("no task: {result}")).to_owned()
    }

    /// Ends without running anything any further.
    pub(crate) fn die(self) {
        drop(self.runtime);
        self.store.bury(self.name);
    }
}

/// The caller, and its era.
pub(crate) enum Who {
    /// A legacy session, identified by its name.
    Session(&'static str),
    /// Modern requests of an authenticated principal.
    Principal(&'static str),
}

/// Sends one request and returns its answer, without the envelope's id.
pub(crate) async fn ask(server: &Server, who: &Who, method: &str, mut params: Value) -> Value {
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Connection);
    let (name, principal) = match who {
        Who::Session(name) => (*name, Principal::anonymous()),
        Who::Principal(name) => ("a pipe", Principal::named(name)),
    };
    let session =
        Session::new(server, Eras::Both, principal, ClientId::next(), name, Arc::clone(&outbox));
    let send = async |message: Value| {
        let decoded = Incoming::decode(message.to_string());
        if let Some(work) = session.receive(decoded, &reply)
            && let Some(answer) = work.await
        {
            answer.send();
        }
    };
    match who {
        Who::Session(_) => {
            let params = json!({"protocolVersion": "2025-11-25",
                "capabilities": {"elicitation": {}}, "clientInfo": {"name": "c", "version": "1"}});
            send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))
                .await;
            send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
        Who::Principal(_) => {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {
                    "elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
            });
        }
    }
    send(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
    loop {
        let frame = outbox.frame().await.expect("an answer");
        let mut message: Value = serde_json::from_slice(&frame.bytes).expect("JSON");
        if message["id"] == 1 {
            let message = message.as_object_mut().expect("an object");
            message.retain(|key, _| key == "result" || key == "error");
            return message.clone().into();
        }
    }
}
