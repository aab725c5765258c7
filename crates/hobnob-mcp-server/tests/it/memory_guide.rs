//! The examples of a memory server's protocol page for revision 2024-11-05: its requests verbatim,
//! and its answers with the additions that the protocol allows.
//!
//! This server differs from those answers in two permitted ways: `listChanged` and `subscribe` are
//! true instead of false, since the lists do change and can be subscribed to; and schemas are
//! closed, with every property described. The page's own error codes (-32604 and so on) need no
//! support: a tool may fail with any code.

use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, ResourceSpec, ToolError, ToolSpec};
use hobnob_mcp_types::annotations::Role;
use hobnob_mcp_types::content::{Content, SamplingContent};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::prompts::{GetPromptResult, PromptMessage};
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_mcp_types::sampling::{CreateMessageParams, OneOrMany, SamplingMessage};
use hobnob_mcp_types::{ErrorCode, RpcError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const HELLO: &str = r#"
    > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05",
        "capabilities":{"roots":{"listChanged":true},"sampling":{}},
        "clientInfo":{"name":"claude-code","version":"1.0.0"}}}
    < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05",
        "capabilities":{"tools":{"listChanged":true},
            "resources":{"subscribe":true,"listChanged":true},
            "prompts":{"listChanged":true},"logging":{}},
        "serverInfo":{"name":"subcog","version":"0.1.0"}}}
    > {"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

fn after_hello(script: &str) -> String {
    format!("{HELLO}{script}")
}

#[tokio::test(start_paused = true)]
async fn tools_are_listed_and_called() {
    let script = r#"
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":2,"result":{"tools":[
            {"name":"subcog_capture","description":"Capture a memory to persistent storage",
                "inputSchema":{"type":"object","properties":{"content":{"type":"string"},
                    "namespace":{"type":"string","enum":["decisions","patterns"]},
                    "tags":{"type":"array","items":{"type":"string"}},"source":{"type":"string"}},
                    "required":["content","namespace"]}},
            {"name":"subcog_enrich","description":"$any","inputSchema":"$any"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"subcog_capture",
            "arguments":{"namespace":"decisions","content":"Use PostgreSQL for storage"}}}
        # Log messages come while the call runs.
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info",
            "logger":"subcog_capture","data":"Captured memory dc58d23a..."}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text",
            "text":"{\"id\": \"dc58d23a...\", \"urn\": \"subcog://project/decisions/dc58d23a...\"}"}]}}
    "#;
    converse(&subcog(), &after_hello(script)).await;
}

/// A namespace that the schema forbids, and one that the tool itself refuses.
#[tokio::test(start_paused = true)]
async fn a_bad_namespace_is_a_bad_parameter() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"subcog_capture",
            "arguments":{"namespace":"unknown","content":"Use PostgreSQL"}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has arguments.namespace",
            "data":{"problems":"$any"}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"subcog_capture",
            "arguments":{"namespace":"decisions","content":"secret"}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32605,"message":"Content blocked"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"subcog_capture",
            "arguments":{"namespace":"patterns","content":"Use PostgreSQL"}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid namespace: patterns"}}
    "#;
    converse(&subcog(), &after_hello(script)).await;
}

#[tokio::test(start_paused = true)]
async fn resources_are_listed_and_read() {
    let script = r#"
        > {"jsonrpc":"2.0","id":4,"method":"resources/list"}
        < {"jsonrpc":"2.0","id":4,"result":{"resources":[
            {"uri":"subcog://help","name":"Help Documentation",
                "description":"Subcog help and documentation","mimeType":"text/markdown"},
            {"uri":"subcog://project","name":"Project Memories",
                "description":"List project-scoped memories","mimeType":"application/json"}]}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"subcog://project/decisions"}}
        < {"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"subcog://project/decisions",
            "mimeType":"application/json","text":"{\"count\": 5, \"memories\": [...]}"}]}}
    "#;
    converse(&subcog(), &after_hello(script)).await;
}

#[tokio::test(start_paused = true)]
async fn prompts_are_listed_and_filled_in() {
    let script = r#"
        > {"jsonrpc":"2.0","id":6,"method":"prompts/list"}
        < {"jsonrpc":"2.0","id":6,"result":{"prompts":[{"name":"subcog_capture",
            "description":"Guided memory capture","arguments":[
                {"name":"content","description":"Content to capture","required":true}]}]}}
        > {"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"subcog_capture",
            "arguments":{"content":"Important decision"}}}
        < {"jsonrpc":"2.0","id":7,"result":{"description":"Guided memory capture","messages":[
            {"role":"user","content":{"type":"text",
                "text":"Capture this memory:\n\nContent: Important decision\n\nSuggested namespace: decisions..."}}]}}
    "#;
    converse(&subcog(), &after_hello(script)).await;
}

