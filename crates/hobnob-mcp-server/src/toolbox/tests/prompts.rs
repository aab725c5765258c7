//! Prompts: what must be filled in, what comes out, what is suggested.

use super::{Bench, call, refusal};
use crate::toolbox::{Kit, Typing};
use hobnob_mcp_engine::Outcome;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::{Prompt, PromptArgument, PromptMessage};
use hobnob_mcp_types::{Method, Revision};
use serde_json::json;

fn kit() -> Kit {
    let greet = Prompt::new("greet")
        .with_description("Greets")
        .with_argument(PromptArgument::required("name"))
        .with_argument(PromptArgument::optional("tone"));
    let sound = Prompt::new("sound").with_description("Sounds");
    Kit::plain("k")
        .prompt(greet, |given, _| async move {
            Ok(given.iter().map(|(key, value)| format!("{key}={value} ")).collect::<String>())
        })
        .unwrap()
        .prompt(sound, |_, _| async move {
            Ok(vec![PromptMessage::assistant(Content::audio("AA==", "audio/wav"))])
        })
        .unwrap()
        .complete_prompt("greet", "name", |typing: Typing, _| async move {
            let tone = typing.given.get("tone").cloned().unwrap_or_default();
            Ok(vec![format!("{}{tone}", typing.value)])
        })
        .unwrap()
}

#[tokio::test]
async fn prompts_are_filled_in_or_refused() {
    let bench = Bench::new([kit()]);
    let said = |text: &str| json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]});
    let refused = |text: &str| json!({"code": -32602, "message": text});
    let needs = "prompt `greet` needs the argument `name`";
    let odd = "`params.arguments`: invalid type: integer `1`, expected a string at line 1 column 9";
    for (params, expected) in [
        (json!({"name": "greet", "arguments": {"tone": "b", "name": "a"}}), said("tone=b name=a ")),
        (json!({"name": "greet", "arguments": {"name": ""}}), said("name= ")),
        (json!({"name": "greet", "arguments": {"tone": "b"}}), refused(needs)),
        (json!({"name": "greet", "arguments": null}), refused(needs)),
        (json!({"name": "greet"}), refused(needs)),
        (json!({"name": "greet", "arguments": {"name": 1}}), refused(odd)),
        (json!({"name": "none"}), refused("Unknown prompt: none")),
    ] {
        assert_eq!(
            bench.shown(call(Method::PromptsGet, params.clone())).await,
            expected,
            "{params}"
        );
    }
    match bench.ask(Method::PromptsGet, json!({"name": "sound"})).await {
        Ok(Outcome::Complete(answer)) => assert_eq!(answer.floor, Revision::V2025_03_26),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn suggestions_see_what_is_filled_in_already() {
    let bench = Bench::new([kit()]);
    for (name, argument, context, expected) in [
        ("greet", "name", json!({}), json!({"values": ["ab"], "total": 1, "hasMore": false})),
        (
            "greet",
            "name",
            json!({"arguments": {"tone": "!"}}),
            json!({"values": ["ab!"], "total": 1, "hasMore": false}),
        ),
        ("greet", "tone", json!({}), json!({"values": [], "total": 0, "hasMore": false})),
        ("none", "tone", json!({}), json!(null)),
    ] {
        let params = json!({"ref": {"type": "ref/prompt", "name": name},
            "argument": {"name": argument, "value": "ab"}, "context": context});
        let shown = bench.shown(call(Method::Complete, params)).await;
        assert_eq!(shown["completion"], expected, "{name} {argument} {shown}");
    }
}

#[test]
fn prompts_need_a_name_and_a_description() {
    let made = |prompt| Kit::plain("k").prompt(prompt, |_, _| async move { Ok("a") });
    assert_eq!(refusal(made(Prompt::new(""))), "prompt ``: a name is required");
    assert_eq!(refusal(made(Prompt::new("a"))), "prompt `a`: a description is required");
    let none = |typing: Typing, _| async move { Ok(vec![typing.value]) };
    let told = refusal(kit().complete_prompt("greet", "volume", none));
    assert_eq!(told, "kit `k` has no argument or variable `greet volume` to complete");
}
