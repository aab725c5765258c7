//! Asking a legacy client during a call: elicitation, sampling, roots.

use crate::support::{LEGACY, greeted, greeted_with, server, spec, with};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use hobnob_mcp_toolbox::{CallContext, Context, Kit, KitBuilder, ToolError};
use hobnob_mcp_types::annotations::Role;
use hobnob_mcp_types::content::SamplingContent;
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitParams};
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::form_field::StringSchema;
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::sampling::{CreateMessageParams, OneOrMany, SamplingMessage};
use std::time::Duration;

const ALL: &str = r#"{"sampling":{},"roots":{},"elicitation":{"form":{},"url":{}}}"#;

/// Sampling is as old as the protocol.
#[tokio::test(start_paused = true)]
async fn a_model_is_asked_in_every_revision() {
    let script = r#"
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sample"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"sampling/createMessage","params":{
            "messages":[{"role":"user","content":{"type":"text",
                "text":"Suggest tags for: Use PostgreSQL for storage"}}],"maxTokens":100}}
        # While the model thinks, everything else goes on.
        > {"jsonrpc":"2.0","id":8,"method":"ping"}
        < {"jsonrpc":"2.0","id":8,"result":{}}
        > {"jsonrpc":"2.0","id":${question},"result":{"role":"assistant","model":"m","stopReason":"endTurn",
            "content":{"type":"text","text":"storage"}}}
        < {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"storage"}]}}
    "#;
    for version in LEGACY {
        let script = greeted_with(version, r#"{"sampling":{}}"#, script);
        converse(&server([question_kit()]), &script).await;
    }
}

/// Tools in sampling came with 2025-11-25, for clients that declare them.
#[tokio::test(start_paused = true)]
async fn a_model_is_given_tools_where_it_can_use_them() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample_with_tools"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"sampling/createMessage","params":{
            "messages":"$any","maxTokens":100,"tools":[]}}
        > {"jsonrpc":"2.0","id":${question},"result":{"role":"assistant","model":"m",
            "content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"too much"}],"isError":true}}
    "#;
    let script = greeted_with("2025-11-25", r#"{"sampling":{"tools":{}}}"#, script);
    converse(&server([question_kit()]), &script).await;
}

#[tokio::test(start_paused = true)]
async fn roots_are_asked_for_in_every_revision() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"result":{"roots":[{"uri":"file:///a","name":"A"},{"uri":"file:///b"}]}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"file:///a file:///b"}]}}
    "#;
    for version in LEGACY {
        let script = greeted_with(version, r#"{"roots":{}}"#, script);
        converse(&server([question_kit()]), &script).await;
    }
}

