//! Direct calls of a server with one service, without a connection.

use hobnob_mcp_engine::{
    Answers, Call, Caller, ClientId, Note, NoteSink, Notes, Outcome, Principal, Service as _,
    StreamEvent, TaskOffer,
};
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Method, Params, RpcError};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// A client on its own pipe.
pub(crate) fn pipe() -> Caller {
    Caller::new(ClientId::next(), Principal::anonymous())
}

/// A client with this principal; an unnamed one if `who` is empty.
pub(crate) fn client_of(who: &str) -> Caller {
    let principal = if who.is_empty() { Principal::anonymous() } else { Principal::named(who) };
    Caller { principal, ..pipe() }
}

pub(crate) fn call_of(caller: &Caller, method: Method, params: &Value) -> Call {
    Call {
        method,
        params: Arc::new(Params::from_json(params.to_string()).unwrap()),
        caller: caller.clone(),
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    }
}

/// The result of a call that has no questions for its caller.
pub(crate) async fn result_of(
    server: &Server,
    call: Call,
    notes: Notes,
) -> Result<Value, RpcError> {
    let caller = call.caller.clone();
    match server.toolbox().unwrap().call(call, notes).await {
        Ok(Outcome::Complete(answer)) => Ok(serde_json::from_str(&answer.body).unwrap()),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_rpc(&caller)),
    }
}

/// The result of a method, or its error, for the caller `who` with a client of this name.
pub(crate) async fn ask(
    server: &Server,
    (who, client): (&str, &str),
    method: Method,
    params: &Value,
) -> Value {
    let client = Some(Arc::new(Implementation::new(client, "1")));
    let call = call_of(&Caller { client, ..client_of(who) }, method, params);
    result_of(server, call, Notes::silent())
        .await
        .unwrap_or_else(|error| json!({"code": error.code.0, "message": error.message}))
}

/// The data in the result of a tool.
pub(crate) fn data_in(tool: &str, mut result: Value) -> Value {
    assert!(result.get("structuredContent").is_some(), "{tool}: {result}");
    result["structuredContent"].take()
}

/// Notes that pass each event to `take`; there must be no other notes.
pub(crate) fn on_event(take: impl Fn(StreamEvent) + Send + Sync + 'static) -> Notes {
    Notes::new(Arc::new(EventTaker(take)))
}

struct EventTaker<F>(F);

impl<F: Fn(StreamEvent) + Send + Sync + 'static> NoteSink for EventTaker<F> {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        let Note::Event(event) = note else { panic!("{note:?}") };
        (self.0)(event);
    }
}

/// A script that starts with the handshake of a client called `script`.
pub(crate) fn greeted(version: &str, script: &str) -> String {
    let hello = r#"
        > {"jsonrpc":"2.0","id":"hello","method":"initialize","params":{
            "protocolVersion":"${version}","capabilities":{},
            "clientInfo":{"name":"script","version":"1"}}}
        < {"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":"${version}",
            "capabilities":"$any","serverInfo":"$any"}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
    "#;
    format!("let version = {version}\n{hello}{script}")
}

/// A script without a handshake: `me` is the metadata of its client, `us` the metadata of results,
/// and `call` begins a call of a tool.
pub(crate) fn modern(script: &str) -> String {
    let words = r#"
        let me = "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientInfo":{"name":"script","version":"1"},
            "io.modelcontextprotocol/clientCapabilities":{}}
        let us = "resultType":"complete",
            "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"probe","version":"1.0"}}
        let call = "jsonrpc":"2.0","method":"tools/call"
    "#;
    format!("{words}{script}")
}

/// Holds a conversation while the clock is paused. The store's threads do not belong to the
/// runtime, so the clock must not advance while they work: a blocking task holds it back, for at
/// most a minute, after which idle time counts as such again.
pub(crate) async fn converse_with_store(server: &Server, script: &str) {
    let (over, is_over) = std::sync::mpsc::sync_channel::<()>(0);
    let holding = tokio::task::spawn_blocking(move || {
        is_over.recv_timeout(Duration::from_secs(60)).ok();
    });
    converse(server, script).await;
    drop(over);
    holding.await.unwrap();
}
