//! Asking back: which questions a run asks, depending on the answers it has.

use super::{Bench, call_of, caller};
use crate::{Context, Kit, KitBuilder, ToolError, ToolSpec};
use hobnob_mcp_engine::{Answers, Outcome, Service as _};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::capabilities::{ClientCapabilities, SamplingCapability};
use hobnob_mcp_types::elicitation::{ElicitParams, ElicitResult};
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::sampling::CreateMessageParams;
use serde_json::{Value, json};

fn form() -> ElicitParams {
    ElicitParams::form("Who?", FormSchema::new())
}

fn kit() -> KitBuilder {
    Kit::plain("k")
        .tool("one", "Asks", |context: Context| async move {
            let answer = context.elicit_with("name", form())?;
            Ok(format!("{:?}", answer.action))
        })
        .tool("all", "Asks", |context: Context| async move {
            let requests = InputRequests::new()
                .elicit("name", form())
                .create_message("words", CreateMessageParams::new(Vec::new(), 5))
                .list_roots("roots");
            context.ask_with_request_state(requests, "step 1")?;
            let answer: ElicitResult = context.answer("name")?;
            Ok(format!("{:?} {}", answer.action, context.request_state().unwrap_or("no state")))
        })
        .tool("needs", "Asks", |context: Context| async move {
            let sampling = Some(SamplingCapability::default());
            context.require(ClientCapabilities { sampling, ..ClientCapabilities::default() })?;
            Ok(())
        })
}

fn answers(given: &Value, state: Option<&str>) -> Answers {
    let mut answers = Answers::default();
    answers.end_round(state.map(str::to_owned));
    answers.add(serde_json::from_value(given.clone()).unwrap());
    answers
}

#[tokio::test]
async fn runs_ask_for_what_is_missing_and_take_what_is_there() {
    let bench = Bench::new([kit()]);
    let everything = json!({"sampling": {}, "elicitation": {}, "roots": {}});
    let yes = json!({"action": "accept", "content": {}});
    let words =
        json!({"role": "assistant", "content": {"type": "text", "text": "a"}, "model": "m"});
    let roots = json!({"roots": []});
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let refused = json!(-32602);
    let incapable = json!(-32021);
    for (tool, capabilities, given, expected) in [
        ("one", &everything, json!({}), json!(["name"])),
        ("one", &everything, json!({"other": yes}), json!(["name"])),
        ("one", &everything, json!({"name": yes}), text("Accept")),
        ("one", &everything, json!({"name": {"action": "decline"}}), text("Decline")),
        ("one", &everything, json!({"name": 12345}), refused.clone()),
        ("one", &everything, json!({"name": {"action": "sure"}}), refused.clone()),
        ("one", &json!({}), json!({}), incapable.clone()),
        ("all", &everything, json!({}), json!(["name", "words", "roots"])),
        ("all", &everything, json!({"words": words}), json!(["name", "roots"])),
        ("all", &everything, json!({"words": 1}), refused.clone()),
        ("all", &everything, json!({"roots": yes}), refused.clone()),
        (
            "all",
            &everything,
            json!({"name": yes, "words": words, "roots": roots}),
            text("Accept step 1"),
        ),
        ("all", &json!({"elicitation": {}}), json!({}), incapable.clone()),
        ("needs", &everything, json!({}), json!({"content": []})),
        ("needs", &json!({"elicitation": {}}), json!({}), incapable),
    ] {
        let mut call = call_of(tool, json!({}));
        call.caller = caller(Revision::NEWEST, capabilities.clone());
        call.answers = answers(&given, Some("step 1"));
        let shown = bench.shown(call).await;
        let shown = match (shown.get("asks"), shown.get("code")) {
            (Some(asked), _) => asked.as_object().unwrap().keys().cloned().collect(),
            (None, Some(code)) => code.clone(),
            (None, None) => shown,
        };
        assert_eq!(shown, expected, "{tool} {given}");
    }
}

#[tokio::test]
async fn state_goes_out_with_the_questions() {
    let bench = Bench::new([kit()]);
    for (tool, state) in [("one", None), ("all", Some("step 1"))] {
        let mut call = call_of(tool, json!({}));
        let everything = json!({"sampling": {}, "elicitation": {}, "roots": {}});
        call.caller = caller(Revision::NEWEST, everything);
        match bench.toolbox.call(call, hobnob_mcp_engine::Notes::silent()).await {
            Ok(Outcome::NeedsInput(questions)) => assert_eq!(questions.state.as_deref(), state),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_task_asks_like_a_call() {
    let spec = ToolSpec::new("Asks later").tasks(crate::TaskMode::Chosen);
    let kit = Kit::plain("k").tool("t", spec, |context: Context| async move {
        let who = context.elicit_with("who", form())?;
        let who = who.form::<String>().map_err(ToolError::failed)?.unwrap_or_default();
        context
            .start_task(move |_| {
                let who = who.clone();
                async move { Ok(who) }
            })
            .await
    });
    let bench = Bench::new([kit]);
    let run = |given: Value| {
        let mut call = call_of("t", json!({}));
        call.caller = caller(Revision::NEWEST, json!({"elicitation": {}}));
        call.answers = answers(&given, None);
        call.task =
            hobnob_mcp_engine::TaskOffer::Able { owner: hobnob_mcp_engine::TaskOwner::default() };
        bench.shown(call)
    };
    assert!(run(json!({})).await.get("asks").is_some());
    let accept = json!({"who": {"action": "accept", "content": "Alice"}});
    assert_eq!(run(accept).await, json!({"task": "working"}));
}