/// Forms came with 2025-06-18, their `mode` with 2025-11-25.
#[tokio::test(start_paused = true)]
async fn a_person_is_asked_to_fill_in_a_form() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"elicit"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":{${mode}
            "message":"Who are you?","requestedSchema":{"type":"object",
            "properties":{"name":{"type":"string"}},"required":["name"]}}}
        > {"jsonrpc":"2.0","id":${question},"result":${answer}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${text}"}]}}
    "#;
    let answers = [
        (r#"{"action":"accept","content":{"name":"Ann"}}"#, "hello Ann"),
        (r#"{"action":"decline"}"#, "declined"),
        (r#"{"action":"cancel"}"#, "cancelled"),
    ];
    for (version, mode) in [("2025-06-18", ""), ("2025-11-25", r#""mode":"form","#)] {
        for (answer, text) in answers {
            let script = with(&[("mode", mode), ("answer", answer), ("text", text)], script);
            let script = greeted_with(version, r#"{"elicitation":{}}"#, &script);
            converse(&server([question_kit()]), &script).await;
        }
    }
}

/// Pages came with 2025-11-25, in which each has an id of its own.
#[tokio::test(start_paused = true)]
async fn a_person_is_asked_to_visit_a_page() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"visit"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":{"mode":"url",
            "message":"Log in","url":"https://example.invalid/login","elicitationId":"$any"}}
        > {"jsonrpc":"2.0","id":${question},"result":{"action":"accept"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"visited"}]}}
    "#;
    let script = greeted_with("2025-11-25", r#"{"elicitation":{"url":{}}}"#, script);
    converse(&server([question_kit()]), &script).await;
}

/// A client is never asked for what it did not declare, or for what its revision does not have: the
/// call fails and names the missing capability.
#[tokio::test(start_paused = true)]
async fn a_client_is_not_asked_what_it_cannot_do() {
    let form = r#"{"elicitation":{}}"#;
    let url = r#"{"elicitation":{"url":{}}}"#;
    let cases = [
        ("sample", "{}", r#"{"sampling":{}}"#, LEGACY.as_slice()),
        ("roots", r#"{"sampling":{}}"#, r#"{"roots":{}}"#, &LEGACY),
        ("elicit", r#"{"sampling":{}}"#, form, &LEGACY),
        ("elicit", url, form, &["2025-11-25"]),
        // Before 2025-06-18 there was no elicitation, even if a client declared it.
        ("elicit", ALL, form, &["2024-11-05", "2025-03-26"]),
        ("visit", form, url, &["2025-06-18", "2025-11-25"]),
        ("visit", ALL, url, &["2024-11-05", "2025-03-26", "2025-06-18"]),
        ("sample_with_tools", r#"{"sampling":{}}"#, r#"{"sampling":{"tools":{}}}"#, &LEGACY),
        // Tools in sampling came with 2025-11-25.
        (
            "sample_with_tools",
            r#"{"sampling":{"tools":{}}}"#,
            r#"{"sampling":{"tools":{}}}"#,
            &LEGACY[..3],
        ),
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$has capability",
            "data":{"requiredCapabilities":${needed}}}}
    "#;
    for (tool, capabilities, needed, versions) in cases {
        for version in versions {
            let script = with(&[("tool", tool), ("needed", needed)], script);
            let script = greeted_with(version, capabilities, &script);
            converse(&server([question_kit()]), &script).await;
        }
    }
}

/// If a client refuses, the tool fails with the client's message; other calls are not affected.
#[tokio::test(start_paused = true)]
async fn a_refusal_makes_the_tool_fail() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample"}}
        < {"jsonrpc":"2.0","id":"$keep first","method":"sampling/createMessage","params":"$any"}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep second","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${first},"error":{"code":-1,"message":"User rejected sampling request"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"$has User rejected sampling request"}],"isError":true}}
        > {"jsonrpc":"2.0","id":${second},"result":{"roots":[]}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":""}]}}
        # A second answer to the same question is too late.
        > {"jsonrpc":"2.0","id":${first},"result":{"role":"assistant","model":"m","content":{"type":"text","text":"late"}}}
        !
    "#;
    for version in LEGACY {
        converse(&server([question_kit()]), &greeted_with(version, ALL, script)).await;
    }
}

/// A malformed answer makes the call fail; it does not crash the server.
#[tokio::test(start_paused = true)]
async fn an_answer_without_its_shape_is_refused() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"elicit"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"result":${answer}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has inputResponses.who"}}
    "#;
    for answer in ["{}", r#"{"action":"perhaps"}"#, "7", r#""accept""#, "null"] {
        let script = with(&[("answer", answer)], script);
        let script = greeted_with("2025-06-18", ALL, &script);
        converse(&server([question_kit()]), &script).await;
    }
}

/// Several questions of one round are sent together, and answered in any order.
#[tokio::test(start_paused = true)]
async fn several_questions_are_asked_at_once() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_all"}}
        < {"jsonrpc":"2.0","id":"$keep form","method":"elicitation/create","params":"$any"}
        < {"jsonrpc":"2.0","id":"$keep model","method":"sampling/createMessage","params":"$any"}
        < {"jsonrpc":"2.0","id":"$keep roots","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${roots},"result":{"roots":[]}}
        > {"jsonrpc":"2.0","id":${form},"result":{"action":"decline"}}
        !
        > {"jsonrpc":"2.0","id":${model},"result":{"role":"assistant","model":"m","content":{"type":"text","text":"a"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"all answered"}]}}
        # If one is refused, the others are taken back.
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_all"}}
        < {"jsonrpc":"2.0","id":"$keep form","method":"elicitation/create","params":"$any"}
        < {"jsonrpc":"2.0","id":"$keep model","method":"sampling/createMessage","params":"$any"}
        < {"jsonrpc":"2.0","id":"$keep roots","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${model},"error":{"code":-1,"message":"no"}}
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${form}}}
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${roots}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":"$any","isError":true}}
    "#;
    converse(&server([question_kit()]), &greeted_with("2025-06-18", ALL, script)).await;
}

