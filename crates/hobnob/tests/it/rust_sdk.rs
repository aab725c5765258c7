//! The official Rust client, in this very process: no installation, so never skipped.

use std::error::Error;

use rmcp::model::{
    CallToolRequestParams, ClientRequest, PingRequest, ProtocolVersion, ServerResult,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use rmcp::transport::streamable_http_client::StreamableHttpClient;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess};
use tokio::process::Command;

use crate::health::assert_healthy;
use crate::program::{HttpServer, PROGRAM, serve_http, within};

fn legacy() -> ClientLifecycleMode {
    ClientLifecycleMode::Initialize
}

fn modern() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

fn child() -> TokioChildProcess {
    let mut command = Command::new(PROGRAM);
    // Two of these tests at once would share a hub, which ends with the first of them.
    command.arg("serve").env("HOBNOB_NO_REUSE", "1").kill_on_drop(true);
    TokioChildProcess::new(command).unwrap()
}

/// A transport to this server. Its client needs the cryptography named, although it
/// never uses any.
pub(crate) fn http(
    server: &HttpServer,
) -> StreamableHttpClientTransport<impl StreamableHttpClient> {
    let _already = rustls::crypto::ring::default_provider().install_default();
    StreamableHttpClientTransport::from_uri(server.url.as_str())
}

async fn check<T, E, A>(transport: T, lifecycle: ClientLifecycleMode)
where
    T: IntoTransport<RoleClient, E, A>,
    E: Error + Send + Sync + 'static,
{
    // The modern era has no ping.
    let pings = lifecycle == legacy();
    let connecting = ().serve_with_lifecycle(transport, lifecycle);
    let client = within("the handshake", connecting).await.unwrap();
    if pings {
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let pong = within("the pong", client.send_request(ping)).await.unwrap();
        assert!(matches!(pong, ServerResult::EmptyResult(_)), "{pong:?}");
    }
    let tools = within("the tools", client.list_all_tools()).await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "health_check"), "{tools:?}");
    let call = client.call_tool(CallToolRequestParams::new("health_check"));
    let result = within("the result", call).await.unwrap();
    assert_healthy(&serde_json::to_value(result).unwrap());
    within("the farewell", client.cancel()).await.unwrap();
}

#[tokio::test]
async fn rmcp_legacy_stdio() {
    check(child(), legacy()).await;
}

#[tokio::test]
async fn rmcp_modern_stdio() {
    check(child(), modern()).await;
}

#[tokio::test]
async fn rmcp_legacy_http() {
    let server = serve_http().await;
    check(http(&server), legacy()).await;
}

#[tokio::test]
async fn rmcp_modern_http() {
    let server = serve_http().await;
    check(http(&server), modern()).await;
}
