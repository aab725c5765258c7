//! What the client does in each scenario. The suite checks it from the server's side; this file
//! only checks that no result is an error.

use anyhow::{Context as _, ensure};
use hobnob_mcp_client::{Client, ListKind};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::tools::CallToolResult;
use serde::Deserialize;
use serde_json::value::RawValue;

/// Runs one scenario. For an unknown one it lists the tools, which every server offers.
pub(crate) async fn run(scenario: &str, client: &Client) -> anyhow::Result<()> {
    let tools = client.list_text(ListKind::Tools).await.context("the list of tools")?;
    match scenario {
        "tools_call" => call(client, "add_numbers", r#"{"a":2,"b":3}"#).await,
        "elicitation-sep1034-client-defaults" => {
            call(client, "test_client_elicitation_defaults", "{}").await
        }
        "sse-retry" => call(client, "test_reconnection", "{}").await,
        "json-schema-2020-12-preservation" => give_schema_back(client, &tools).await,
        "sep-2322-client-request-state" => rounds(client).await,
        "http-standard-headers" => everything(client, &tools).await,
        "http-custom-headers" => calls_from_context(client).await,
        "http-invalid-tool-headers" => {
            for tool in &tools {
                call(client, &string(tool, "name")?, r#"{"region":"us-east1"}"#).await?;
            }
            Ok(())
        }
        // A server may demand authorization for a call only, so listing is not enough.
        scenario if scenario.starts_with("auth/") => call(client, "test-tool", "{}").await,
        _ => Ok(()),
    }
}

async fn call(client: &Client, name: &str, arguments: &str) -> anyhow::Result<()> {
    let called = client.call_tool_text(name, Some(arguments), &Notes::silent()).await;
    let result: CallToolResult = called.with_context(|| format!("the tool {name}"))?;
    ensure!(!result.is_error, "the tool {name} failed: {result:?}");
    Ok(())
}

/// Returns the schema exactly as the server sent it, with unknown keywords.
async fn give_schema_back(client: &Client, tools: &[Box<str>]) -> anyhow::Result<()> {
    let is_it = |tool: &&str| field(tool, "name") == Some(r#""json_schema_2020_12_tool""#);
    let mut tools = tools.iter().map(|tool| &**tool);
    let tool = tools.find(is_it).context("the tool is not in the list")?;
    let schema = field(tool, "inputSchema").context("the tool has no schema")?;
    let arguments = object(|object| {
        object.raw("schema", schema);
    });
    call(client, "json_schema_echo", &arguments).await
}

/// Calls that ask back, and a concurrent one that must not be affected.
async fn rounds(client: &Client) -> anyhow::Result<()> {
    let asking = call(client, "test_mrtr_echo_state", "{}");
    let beside = call(client, "test_mrtr_unrelated", "{}");
    tokio::try_join!(asking, beside)?;
    call(client, "test_mrtr_no_state", "{}").await?;
    call(client, "test_mrtr_no_result_type", "{}").await
}

/// Sends every kind of request whose parameters name something.
async fn everything(client: &Client, tools: &[Box<str>]) -> anyhow::Result<()> {
    for tool in tools {
        call(client, &string(tool, "name")?, "{}").await?;
    }
    for resource in client.remote().list(ListKind::Resources).await? {
        client.read_resource(&string(&resource, "uri")?).await?;
    }
    for prompt in client.remote().list(ListKind::Prompts).await? {
        client.get_prompt(&string(&prompt, "name")?, &()).await?;
    }
    Ok(())
}

/// What the suite passes to its client besides the URL.
#[derive(Deserialize)]
struct Context {
    #[serde(rename = "toolCalls")]
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: Box<RawValue>,
}

async fn calls_from_context(client: &Client) -> anyhow::Result<()> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").context("no calls are named")?;
    let context: Context = serde_json::from_str(&context)?;
    for ToolCall { name, arguments } in &context.tool_calls {
        call(client, name, arguments.get()).await?;
    }
    Ok(())
}

fn string(entry: &str, member: &str) -> anyhow::Result<String> {
    let raw = field(entry, member).with_context(|| format!("an entry has no `{member}`"))?;
    Ok(serde_json::from_str(raw)?)
}