/// One question after another; the tool's own state comes back.
#[tokio::test(start_paused = true)]
async fn questions_may_come_one_after_another() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_twice"}}
        < {"jsonrpc":"2.0","id":"$keep one","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${one},"result":{"action":"accept","content":{"name":"Ann"}}}
        < {"jsonrpc":"2.0","id":"$keep two","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${two},"result":{"action":"accept","content":{"name":"Bob"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Ann, Bob, state 1"}]}}
    "#;
    for version in ["2025-06-18", "2025-11-25"] {
        converse(&server([question_kit()]), &greeted_with(version, ALL, script)).await;
    }
}

/// A tool that asks again and again is stopped.
#[tokio::test(start_paused = true)]
async fn endless_questions_end() {
    let round = r#"
        < {"jsonrpc":"2.0","id":"$keep question","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"result":{"roots":[]}}
    "#;
    let limits = Limits { ask_rounds: 3, ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = server.kit(question_kit()).build().expect("a server");
    let begin = r#"> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"endless"}}"#;
    let end = r#"< {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}"#;
    let script = format!("{begin}\n{}\n{end}", round.repeat(3));
    converse(&server, &greeted_with("2025-06-18", ALL, &script)).await;
}

/// The server stops waiting for a client that never answers, and cancels the question.
#[tokio::test(start_paused = true)]
async fn an_answer_that_never_comes_ends_the_call() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"sampling/createMessage","params":"$any"}
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${question}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-31002,"message":"$has no answer within 1 s"}}
    "#;
    let limits = Limits { ask_timeout: Duration::from_secs(1), ..Limits::default() };
    let server = Server::builder("probe", "1.0").limits(limits);
    let server = server.kit(question_kit()).build().expect("a server");
    converse(&server, &greeted_with("2024-11-05", ALL, script)).await;
}

/// Resources and prompts may ask as well.
#[tokio::test(start_paused = true)]
async fn resources_and_prompts_may_ask_too() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://asks"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"result":{"action":"accept","content":{"name":"Ann"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"test://asks","mimeType":"text/plain","text":"hello Ann"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"asks"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"result":{"action":"accept","content":{"name":"Bob"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"messages":[{"role":"user","content":{"type":"text","text":"hello Bob"}}]}}
        # Here a refusal is an error: only tools have results that say "failed".
        > {"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"asks"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"elicitation/create","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"error":{"code":-32602,"message":"no"}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"$has no"}}
    "#;
    converse(&server([question_kit()]), &greeted_with("2025-11-25", ALL, script)).await;
}

/// The server's questions have ids of their own; a client's requests with the same ids are not
/// mixed up with them.
#[tokio::test(start_paused = true)]
async fn ids_of_both_directions_are_apart() {
    let script = r#"
        > {"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"method":"ping"}
        < {"jsonrpc":"2.0","id":${question},"result":{}}
        > {"jsonrpc":"2.0","id":${question},"method":"tools/call","params":{"name":"greet"}}
        < {"jsonrpc":"2.0","id":${question},"result":{"content":[{"type":"text","text":"hello"}]}}
        # An answer to what was never asked, or under another type of id, is nobody's.
        > {"jsonrpc":"2.0","id":"${question}","result":{"roots":[{"uri":"file:///wrong"}]}}
        > {"jsonrpc":"2.0","id":4711,"result":{"roots":[{"uri":"file:///wrong"}]}}
        !
        > {"jsonrpc":"2.0","id":${question},"result":{"roots":[{"uri":"file:///right"}]}}
        < {"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":"file:///right"}]}}
    "#;
    converse(&server([question_kit()]), &greeted_with("2025-06-18", ALL, script)).await;
}