/// The page's sampling request. The server chooses the id.
#[tokio::test(start_paused = true)]
async fn the_clients_model_is_asked() {
    let script = r#"
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"subcog_enrich"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"sampling/createMessage","params":{
            "messages":[{"role":"user","content":{"type":"text",
                "text":"Suggest tags for: Use PostgreSQL for storage"}}],"maxTokens":100}}
        > {"jsonrpc":"2.0","id":${question},"result":{"role":"assistant","model":"m",
            "content":{"type":"text","text":"database, storage"}}}
        < {"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"database, storage"}]}}
    "#;
    converse(&subcog(), &after_hello(script)).await;
}

/// The page's notifications, which have no parameters.
#[tokio::test(start_paused = true)]
async fn changed_lists_are_announced() {
    let script = r#"
        do remove
        = {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
        = {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}
        < {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}
    "#;
    let server = subcog();
    converse_doing(&server, &after_hello(script), |_| {
        assert!(server.toolbox().expect("a toolbox").remove("subcog"));
    })
    .await;
}

/// The page's table of standard errors.
#[tokio::test(start_paused = true)]
async fn standard_errors_have_their_codes() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"$any"}}
        > {"jsonrpc":"2.0","id":1}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$any"}}
        > {"jsonrpc":"2.0","id":2,"method":"memories/list"}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"$any"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"$any"}}
        # Batches came later than this revision, whatever the page recommends.
        > [{"jsonrpc":"2.0","id":4,"method":"tools/list"}]
        < {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"$has batch"}}
    "#;
    converse(&subcog(), &after_hello(script)).await;
}

/// A memory to be.
#[derive(Debug, Deserialize, JsonSchema)]
struct Capture {
    /// What to keep.
    content: String,
    /// Where to keep it.
    namespace: String,
}

fn subcog() -> Server {
    let server = Server::builder("subcog", "0.1.0");
    server.kit(kit()).build().expect("a server")
}

fn kit() -> KitBuilder {
    let schema = json!({
        "type": "object",
        "properties": {
            "content": {"type": "string"},
            "namespace": {"type": "string", "enum": ["decisions", "patterns"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "source": {"type": "string"},
        },
        "required": ["content", "namespace"],
    });
    let words = "Capture a memory to persistent storage";
    let help = ResourceSpec::new("Help Documentation")
        .description("Subcog help and documentation")
        .mime_type("text/markdown");
    let project = ResourceSpec::new("Project Memories")
        .description("List project-scoped memories")
        .mime_type("application/json");
    Kit::plain("subcog")
        .tool("subcog_capture", ToolSpec::new(words).schema(schema), capture)
        .tool("subcog_enrich", "Suggests tags.", async |context: Context| {
            let text = "Suggest tags for: Use PostgreSQL for storage";
            let content = OneOrMany::One(SamplingContent::text(text));
            let message = SamplingMessage { role: Role::User, content, meta: None };
            let asked = CreateMessageParams::new(vec![message], 100);
            match context.sample("tags", asked)?.content {
                OneOrMany::One(one) => Ok(one.as_text().unwrap_or_default().to_owned()),
                OneOrMany::Many(_) => Err(ToolError::failed("too many tags")),
            }
        })
        .resource("subcog://help", help, async || "# Help")
        .resource("subcog://project", project, async || MEMORIES)
        .template(
            "subcog://project/{namespace}",
            "Memories of a namespace",
            async |_: ByNamespace, context: Context| {
                ResourceContents::text(context.name(), "application/json", MEMORIES)
            },
        )
        .prompt("subcog_capture", "Guided memory capture", guide)
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "every namespace has the same memories")]
struct ByNamespace {
    /// Which one.
    namespace: String,
}

#[derive(Deserialize, JsonSchema)]
struct Guide {
    /// Content to capture
    content: String,
}

const MEMORIES: &str = r#"{"count": 5, "memories": [...]}"#;

async fn capture(memory: Capture, context: Context) -> Result<String, ToolError> {
    if memory.content == "secret" {
        return Err(RpcError::new(ErrorCode(-32605), "Content blocked").into());
    }
    if memory.namespace != "decisions" {
        return Err(ToolError::params(format!("Invalid namespace: {}", memory.namespace)));
    }
    context.log(LoggingLevel::Info, &"Captured memory dc58d23a...");
    let urn = "subcog://project/decisions/dc58d23a...";
    Ok(format!(r#"{{"id": "dc58d23a...", "urn": "{urn}"}}"#))
}

async fn guide(given: Guide) -> GetPromptResult {
    let content = given.content;
    let text =
        format!("Capture this memory:\n\nContent: {content}\n\nSuggested namespace: decisions...");
    let mut result = GetPromptResult::new(vec![PromptMessage::user(Content::text(text))]);
    result.description = Some("Guided memory capture".into());
    result
}
