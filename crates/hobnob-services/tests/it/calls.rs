//! Direct calls of a server with one service, without a connection.

use hobnob_mcp_engine::{
    Answers, Arrival, Call, Caller, ClientId, Notes, Outcome, Principal, Service as _, TaskOffer,
};
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use hobnob_mcp_types::{Method, Params, Revision, RpcError};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// A client on its own pipe.
pub(crate) fn pipe() -> Caller {
    Caller {
        revision: Revision::NEWEST,
        capabilities: Arc::default(),
        client: None,
        client_id: ClientId::next(),
        principal: Principal::anonymous(),
        log_level: None,
        via: None,
        arrival: Arrival::next(),
    }
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