/// The client's input ends with a question open: the call ends at once.
#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_answers_nothing() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$any","method":"roots/list","params":"$any"}
        end
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the client is gone"}],"isError":true}}
    "#;
    converse(&server([question_kit()]), &greeted_with("2025-06-18", ALL, script)).await;
}

/// A tool that asks nothing needs no capabilities.
#[tokio::test(start_paused = true)]
async fn a_tool_that_asks_nothing_needs_nothing() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}]}}
    "#;
    for version in LEGACY {
        converse(&server([question_kit()]), &greeted(version, script)).await;
    }
}

/// One tool, resource or prompt for each way to ask.
pub(crate) fn question_kit() -> KitBuilder {
    Kit::plain("questions")
        .tool("greet", spec("greet"), async || Ok("hello"))
        .tool("elicit", spec("elicit"), async |context: Context| who(&context, "who"))
        .tool("visit", spec("visit"), async |context: Context| {
            let page = ElicitParams::url("Log in", "https://example.invalid/login");
            let answer = context.elicit_with("page", page)?;
            Ok(if answer.action == ElicitAction::Accept { "visited" } else { "not visited" })
        })
        .tool("sample", spec("sample"), async |context: Context| {
            said(context.sample("model", suggestion())?.content)
        })
        .tool("sample_with_tools", spec("sample_with_tools"), async |context: Context| {
            let mut params = suggestion();
            params.tools = Some(Vec::new());
            said(context.sample("model", params)?.content)
        })
        .tool("roots", spec("roots"), async |context: Context| {
            let roots = context.roots("roots")?.roots;
            let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
            Ok(uris.join(" "))
        })
        .tool("ask_all", spec("ask_all"), async |context: Context| {
            let all = InputRequests::new().elicit("form", form("Who?"));
            let all = all.create_message("model", suggestion()).list_roots("roots");
            context.ask(all)?;
            Ok("all answered")
        })
        .tool("ask_twice", spec("ask_twice"), ask_twice)
        .tool("endless", spec("endless"), async |context: Context| {
            let seen = context.request_state().map_or(0, |state| state.len());
            let key = format!("round{seen}");
            let question = InputRequests::new().list_roots(key);
            context.ask_with_request_state(question, "x".repeat(seen + 1))?;
            Ok("enough")
        })
        .resource("test://asks", "asks", async |context: Context| who(&context, "who"))
        .prompt("asks", "Asks.", async |context: Context| who(&context, "who"))
}

async fn ask_twice(context: Context) -> Result<String, ToolError> {
    let one = name(&context, "one")?;
    let state = context.request_state().unwrap_or("nothing").to_owned();
    if context.answers().get("two").is_none() {
        let question = InputRequests::new().elicit("two", form("And you?"));
        context.ask_with_request_state(question, "state 1")?;
    }
    Ok(format!("{one}, {}, {state}", name(&context, "two")?))
}

fn form(message: &str) -> ElicitParams {
    ElicitParams::form(message, FormSchema::new().required("name", StringSchema::default()))
}

fn name(context: &CallContext, key: &str) -> Result<String, ToolError> {
    let answer = context.elicit_with(key, form("Who are you?"))?;
    let form: Option<serde_json::Value> = answer.form()?;
    let name = form.as_ref().and_then(|form| form["name"].as_str());
    Ok(name.unwrap_or_default().to_owned())
}

fn who(context: &CallContext, key: &str) -> Result<String, ToolError> {
    match context.elicit_with(key, form("Who are you?"))?.action {
        ElicitAction::Accept => Ok(format!("hello {}", name(context, key)?)),
        ElicitAction::Decline => Ok("declined".into()),
        ElicitAction::Cancel => Ok("cancelled".into()),
    }
}

fn suggestion() -> CreateMessageParams {
    let text = SamplingContent::text("Suggest tags for: Use PostgreSQL for storage");
    let message = SamplingMessage { role: Role::User, content: OneOrMany::One(text), meta: None };
    CreateMessageParams::new(vec![message], 100)
}

fn said(content: OneOrMany<SamplingContent>) -> Result<String, ToolError> {
    match content {
        OneOrMany::One(one) => Ok(one.as_text().unwrap_or_default().to_owned()),
        OneOrMany::Many(_) => Err(ToolError::failed("too much")),
    }
}
