//! Lists, pages, reading, prompts and completion: what is offered, and how clients request it.

use crate::support::{LEGACY, greeted, modern, plain_kit, server, spec, with};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{CompletionRequest, Kit, KitBuilder, ResourceSpec, ToolError};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::{GetPromptResult, PromptMessage};
use hobnob_mcp_types::resources::ResourceContents;
use schemars::JsonSchema;
use serde::Deserialize;

/// Only existing kinds of items are declared; the methods of others are not found.
#[tokio::test(start_paused = true)]
async fn what_is_not_declared_is_not_found() {
    let methods = [
        ("resources/list", "{}"),
        ("resources/templates/list", "{}"),
        ("resources/read", r#"{"uri":"test://a"}"#),
        ("resources/subscribe", r#"{"uri":"test://a"}"#),
        ("resources/unsubscribe", r#"{"uri":"test://a"}"#),
        ("prompts/list", "{}"),
        ("prompts/get", r#"{"name":"a"}"#),
        (
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":""}}"#,
        ),
        ("tasks/list", "{}"),
        ("tasks/get", r#"{"taskId":"a"}"#),
        ("tasks/result", r#"{"taskId":"a"}"#),
        ("tasks/cancel", r#"{"taskId":"a"}"#),
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: ${method}"}}
    "#;
    for version in LEGACY {
        for (method, params) in methods {
            let script = with(&[("method", method), ("params", params)], script);
            converse(&server([plain_kit()]), &greeted(version, &script)).await;
        }
    }
}

/// All kinds of items, in the form that each revision declares them.
#[tokio::test(start_paused = true)]
async fn all_that_is_there_is_declared() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"${version}",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"${version}","capabilities":{
            "tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},
            "prompts":{"listChanged":true},"logging":{}${more}},"serverInfo":"$any"}}
    "#;
    for version in LEGACY {
        // The first revision has completion, but no capability for it.
        let more = if version == "2024-11-05" { "" } else { r#","completions":{}"# };
        let script = with(&[("version", version), ("more", more)], script);
        converse(&server([library_kit()]), &script).await;
    }
}

#[tokio::test(start_paused = true)]
async fn lists_are_sorted_and_the_same_each_time() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"tools":[
            {"name":"crash","description":"$any","inputSchema":"$any"},
            {"name":"echo","description":"The tool echo.","inputSchema":{"type":"object",
                "description":"One text.",
                "properties":{"text":{"type":"string","description":"What to say."}},
                "required":["text"],"additionalProperties":false}},
            {"name":"fail","description":"$any","inputSchema":"$any"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
        < {"jsonrpc":"2.0","id":2,"result":{"tools":[
            {"name":"crash","description":"$any","inputSchema":"$any"},
            {"name":"echo","description":"$any","inputSchema":"$any"},
            {"name":"fail","description":"$any","inputSchema":"$any"}]}}
    "#;
    for version in LEGACY {
        converse(&server([plain_kit()]), &greeted(version, script)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn resources_are_listed_and_read() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"resources":[
            {"uri":"test://bytes","name":"bytes","mimeType":"image/png"},
            {"uri":"test://hello","name":"hello","description":"A greeting.","mimeType":"text/plain"},
            {"uri":"test://nothing","name":"nothing"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/templates/list"}
        < {"jsonrpc":"2.0","id":2,"result":{"resourceTemplates":[
            {"uriTemplate":"test://books/{id}","name":"book"},
            {"uriTemplate":"test://files/{+path}","name":"file"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"test://hello"}}
        < {"jsonrpc":"2.0","id":3,"result":{"contents":[
            {"uri":"test://hello","mimeType":"text/plain","text":"hello"}]}}
        > {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"test://bytes"}}
        < {"jsonrpc":"2.0","id":4,"result":{"contents":[
            {"uri":"test://bytes","mimeType":"image/png","blob":"AAAA"}]}}
        # A variable stays within its segment and is decoded.
        > {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"test://books/a%20b"}}
        < {"jsonrpc":"2.0","id":5,"result":{"contents":[
            {"uri":"test://books/a%20b","mimeType":"text/plain","text":"book a b"}]}}
        > {"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"test://books/a/b"}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32002,
            "message":"resource not found: test://books/a/b","data":{"uri":"test://books/a/b"}}}
        > {"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"test://files/a/b.txt"}}
        < {"jsonrpc":"2.0","id":7,"result":{"contents":[
            {"uri":"test://files/a/b.txt","mimeType":"text/plain","text":"file a/b.txt"}]}}
        # What is listed but has nothing in it does not exist either.
        > {"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"test://nothing"}}
        < {"jsonrpc":"2.0","id":8,"error":{"code":-32002,
            "message":"resource not found: test://nothing","data":{"uri":"test://nothing"}}}
        > {"jsonrpc":"2.0","id":9,"method":"resources/read","params":{}}
        < {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"`params.uri` must be a string"}}
        > {"jsonrpc":"2.0","id":10,"method":"resources/read","params":{"uri":"test://books/locked"}}
        < {"jsonrpc":"2.0","id":10,"error":{"code":-32603,"message":"the book is locked"}}
    "#;
    for version in LEGACY {
        converse(&server([library_kit()]), &greeted(version, script)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn prompts_are_listed_and_filled_in() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"prompts/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"prompts":[
            {"name":"plain","description":"No arguments."},
            {"name":"review","description":"Reviews code.","arguments":[
                {"name":"language","description":"Which one.","required":true},
                {"name":"style","description":"How."}]}]}}
        > {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"review",
            "arguments":{"language":"rust"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"description":"A review","messages":[
            {"role":"user","content":{"type":"text","text":"Review this rust."}},
            {"role":"assistant","content":{"type":"text","text":"Gladly."}}]}}
        > {"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"plain"}}
        < {"jsonrpc":"2.0","id":3,"result":{"messages":[
            {"role":"user","content":{"type":"text","text":"Plain."}}]}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"review","arguments":{"style":"a"}}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"$has `language`"}}
        > {"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"nobody"}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Unknown prompt: nobody"}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"review","arguments":{"language":7}}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"$has `params.arguments`"}}
        > {"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"`params.name` must be a string"}}
    "#;
    for version in LEGACY {
        converse(&server([library_kit()]), &greeted(version, script)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_are_completed() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{
            "ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"r"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["ruby","rust"],"total":2,"hasMore":false}}}
        # What was filled in before counts (since 2025-06-18; older clients never send it).
        > {"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{
            "ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"r"},
            "context":{"arguments":{"style":"short"}}}}
        < {"jsonrpc":"2.0","id":2,"result":{"completion":{"values":["rust"],"total":1,"hasMore":false}}}
        > {"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{
            "ref":{"type":"ref/resource","uri":"test://books/{id}"},"argument":{"name":"id","value":"1"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"completion":{"values":"$keep hundred","total":150,"hasMore":true}}}
        # Nothing is known of this argument: that is no error.
        > {"jsonrpc":"2.0","id":4,"method":"completion/complete","params":{
            "ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"style","value":"x"}}}
        < {"jsonrpc":"2.0","id":4,"result":{"completion":{"values":[],"total":0,"hasMore":false}}}
        > {"jsonrpc":"2.0","id":5,"method":"completion/complete","params":{
            "ref":{"type":"ref/prompt","name":"nobody"},"argument":{"name":"a","value":""}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$any"}}
        > {"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{
            "ref":{"type":"ref/tool","name":"echo"},"argument":{"name":"a","value":""}}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"$any"}}
        > {"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"argument":{"name":"a","value":""}}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"$has ref"}}
    "#;
    for version in LEGACY {
        converse(&server([library_kit()]), &greeted(version, script)).await;
    }
}

/// Spec, completion: at most a hundred values at once.
#[test]
fn the_script_above_gets_no_more_than_a_hundred_values() {
    let result = hobnob_mcp_types::completion::CompleteResult::new(vec![String::new(); 150]);
    assert_eq!(result.completion.values.len(), 100);
}

/// Pages neither repeat nor skip items, and clients cannot make cursors of their own.
#[tokio::test(start_paused = true)]
async fn lists_come_in_pages() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"${meta}}
        < {"jsonrpc":"2.0","id":1,"result":{${type}"tools":[
            {"name":"a","description":"$any","inputSchema":"$any"},
            {"name":"b","description":"$any","inputSchema":"$any"}],"nextCursor":"$keep second"${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":${second}${more}}}
        < {"jsonrpc":"2.0","id":2,"result":{${type}"tools":[
            {"name":"c","description":"$any","inputSchema":"$any"},
            {"name":"d","description":"$any","inputSchema":"$any"}],"nextCursor":"$keep third"${us}}}
        # What goes away in between disturbs nobody: the third page is what is left after `d`.
        do remove
        ${list_changed}
        > {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":${third}${more}}}
        < {"jsonrpc":"2.0","id":3,"result":{${type}"tools":[
            {"name":"e","description":"$any","inputSchema":"$any"}]${us}}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"cursor":${second}${more}}}
        < {"jsonrpc":"2.0","id":4,"result":{${type}"tools":[
            {"name":"c","description":"$any","inputSchema":"$any"},
            {"name":"e","description":"$any","inputSchema":"$any"}]${us}}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/list","params":{"cursor":"bm9uc2Vuc2U"${more}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$has `params.cursor`"}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"cursor":7${more}}}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"$has `params.cursor`"}}
        # A cursor of one list means nothing to another.
        > {"jsonrpc":"2.0","id":7,"method":"prompts/list","params":{"cursor":${second}${more}}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"$has `params.cursor`"}}
    "#;
    let list_changed = r#"< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let legacy = script.replace("${list_changed}", list_changed);
    let nothing = [("meta", ""), ("more", ""), ("type", ""), ("us", "")];
    for version in LEGACY {
        page_through(&greeted(version, &with(&nothing, &legacy))).await;
    }
    let words = [
        ("meta", r#","params":{${me}}"#),
        ("more", ",${me}"),
        ("type", r#""resultType":"complete","#),
        ("us", r#","ttlMs":0,"cacheScope":"private",${us}"#),
    ];
    page_through(&modern(&with(&words, &script.replace("${list_changed}", "")))).await;
}

async fn page_through(script: &str) {
    let limits = Limits { page: 2, ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = ["a", "b", "c", "d", "e"].iter().fold(server, |server, name| {
        server.kit(Kit::plain(*name).tool(*name, spec(name), async || "a"))
    });
    let server = server.kit(library_kit()).build().expect("a server");
    converse_doing(&server, script, |_| {
        assert!(server.toolbox().expect("a toolbox").remove("d"));
    })
    .await;
}

/// Every kind of list is paged.
#[tokio::test(start_paused = true)]
async fn every_list_has_pages() {
    let lists = [
        ("resources/list", "resources", "3"),
        ("resources/templates/list", "resourceTemplates", "2"),
        ("prompts/list", "prompts", "2"),
    ];
    let first = r#"
        > {"jsonrpc":"2.0","id":1,"method":"${method}"}
        < {"jsonrpc":"2.0","id":1,"result":{"${member}":["$any"],"nextCursor":"$keep next"}}
    "#;
    let middle = r#"
        > {"jsonrpc":"2.0","id":2,"method":"${method}","params":{"cursor":${next}}}
        < {"jsonrpc":"2.0","id":2,"result":{"${member}":["$any"],"nextCursor":"$keep next"}}
    "#;
    let last = r#"
        > {"jsonrpc":"2.0","id":3,"method":"${method}","params":{"cursor":${next}}}
        < {"jsonrpc":"2.0","id":3,"result":{"${member}":["$any"]}}
    "#;
    let limits = Limits { page: 1, ..Limits::default() };
    for (method, member, pages) in lists {
        let middle = if pages == "3" { middle } else { "" };
        let script = format!("{first}{middle}{last}");
        let script = with(&[("method", method), ("member", member)], &script);
        let server = Server::builder("probe", "1.0").limits(limits.clone());
        let server = server.kit(library_kit()).build().expect("a server");
        converse(&server, &greeted("2024-11-05", &script)).await;
    }
}

#[derive(Deserialize, JsonSchema)]
struct ById {
    /// Which book.
    id: String,
}

#[derive(Deserialize, JsonSchema)]
struct ByPath {
    /// Which file.
    path: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the style only matters to completions")]
struct Review {
    /// Which one.
    language: String,
    /// How.
    style: Option<String>,
}

/// A kit with three resources, two templates, two prompts, and completions.
pub(crate) fn library_kit() -> KitBuilder {
    let hello = ResourceSpec::new("hello").mime_type("text/plain").description("A greeting.");
    Kit::plain("library")
        .resource("test://hello", hello, async || "hello")
        .resource("test://bytes", ResourceSpec::new("bytes").mime_type("image/png"), async || {
            ResourceContents::blob("test://bytes", "image/png", "AAAA")
        })
        .resource("test://nothing", "nothing", async || None::<String>)
        .template("test://books/{id}", "book", async |book: ById| match book.id.as_str() {
            "locked" => Err(ToolError::failed("the book is locked")),
            id => Ok(format!("book {id}")),
        })
        .template("test://files/{+path}", "file", async |file: ByPath| {
            format!("file {}", file.path)
        })
        .prompt("review", "Reviews code.", review_code)
        .prompt("plain", "No arguments.", async || "Plain.")
        .complete("review", "language", complete_language)
        .complete("test://books/{id}", "id", async |_: CompletionRequest| {
            (0..150).map(|number| number.to_string()).collect::<Vec<_>>()
        })
}

async fn review_code(asked: Review) -> GetPromptResult {
    let mut result = GetPromptResult::new(vec![
        PromptMessage::user(Content::text(format!("Review this {}.", asked.language))),
        PromptMessage::assistant(Content::text("Gladly.")),
    ]);
    result.description = Some("A review".into());
    result
}

async fn complete_language(typed: CompletionRequest) -> Vec<String> {
    match typed.arguments.get("style").map(String::as_str) {
        Some("short") => typed.matching(["rust"]),
        _ => typed.matching(["go", "ruby", "rust"]),
    }
}
