//! Members that an older revision does not know are left out, or become text.

use crate::support::{LEGACY, greeted, modern, server, spec, with};
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use hobnob_mcp_toolbox::{Kit, KitBuilder, PromptSpec, ResourceSpec, Structured, TaskMode};
use hobnob_mcp_types::annotations::{Annotations, Icon, Role};
use hobnob_mcp_types::content::{Content, EmbeddedResource, TextContent};
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::prompts::{GetPromptResult, PromptArgument, PromptMessage};
use hobnob_mcp_types::resources::{Resource, ResourceContents, TextResourceContents};
use hobnob_mcp_types::tools::{CallToolResult, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;

const ICONS: &str = r#""icons":[{"src":"data:,"}]"#;

/// Each member of a tool's listing, and the revisions that know it.
#[tokio::test(start_paused = true)]
async fn a_tool_is_listed_as_each_revision_knows_it() {
    let known = [
        ("2024-11-05", vec![]),
        ("2025-03-26", vec!["annotations"]),
        ("2025-06-18", vec!["annotations", "title", "outputSchema", "_meta"]),
        ("2025-11-25", vec!["annotations", "title", "outputSchema", "_meta", "icons", "execution"]),
        ("2026-07-28", vec!["annotations", "title", "outputSchema", "_meta", "icons"]),
    ];
    let members = [
        ("annotations", r#""annotations":{"title":"Sum","readOnlyHint":true}"#),
        ("title", r#""title":"Adding up""#),
        ("outputSchema", r#""outputSchema":"$any""#),
        ("_meta", r#""_meta":{"a":1}"#),
        ("icons", ICONS),
        ("execution", r#""execution":{"taskSupport":"optional"}"#),
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"${params}}
        < {"jsonrpc":"2.0","id":1,"result":{${type}"tools":[
            {"name":"add","description":"The tool add.","inputSchema":"$any"${members}},
            {"name":"count","description":"The tool count.","inputSchema":"$any"${array}},
            {"name":"rich","description":"The tool rich.","inputSchema":"$any"}]${us}}}
    "#;
    for (version, known) in known {
        let mine = members.iter().filter(|(name, _)| known.contains(name));
        let mine: String = mine.map(|(_, text)| format!(",{text}")).collect();
        // Until 2025-11-25 structured results were objects, so other schemas are left out.
        let array = if version == "2026-07-28" { r#","outputSchema":"$any""# } else { "" };
        speak(version, &with(&[("members", &mine), ("array", array)], script)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn resources_and_prompts_are_listed_as_each_revision_knows_them() {
    let known = [
        ("2024-11-05", "", ""),
        ("2025-03-26", "", ""),
        ("2025-06-18", r#","title":"T","_meta":{"a":1}"#, r#","title":"A""#),
        (
            "2025-11-25",
            r#","title":"T","_meta":{"a":1},"icons":[{"src":"data:,"}]"#,
            r#","title":"A""#,
        ),
        (
            "2026-07-28",
            r#","title":"T","_meta":{"a":1},"icons":[{"src":"data:,"}]"#,
            r#","title":"A""#,
        ),
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/list"${params}}
        < {"jsonrpc":"2.0","id":1,"result":{${type}"resources":[{"uri":"test://a","name":"a"${more}}]${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/templates/list"${params}}
        < {"jsonrpc":"2.0","id":2,"result":{${type}"resourceTemplates":[
            {"uriTemplate":"test://{b}","name":"b"${more}}]${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"prompts/list"${params}}
        < {"jsonrpc":"2.0","id":3,"result":{${type}"prompts":[{"name":"p","description":"d",
            "arguments":[{"name":"x"${argument}}]${more}}]${us}}}
    "#;
    for (version, more, argument) in known {
        speak(version, &with(&[("more", more), ("argument", argument)], script)).await;
    }
}

/// Audio came with 2025-03-26; links, structured results and content metadata with 2025-06-18;
/// icons, on links too, with 2025-11-25.
#[tokio::test(start_paused = true)]
async fn content_is_written_as_each_revision_knows_it() {
    let link_in_words = r#"{"type":"text","text":"[resource Book One: test://book]"}"#;
    let no_audio = r#"{"type":"text","text":"[audio, audio/wav, about 3 bytes]"}"#;
    let audio = r#"{"type":"audio","data":"AAAA","mimeType":"audio/wav"}"#;
    let link = r#"{"type":"resource_link","uri":"test://book","name":"book","title":"Book One"}"#;
    let link_with_icons = r#"{"type":"resource_link","uri":"test://book","name":"book",
        "title":"Book One","icons":[{"src":"data:,"}]}"#;
    let meta = r#","_meta":{"a":1}"#;
    let data = r#","structuredContent":{"sum":3}"#;
    let cases = [
        ("2024-11-05", "", no_audio, link_in_words, ""),
        ("2025-03-26", "", audio, link_in_words, ""),
        ("2025-06-18", meta, audio, link, data),
        ("2025-11-25", meta, audio, link_with_icons, data),
        ("2026-07-28", meta, audio, link_with_icons, data),
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rich"${more}}}
        < {"jsonrpc":"2.0","id":1,"result":{${done}"content":[
            {"type":"text","text":"t","annotations":{"audience":["user"]}${meta}},
            {"type":"image","data":"AAAA","mimeType":"image/png"},
            ${audio},
            ${link},
            {"type":"resource","resource":{"uri":"test://e","text":"e"${meta}}${meta}}
            ]${data},"_meta":${result}}}
        > {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"p"${more}}}
        < {"jsonrpc":"2.0","id":2,"result":{${done}"messages":[
            {"role":"user","content":${audio}},{"role":"user","content":${link}}]${name}}}
    "#;
    for (version, meta, audio, link, data) in cases {
        // The `_meta` of a result is as old as the protocol.
        let result = match version {
            "2026-07-28" => r#"{"b":2,"io.modelcontextprotocol/serverInfo":"$any"}"#,
            _ => r#"{"b":2}"#,
        };
        let words =
            [("meta", meta), ("audio", audio), ("link", link), ("data", data), ("result", result)];
        speak(version, &with(&words, script)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn resource_contents_are_written_as_each_revision_knows_them() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://a"${more}}}
        < {"jsonrpc":"2.0","id":1,"result":{${type}"contents":[{"uri":"test://a","text":"a"${meta}}]${us}}}
    "#;
    for version in LEGACY.into_iter().chain(["2026-07-28"]) {
        let meta = if version < "2025-06-18" { "" } else { r#","_meta":{"a":1}"# };
        speak(version, &with(&[("meta", meta)], script)).await;
    }
}

/// Every revision gets data as text; those with structured results get it as data too.
#[tokio::test(start_paused = true)]
async fn structured_results_are_text_as_well() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"${more}}}
        < {"jsonrpc":"2.0","id":1,"result":{${done}"content":[{"type":"text","text":"{\"sum\":3}"}]${object}${name}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count"${more}}}
        < {"jsonrpc":"2.0","id":2,"result":{${done}"content":[{"type":"text","text":"[1,2,3]"}]${array}${name}}}
    "#;
    for version in LEGACY.into_iter().chain(["2026-07-28"]) {
        let object = if version < "2025-06-18" { "" } else { r#","structuredContent":{"sum":3}"# };
        let array = if version < "2026-07-28" { "" } else { r#","structuredContent":[1,2,3]"# };
        speak(version, &with(&[("object", object), ("array", array)], script)).await;
    }
}

/// The server's own name, with every member that it may have.
#[tokio::test(start_paused = true)]
async fn the_server_introduces_itself_as_each_revision_knows_it() {
    let mut implementation = Implementation::new("probe", "1.0");
    implementation.title = Some("Probe".into());
    implementation.description = Some("Probes.".into());
    implementation.website_url = Some("https://example.invalid".into());
    implementation.icons = vec![Icon::new("data:,")];
    let server = Server::builder("x", "0").implementation(implementation).build();
    let server = server.expect("a server");
    let title = r#","title":"Probe""#;
    let all = r#","title":"Probe","description":"Probes.","websiteUrl":"https://example.invalid",
        "icons":[{"src":"data:,"}]"#;
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"${version}",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"${version}","capabilities":"$any",
            "serverInfo":{"name":"probe","version":"1.0"${more}}}}
    "#;
    let known =
        [("2024-11-05", ""), ("2025-03-26", ""), ("2025-06-18", title), ("2025-11-25", all)];
    for (version, more) in known {
        converse(&server, &with(&[("version", version), ("more", more)], script)).await;
    }
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],"ttlMs":0,
            "cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{
            "name":"probe","version":"1.0"${more}}}}}
    "#;
    converse(&server, &modern(&with(&[("more", all)], script))).await;
}

/// Runs a script in one revision. Texts that only modern messages have are empty in the other
/// revisions: `params` and `more` of requests; `type`, `us`, `done` and `name` of results.
async fn speak(version: &str, script: &str) {
    let server = server([rich_kit()]);
    if version == "2026-07-28" {
        let words = [
            ("params", r#","params":{${me}}"#),
            ("more", ",${me}"),
            ("type", r#""resultType":"complete","#),
            ("done", r#""resultType":"complete","#),
            ("name", ",${us}"),
            ("us", r#","ttlMs":0,"cacheScope":"private",${us}"#),
        ];
        converse(&server, &modern(&with(&words, script))).await;
    } else {
        let words =
            [("params", ""), ("more", ""), ("type", ""), ("us", ""), ("done", ""), ("name", "")];
        converse(&server, &greeted(version, &with(&words, script))).await;
    }
}

/// A sum.
#[derive(Debug, Serialize, JsonSchema)]
struct Sum {
    /// The sum.
    sum: u32,
}

fn meta(value: &serde_json::Value) -> Option<Box<RawValue>> {
    to_raw_value(value).ok()
}

fn rich_kit() -> KitBuilder {
    let annotations = ToolAnnotations {
        title: Some("Sum".into()),
        read_only_hint: Some(true),
        ..ToolAnnotations::default()
    };
    let add = spec("add").title("Adding up").annotations(annotations).icon(Icon::new("data:,"));
    let add = add.meta(&json!({"a": 1})).tasks(TaskMode::Optional);
    let resource = |name: &str| {
        ResourceSpec::new(name).title("T").icon(Icon::new("data:,")).meta(&json!({"a": 1}))
    };
    let mut argument = PromptArgument::optional("x");
    argument.title = Some("A".into());
    let prompt = PromptSpec::new("d").title("T").icon(Icon::new("data:,")).meta(&json!({"a": 1}));
    Kit::plain("rich")
        .tool("add", add, async || Structured(Sum { sum: 3 }))
        .tool("count", spec("count"), async || Structured(vec![1_u32, 2, 3]))
        .tool("rich", spec("rich"), async || rich())
        .resource("test://a", resource("a"), async || note("test://a", "a"))
        .template("test://{b}", resource("b"), async |_: BTreeMap<String, String>| {
            note("test://b", "b")
        })
        .prompt("p", prompt.argument(argument), async |_: BTreeMap<String, String>| spoken())
}

/// Text with metadata but no MIME type.
fn note(uri: &str, text: &str) -> ResourceContents {
    let meta = meta(&json!({"a": 1}));
    let (uri, text) = (uri.into(), text.into());
    ResourceContents::Text(TextResourceContents { uri, mime_type: None, text, meta })
}

fn book() -> Content {
    let mut book = Resource::new("test://book", "book");
    book.title = Some("Book One".into());
    book.icons = vec![Icon::new("data:,")];
    Content::link(book)
}

fn rich() -> CallToolResult {
    let mut text = TextContent::new("t");
    text.annotations = Some(Annotations { audience: vec![Role::User], ..Annotations::default() });
    text.meta = meta(&json!({"a": 1}));
    let embedded = EmbeddedResource {
        resource: note("test://e", "e"),
        annotations: None,
        meta: meta(&json!({"a": 1})),
    };
    let mut result = CallToolResult::new(vec![
        Content::Text(text),
        Content::image("AAAA", "image/png"),
        Content::audio("AAAA", "audio/wav"),
        book(),
        Content::Resource(embedded),
    ]);
    result.structured_content = meta(&json!({"sum": 3}));
    result.meta = meta(&json!({"b": 2}));
    result
}

fn spoken() -> GetPromptResult {
    GetPromptResult::new(vec![
        PromptMessage::user(Content::audio("AAAA", "audio/wav")),
        PromptMessage::user(book()),
    ])
}
