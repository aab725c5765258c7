//! The vocabulary as data: JSON in, type, JSON out. One table per feature.
//!
//! `same` cases must come out byte for byte; `becomes` cases have one normal form; `refused` cases
//! must fail with a message that names the problem.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::annotations::{Annotations, Icon};
use crate::cache::{CacheHint, CacheScope, Cacheable};
use crate::capabilities::{ClientCapabilities, ServerCapabilities};
use crate::completion::{CompleteParams, CompleteResult};
use crate::content::{Content, SamplingContent};
use crate::elicitation::{ElicitAction, ElicitParams, ElicitResult, UrlElicitationRequired};
use crate::entries::Entries;
use crate::form::{FormSchema, PrimitiveSchema};
use crate::form_field::{NumberSchema, NumberType, StringSchema};
use crate::hello::{DiscoverResult, Implementation, InitializeParams, InitializeResult};
use crate::id::{ProgressToken, RequestId};
use crate::input::{InputRequest, InputRequests, InputRequiredResult};
use crate::input_responses::InputResponses;
use crate::logging::{LoggingLevel, LoggingMessageParams, SetLevelParams};
use crate::meta::{self, MetaParams, NotificationMeta, RequestMeta, ResultMeta};
use crate::page::ListParams;
use crate::progress::{CancelledParams, ProgressParams};
use crate::prompts::{GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptMessage};
use crate::resources::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult,
    Resource, ResourceContents, ResourceUriParams,
};
use crate::result::EmptyResult;
use crate::roots::ListRootsResult;
use crate::sampling::{CreateMessageParams, CreateMessageResult, OneOrMany, SamplingMessage};
use crate::subscriptions::ListenParams;
use crate::tasks::{self, TaskIdParams, TaskStatus};
use crate::tasks_ext::{self, DetailedTask, TaskState, UpdateTaskParams};
use crate::tools::{CallToolParams, CallToolResult, ListToolsResult, Tool};

fn trip<T: Serialize + DeserializeOwned>(input: &str) -> String {
    let value: T = serde_json::from_str(input).unwrap_or_else(|error| panic!("{input}: {error}"));
    serde_json::to_string(&value).unwrap()
}

fn same<T: Serialize + DeserializeOwned>(cases: &[&str]) {
    for case in cases {
        assert_eq!(trip::<T>(case), *case);
    }
}

fn becomes<T: Serialize + DeserializeOwned>(cases: &[(&str, &str)]) {
    for (input, output) in cases {
        assert_eq!(trip::<T>(input), *output, "from {input}");
    }
}

fn refused<T: Debug + DeserializeOwned>(cases: &[(&str, &str)]) {
    for (input, words) in cases {
        let error = serde_json::from_str::<T>(input).expect_err(input).to_string();
        assert!(error.contains(words), "{input}: {error}");
    }
}

fn writes<T: Serialize>(cases: &[(T, &str)]) {
    for (value, output) in cases {
        assert_eq!(serde_json::to_string(value).unwrap(), *output);
    }
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

#[test]
fn content() {
    same::<Content>(&[
        r#"{"type":"text","text":"hi"}"#,
        r#"{"type":"text","text":"hi","annotations":{"audience":["user","critic"],"priority":0.5,"lastModified":"2026-01-01T00:00:00Z"},"_meta":{"z":1,"a":12345678901234567890123}}"#,
        r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#,
        r#"{"type":"audio","data":"AAAA","mimeType":"audio/wav"}"#,
        r#"{"type":"resource_link","uri":"file:///a","name":"a","size":3,"icons":[{"src":"data:,","sizes":["any"],"theme":"sepia"}]}"#,
        r#"{"type":"resource","resource":{"uri":"file:///a","mimeType":"text/plain","text":"x"}}"#,
        r#"{"later":1.50,"type":"hologram","text":7}"#,
    ]);
    becomes::<Content>(&[
        (r#"{"text":"tag last","type":"text"}"#, r#"{"type":"text","text":"tag last"}"#),
        (r#"{"\u0074ype":"te\u0078t","text":"escaped"}"#, r#"{"type":"text","text":"escaped"}"#),
        (
            r#"{"type":"text","text":"","annotations":{"audience":null,"priority":1.0},"_meta":null}"#,
            r#"{"type":"text","text":"","annotations":{"priority":1}}"#,
        ),
    ]);
    refused::<Content>(&[
        (r#"{"text":"no tag"}"#, "`type`"),
        (r#"{"type":"text"}"#, "`text`"),
        (r#"{"type":7,"text":""}"#, "string"),
        (r#""text""#, "object"),
    ]);
    same::<SamplingContent>(&[
        r#"{"type":"tool_use","id":"1","name":"add","input":{"b":1,"a":2}}"#,
        r#"{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"3"}],"structuredContent":null,"isError":true}"#,
        r#"{"type":"resource_link","uri":"file:///a","name":"not for models"}"#,
    ]);
    writes(&[
        (Content::text("a\"b"), r#"{"type":"text","text":"a\"b"}"#),
        (
            Content::image("AA==", "image/gif"),
            r#"{"type":"image","data":"AA==","mimeType":"image/gif"}"#,
        ),
        (
            Content::audio("AA==", "audio/ogg"),
            r#"{"type":"audio","data":"AA==","mimeType":"audio/ogg"}"#,
        ),
        (
            Content::link(Resource::new("x:1", "one")),
            r#"{"type":"resource_link","uri":"x:1","name":"one"}"#,
        ),
        (
            Content::resource(ResourceContents::blob("x:1", "a/b", "AA==")),
            r#"{"type":"resource","resource":{"uri":"x:1","mimeType":"a/b","blob":"AA=="}}"#,
        ),
    ]);
}

#[test]
fn values_inside_a_generic_json_value_decode_too() {
    let value = serde_json::json!({"content": [{"type": "text", "text": "hi"}]});
    let result: CallToolResult = serde_json::from_value(value).unwrap();
    assert_eq!(result.content[0].as_text(), Some("hi"));
}

#[test]
fn decorations() {
    same::<Annotations>(&["{}", r#"{"audience":["assistant"],"priority":0}"#]);
    same::<Icon>(&[r#"{"src":"https://a/b","mimeType":"image/png","theme":"dark"}"#]);
    becomes::<Icon>(&[(r#"{"src":"","sizes":[]}"#, r#"{"src":""}"#)]);
    assert!(
        serde_json::to_string(&Annotations { priority: Some(f64::NAN), ..Annotations::default() })
            .is_err()
    );
}

#[test]
fn tools() {
    same::<Tool>(&[
        r#"{"name":"add","inputSchema":{"type":"object","z":1,"a":1e400}}"#,
        r#"{"name":"add","title":"Add","description":"Adds","inputSchema":{},"outputSchema":true,"annotations":{"title":"T","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"icons":[{"src":"x"}],"execution":{"taskSupport":"optional"},"_meta":{}}"#,
    ]);
    refused::<Tool>(&[(r#"{"name":"add"}"#, "inputSchema"), (r#"{"inputSchema":{}}"#, "name")]);
    same::<ListToolsResult>(&[
        r#"{"tools":[]}"#,
        r#"{"resultType":"complete","tools":[],"nextCursor":"","ttlMs":5,"cacheScope":"public","_meta":{"a":1}}"#,
    ]);
    becomes::<ListToolsResult>(&[(r#"{"tools":[],"ttlMs":-1}"#, r#"{"tools":[],"ttlMs":0}"#)]);
    same::<CallToolParams>(&[
        r#"{"name":"add"}"#,
        r#"{"name":"add","arguments":{"b":18446744073709551616,"a":0.10}}"#,
        r#"{"name":"add","task":{"ttl":60}}"#,
        r#"{"name":"add","inputResponses":{"k":{"action":"accept"}},"requestState":"s","_meta":{"progressToken":1}}"#,
    ]);
    same::<CallToolResult>(&[
        r#"{"content":[]}"#,
        r#"{"resultType":"complete","content":[{"type":"text","text":"x"}],"structuredContent":[1,null],"isError":true,"_meta":{}}"#,
        r#"{"content":[],"structuredContent":null}"#,
        r#"{"resultType":"later","content":[]}"#,
    ]);
    becomes::<CallToolResult>(&[(r#"{"content":[],"isError":false}"#, r#"{"content":[]}"#)]);
    refused::<CallToolResult>(&[
        ("{}", "content"),
        (r#"{"content":[{"type":"image","data":""}]}"#, "mimeType"),
    ]);
    writes(&[
        (CallToolResult::text("x"), r#"{"content":[{"type":"text","text":"x"}]}"#),
        (CallToolResult::error("x"), r#"{"content":[{"type":"text","text":"x"}],"isError":true}"#),
        (
            CallToolResult::structured(raw(r#"{"b":1}"#)),
            r#"{"content":[{"type":"text","text":"{\"b\":1}"}],"structuredContent":{"b":1}}"#,
        ),
    ]);
    let tool = Tool::new("t", raw("{}")).with_title("T").with_description("D");
    writes(&[(
        tool.with_output_schema(raw("{}")),
        r#"{"name":"t","title":"T","description":"D","inputSchema":{},"outputSchema":{}}"#,
    )]);
}

#[test]
fn resources() {
    same::<Resource>(&[
        r#"{"uri":"x:1","name":"one"}"#,
        r#"{"uri":"x:1","name":"one","title":"One","description":"d","mimeType":"a/b","size":0,"annotations":{},"_meta":[]}"#,
    ]);
    same::<ResourceContents>(&[
        r#"{"uri":"x:1","text":""}"#,
        r#"{"uri":"x:1","mimeType":"a/b","blob":"","_meta":{"b":1,"a":2}}"#,
    ]);
    becomes::<ResourceContents>(&[(
        r#"{"uri":"x:1","text":"t","blob":null}"#,
        r#"{"uri":"x:1","text":"t"}"#,
    )]);
    refused::<ResourceContents>(&[
        (r#"{"uri":"x:1"}"#, "neither `text` nor `blob`"),
        (r#"{"uri":"x:1","text":"","blob":""}"#, "both `text` and `blob`"),
        (r#"{"text":""}"#, "uri"),
    ]);
    same::<ListResourcesResult>(&[
        r#"{"resources":[{"uri":"x:1","name":"one"}],"nextCursor":"2"}"#,
    ]);
    same::<ListResourceTemplatesResult>(&[
        r#"{"resultType":"complete","resourceTemplates":[{"uriTemplate":"x:{n}","name":"n"}],"ttlMs":1,"cacheScope":"private"}"#,
    ]);
    same::<ReadResourceParams>(&[r#"{"uri":"x:1","requestState":"s"}"#]);
    same::<ReadResourceResult>(&[r#"{"contents":[{"uri":"x:1","text":"t"}],"ttlMs":0}"#]);
    same::<ResourceUriParams>(&[r#"{"uri":"x:1","_meta":{}}"#]);
    assert_eq!(ResourceContents::text("x:1", "a/b", "t").uri(), "x:1");
}

#[test]
fn prompts() {
    same::<Prompt>(&[
        r#"{"name":"p"}"#,
        r#"{"name":"p","title":"P","description":"d","arguments":[{"name":"a","title":"A","description":"d","required":true}],"icons":[{"src":"x"}],"_meta":{}}"#,
    ]);
    becomes::<Prompt>(&[(r#"{"name":"p","arguments":null,"icons":null}"#, r#"{"name":"p"}"#)]);
    same::<ListPromptsResult>(&[r#"{"prompts":[],"cacheScope":"tribal"}"#]);
    same::<GetPromptParams>(&[r#"{"name":"p","arguments":{"z":"1","a":"2"}}"#]);
    refused::<GetPromptParams>(&[(r#"{"name":"p","arguments":{"z":1}}"#, "string")]);
    same::<GetPromptResult>(&[
        r#"{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"x"}},{"role":"narrator","content":{"type":"new"}}]}"#,
    ]);
    writes(&[
        (
            PromptMessage::user(Content::text("x")),
            r#"{"role":"user","content":{"type":"text","text":"x"}}"#,
        ),
        (
            PromptMessage::assistant(Content::text("x")),
            r#"{"role":"assistant","content":{"type":"text","text":"x"}}"#,
        ),
    ]);
    let asked: GetPromptParams =
        serde_json::from_str(r#"{"name":"p","arguments":{"a":"b"}}"#).unwrap();
    assert_eq!((asked.argument("a"), asked.argument("b")), (Some("b"), None));
}

#[test]
fn completion() {
    same::<CompleteParams>(&[
        r#"{"ref":{"type":"ref/prompt","name":"p","title":"P"},"argument":{"name":"a","value":""},"context":{"arguments":{"z":"1","a":"2"}}}"#,
        r#"{"ref":{"type":"ref/resource","uri":"x:{n}"},"argument":{"name":"n","value":"1"}}"#,
        r#"{"ref":{"type":"ref/tool","name":"t"},"argument":{"name":"n","value":"1"}}"#,
    ]);
    same::<CompleteResult>(&[r#"{"completion":{"values":["a"],"total":2,"hasMore":true}}"#]);
    let many = CompleteResult::new((0..101).map(|number| number.to_string()).collect());
    assert_eq!(many.completion.values.len(), 100);
    assert_eq!((many.completion.total, many.completion.has_more), (Some(101), true));
    assert!(!CompleteResult::new(vec![String::new(); 100]).completion.has_more);
}

#[test]
fn logging() {
    same::<SetLevelParams>(&[r#"{"level":"debug"}"#, r#"{"level":"emergency","_meta":{}}"#]);
    refused::<SetLevelParams>(&[
        (r#"{"level":"loud"}"#, "loud"),
        (r#"{"level":"Debug"}"#, "Debug"),
    ]);
    same::<LoggingMessageParams>(&[
        r#"{"level":"info","logger":"db","data":{"b":1,"a":2}}"#,
        r#"{"level":"error","data":null}"#,
    ]);
    writes(&[(
        LoggingMessageParams::text(LoggingLevel::Notice, "a\nb"),
        r#"{"level":"notice","data":"a\nb"}"#,
    )]);
    let order = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    let levels = order.map(|word| serde_json::from_str(&format!("{word:?}")).unwrap());
    assert!(levels.is_sorted_by(|one: &LoggingLevel, next| one < next));
}

#[test]
fn sampling() {
    same::<CreateMessageParams>(&[
        r#"{"messages":[],"maxTokens":1}"#,
        r#"{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"modelPreferences":{"hints":[{"name":"big"},{}],"costPriority":0,"speedPriority":0.3,"intelligencePriority":1},"systemPrompt":"s","includeContext":"thisServer","temperature":0.7,"maxTokens":100,"stopSequences":["."],"metadata":{"b":1,"a":2},"tools":[{"name":"t","inputSchema":{}}],"toolChoice":{"mode":"required"},"task":{},"_meta":{}}"#,
        r#"{"messages":[],"maxTokens":1,"tools":[],"toolChoice":{}}"#,
    ]);
    same::<SamplingMessage>(&[
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]}"#,
        r#"{"role":"user","content":[],"_meta":{}}"#,
    ]);
    refused::<SamplingMessage>(&[(r#"{"role":"user","content":"x"}"#, "object")]);
    same::<CreateMessageResult>(&[
        r#"{"role":"assistant","content":{"type":"text","text":"x"},"model":"m","stopReason":"endTurn"}"#,
    ]);
    writes(&[(
        CreateMessageResult::text("m", "x"),
        r#"{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}"#,
    )]);
    assert_eq!(OneOrMany::One(1).as_slice(), OneOrMany::Many(vec![1]).as_slice());
}

#[test]
fn forms() {
    same::<PrimitiveSchema>(&[
        r#"{"type":"string"}"#,
        r#"{"type":"string","title":"T","description":"d","minLength":1,"maxLength":2,"format":"date-time","default":"x"}"#,
        r#"{"type":"string","format":"postcode"}"#,
        r#"{"type":"number","minimum":0.5,"maximum":2,"default":1}"#,
        r#"{"type":"integer","default":-3}"#,
        r#"{"type":"boolean","default":false}"#,
        r#"{"type":"string","enum":["a","b"],"default":"a"}"#,
        r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"]}"#,
        r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"}"#,
        r#"{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a"]},"default":["a"]}"#,
        r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#,
        r#"{"type":"object","properties":{"b":1,"a":2}}"#,
        r#"{"const":1.0}"#,
    ]);
    refused::<PrimitiveSchema>(&[
        (r#"{"type":"array"}"#, "items"),
        (r#"{"type":"string","minLength":"1"}"#, "u64"),
        (r#"{"type":"string","oneOf":[{"const":"a"}]}"#, "title"),
        ("[]", "expected"),
    ]);
    same::<FormSchema>(&[
        r#"{"$schema":"s","type":"object","properties":{"z":{"type":"boolean"},"a":{"type":"string"}},"required":["z"]}"#,
    ]);
    refused::<FormSchema>(&[(r#"{"type":"array","properties":{}}"#, "array")]);
    let whole = NumberSchema { kind: NumberType::Integer, ..NumberSchema::default() };
    writes(&[(
        FormSchema::new().required("z", StringSchema::default()).optional("a", whole),
        r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["z"]}"#,
    )]);
}

#[test]
fn elicitation() {
    same::<ElicitParams>(&[
        r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}},"task":{"ttl":1}}"#,
        r#"{"mode":"url","message":"m","url":"https://a","elicitationId":"1"}"#,
        r#"{"mode":"telepathy","message":"m"}"#,
    ]);
    becomes::<ElicitParams>(&[(
        r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
        r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}"#,
    )]);
    refused::<ElicitParams>(&[
        (r#"{"message":"m"}"#, "requestedSchema"),
        (r#"{"mode":"url","message":"m"}"#, "url"),
    ]);
    same::<ElicitResult>(&[
        r#"{"action":"accept","content":{"b":[],"a":1.0}}"#,
        r#"{"action":"decline"}"#,
        r#"{"action":"cancel","_meta":{}}"#,
    ]);
    refused::<ElicitResult>(&[(r#"{"action":"accepted"}"#, "accepted"), ("{}", "action")]);
    same::<UrlElicitationRequired>(&[
        r#"{"elicitations":[{"mode":"url","message":"m","url":"u","elicitationId":"1"}]}"#,
    ]);
    writes(&[(
        ElicitParams::url("m", "https://a"),
        r#"{"mode":"url","message":"m","url":"https://a"}"#,
    )]);
    let sent = ElicitResult::accept(to_raw_value(&[1]).unwrap());
    assert_eq!(sent.form::<Vec<u8>>().unwrap(), Some(vec![1]));
    assert!(sent.form::<String>().is_err());
    let declined = ElicitResult { action: ElicitAction::Decline, ..sent };
    assert_eq!(declined.form::<Vec<u8>>().unwrap(), None);
}

#[test]
fn roots() {
    same::<ListRootsResult>(&[
        r#"{"roots":[{"uri":"file:///a"},{"uri":"file:///b","name":"B","_meta":{}}],"_meta":{}}"#,
    ]);
    refused::<ListRootsResult>(&[("{}", "roots")]);
}

#[test]
fn tasks_of_2025() {
    same::<tasks::Task>(&[
        r#"{"taskId":"1","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":null}"#,
        r#"{"taskId":"1","status":"paused","statusMessage":"m","createdAt":"c","lastUpdatedAt":"l","ttl":1,"pollInterval":2,"_meta":{}}"#,
    ]);
    same::<tasks::LegacyCreateTaskResult>(&[
        r#"{"task":{"taskId":"1","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":1}}"#,
    ]);
    same::<TaskIdParams>(&[r#"{"taskId":"1"}"#]);
    same::<tasks::ListTasksResult>(&[r#"{"tasks":[],"nextCursor":"2"}"#]);
    let words = ["working", "input_required", "completed", "failed", "cancelled", "paused"];
    let finals = words.map(|word| TaskStatus::from(word).is_final());
    assert_eq!(finals, [false, false, true, true, true, false]);
}

#[test]
fn tasks_of_the_extension() {
    same::<DetailedTask>(&[
        r#"{"taskId":"1","status":"working","createdAt":"c","lastUpdatedAt":"l","ttlMs":null}"#,
        r#"{"resultType":"complete","taskId":"1","status":"input_required","statusMessage":"m","createdAt":"c","lastUpdatedAt":"l","ttlMs":1,"pollIntervalMs":2,"inputRequests":{"k":{"method":"roots/list"}},"_meta":{}}"#,
        r#"{"taskId":"1","status":"completed","createdAt":"c","lastUpdatedAt":"l","ttlMs":1,"result":{"content":[],"b":1,"a":1e999}}"#,
        r#"{"taskId":"1","status":"failed","createdAt":"c","lastUpdatedAt":"l","ttlMs":1,"error":{"code":-32603,"message":"m"}}"#,
        r#"{"taskId":"1","status":"cancelled","createdAt":"c","lastUpdatedAt":"l","ttlMs":1}"#,
    ]);
    refused::<DetailedTask>(&[
        (
            r#"{"taskId":"1","status":"completed","createdAt":"c","lastUpdatedAt":"l","ttlMs":1}"#,
            "result",
        ),
        (
            r#"{"taskId":"1","status":"failed","createdAt":"c","lastUpdatedAt":"l","ttlMs":1}"#,
            "error",
        ),
        (
            r#"{"taskId":"1","status":"input_required","createdAt":"c","lastUpdatedAt":"l","ttlMs":1}"#,
            "inputRequests",
        ),
        (
            r#"{"taskId":"1","status":"paused","createdAt":"c","lastUpdatedAt":"l","ttlMs":1}"#,
            "paused",
        ),
    ]);
    same::<UpdateTaskParams>(&[r#"{"taskId":"1","inputResponses":{"k":{"b":1,"a":2}}}"#]);
    writes(&[(
        tasks_ext::CreateTaskResult::working("1", "c"),
        r#"{"resultType":"task","taskId":"1","status":"working","createdAt":"c","lastUpdatedAt":"c","ttlMs":null}"#,
    )]);
    assert_eq!(TaskState::Cancelled.status(), TaskStatus::Cancelled);
}

#[test]
fn capabilities() {
    same::<ClientCapabilities>(&[
        "{}",
        r#"{"roots":{},"sampling":{"context":{},"tools":{"max":1}},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}},"extensions":{"z/ui":{"mimeTypes":["a"]},"a/b":{}},"experimental":{"x":true}}"#,
        r#"{"roots":{"listChanged":true}}"#,
    ]);
    same::<ServerCapabilities>(&[
        r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{},"completions":{},"logging":{},"tasks":{"requests":{"tools":{"call":{}}}},"extensions":{"a/b":{}}}"#,
    ]);
    becomes::<ServerCapabilities>(&[(r#"{"tools":{"listChanged":null}}"#, r#"{"tools":{}}"#)]);
    refused::<ServerCapabilities>(&[
        (r#"{"logging":true}"#, "an object"),
        (r#"{"logging":{"a":1,"b":2,"a":3}}"#, "duplicate key `a`"),
    ]);
    for (input, forms, pages, tools) in [
        ("{}", false, false, false),
        (r#"{"elicitation":{},"sampling":{}}"#, true, false, false),
        (r#"{"elicitation":{"form":{}},"sampling":{"tools":{}}}"#, true, false, true),
        (r#"{"elicitation":{"url":{}}}"#, false, true, false),
        (r#"{"elicitation":{"form":{},"url":{}}}"#, true, true, false),
    ] {
        let client: ClientCapabilities = serde_json::from_str(input).unwrap();
        let able =
            (client.can_fill_forms(), client.can_visit_pages(), client.can_sample_with_tools());
        assert_eq!(able, (forms, pages, tools), "{input}");
    }
}

#[test]
fn entries_keep_their_order() {
    let mut entries: Entries<u8> = [("z", 1), ("a", 2), ("z", 3)].into_iter().collect();
    entries.insert("m", 4);
    writes(&[(entries.clone(), r#"{"z":3,"a":2,"m":4}"#)]);
    same::<Entries<u8>>(&["{}", r#"{"z":3,"a":2,"m":4}"#]);
    assert_eq!((entries.get("a"), entries.get("b")), (Some(&2), None));
    assert!(entries.contains("m") && !entries.contains("n"));
}

#[test]
fn hello() {
    same::<InitializeParams>(&[
        r#"{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
    ]);
    same::<InitializeResult>(&[
        r#"{"protocolVersion":"2099-01-01","capabilities":{},"serverInfo":{"name":"s","title":"S","version":"1","description":"d","websiteUrl":"w","icons":[{"src":"x"}]},"instructions":"i","_meta":{}}"#,
    ]);
    same::<DiscoverResult>(&[
        r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"i","ttlMs":1,"cacheScope":"public","_meta":{"k":1}}"#,
    ]);
    refused::<Implementation>(&[(r#"{"name":"c"}"#, "version")]);
}

#[test]
fn metadata() {
    same::<RequestMeta>(&[
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/logLevel":"info","progressToken":"1","io.modelcontextprotocol/related-task":{"taskId":"1"},"traceparent":"t","tracestate":"s","baggage":"b"}"#,
        "{}",
    ]);
    same::<NotificationMeta>(&[
        r#"{"io.modelcontextprotocol/subscriptionId":1}"#,
        r#"{"io.modelcontextprotocol/subscriptionId":"1"}"#,
    ]);
    same::<ResultMeta>(&[
        r#"{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"},"io.modelcontextprotocol/subscriptionId":1}"#,
    ]);
    same::<MetaParams>(&["{}", r#"{"_meta":{"b":1,"a":2}}"#]);
    same::<EmptyResult>(&["{}", r#"{"resultType":"complete","_meta":{}}"#]);
    same::<ListParams>(&["{}", r#"{"cursor":""}"#]);
}

#[test]
fn metadata_keys_are_those_of_the_views() {
    let request = RequestMeta {
        protocol_version: Some(String::new()),
        client_capabilities: Some(ClientCapabilities::default()),
        client_info: Some(Implementation::default()),
        log_level: Some(LoggingLevel::Info),
        progress_token: Some(ProgressToken(RequestId::from(1))),
        related_task: Some(tasks::RelatedTask::default()),
        ..RequestMeta::default()
    };
    let written = serde_json::to_value(request).unwrap();
    for key in [
        meta::PROTOCOL_VERSION,
        meta::CLIENT_CAPABILITIES,
        meta::CLIENT_INFO,
        meta::LOG_LEVEL,
        meta::PROGRESS_TOKEN,
        meta::RELATED_TASK,
    ] {
        assert!(written.get(key).is_some(), "{key}");
    }
    let result = ResultMeta {
        server_info: Some(Implementation::default()),
        subscription_id: Some(RequestId::from(1)),
        related_task: None,
    };
    let written = serde_json::to_value(result).unwrap();
    assert!(written.get(meta::SERVER_INFO).is_some());
    assert!(written.get(meta::SUBSCRIPTION_ID).is_some());
}

#[test]
fn subscriptions() {
    same::<ListenParams>(&[
        r#"{"notifications":{}}"#,
        r#"{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["x:1"],"taskIds":["1"]},"_meta":{}}"#,
    ]);
    becomes::<ListenParams>(&[(
        r#"{"notifications":{"toolsListChanged":false,"taskIds":[]}}"#,
        r#"{"notifications":{}}"#,
    )]);
    refused::<ListenParams>(&[("{}", "notifications")]);
}

#[test]
fn progress() {
    same::<ProgressParams>(&[
        r#"{"progressToken":"t","progress":1,"total":3,"message":"m"}"#,
        r#"{"progressToken":7,"progress":0.25}"#,
    ]);
    refused::<ProgressParams>(&[
        (r#"{"progressToken":null,"progress":1}"#, "string or an integer"),
        (r#"{"progressToken":1}"#, "progress"),
    ]);
    same::<CancelledParams>(&[r#"{"requestId":1,"reason":"r"}"#, "{}"]);
    let token = ProgressToken(RequestId::from(1));
    writes(&[(ProgressParams::new(token, 1e300), r#"{"progressToken":1,"progress":1e+300}"#)]);
}

#[test]
fn input() {
    same::<InputRequests>(&[
        r#"{"z":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"u"}},"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}},"m":{"method":"roots/list"}}"#,
        r#"{"k":{"method":"roots/list","params":{"_meta":{"b":1,"a":2}}}}"#,
        r#"{"k":{"params":[1.0],"method":"later/thing"}}"#,
    ]);
    refused::<InputRequest>(&[
        (r#"{"method":"elicitation/create"}"#, "params"),
        (r#"{"params":{}}"#, "method"),
    ]);
    same::<InputRequiredResult>(&[
        r#"{"resultType":"input_required","inputRequests":{},"requestState":"s"}"#,
        r#"{"resultType":"input_required","requestState":"s","_meta":{}}"#,
    ]);
    let needs = InputRequests::new()
        .elicit("z", ElicitParams::url("m", "u"))
        .create_message("a", CreateMessageParams::new(Vec::new(), 1))
        .list_roots("m");
    writes(&[(
        InputRequiredResult::new(needs, None),
        r#"{"resultType":"input_required","inputRequests":{"z":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"u"}},"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}},"m":{"method":"roots/list"}}}"#,
    )]);
    let given = r#"{"ask":{"action":"decline"},"say":{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"},"see":{"roots":[]}}"#;
    let answers: InputResponses = serde_json::from_str(given).unwrap();
    assert_eq!(answers.elicit("ask").unwrap().unwrap().action, ElicitAction::Decline);
    assert_eq!(answers.create_message("say").unwrap().unwrap().model, "m");
    assert!(answers.list_roots("see").unwrap().unwrap().roots.is_empty());
    assert!(answers.elicit("absent").unwrap().is_none());
    assert!(answers.elicit("see").is_err());
    assert_eq!(serde_json::to_string(&answers).unwrap(), given);
}

#[test]
fn the_strictest_cache_hint_wins() {
    let hint = |ttl_ms, scope| CacheHint { ttl_ms, scope };
    for (one, other, both) in [
        (hint(5, CacheScope::Public), hint(9, CacheScope::Public), hint(5, CacheScope::Public)),
        (hint(5, CacheScope::Public), hint(3, CacheScope::Private), hint(3, CacheScope::Private)),
        (
            hint(5, CacheScope::Other("x".into())),
            hint(5, CacheScope::Public),
            hint(5, CacheScope::Private),
        ),
        (hint(5, CacheScope::Public), CacheHint::NONE, CacheHint::NONE),
    ] {
        assert_eq!(one.strictest(other), both);
    }
    assert_eq!(ListToolsResult::default().cache_hint(), CacheHint::NONE);
    let public = hint(7, CacheScope::Public);
    assert_eq!(DiscoverResult::default().with_cache_hint(public.clone()).cache_hint(), public);
}
