//! Prompts: required arguments, results, and completions.

use super::{Bench, call, refusal};
use crate::{CompletionRequest, Kit, KitBuilder, PromptSpec};
use hobnob_mcp_engine::Outcome;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::{PromptArgument, PromptMessage};
use hobnob_mcp_types::{Method, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Deserialize, JsonSchema)]
struct Greet {
    /// The name that the greeting is for.
    name: String,
    /// How it sounds.
    tone: Option<Tone>,
    /// How often.
    #[schemars(range(min = 1))]
    times: Option<u8>,
    /// Whether to shout.
    #[serde(default)]
    loud: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Warm,
    Wry,
}

fn kit() -> KitBuilder {
    Kit::plain("k")
        .prompt("greet", "Greets", |given: Greet| async move {
            format!("{} {:?} {:?} {}", given.name, given.tone, given.times, given.loud)
        })
        .prompt("sound", "Sounds", || async {
            vec![PromptMessage::assistant(Content::audio("AA==", "audio/wav"))]
        })
        .complete("greet", "name", |typed: CompletionRequest| async move {
            let tone = typed.arguments.get("tone").cloned().unwrap_or_default();
            vec![format!("{}{tone}", typed.value)]
        })
}

#[tokio::test]
async fn prompts_are_filled_in_or_refused() {
    let bench = Bench::new([kit()]);
    let said = |text: &str| json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]});
    let refused = |text: &str| json!({"code": -32602, "message": text});
    let needs = "prompt `greet` needs the argument `name`";
    let odd = "`params.arguments`: invalid type: integer `1`, expected a string at line 1 column 9";
    for (params, expected) in [
        (
            json!({"name": "greet", "arguments": {"tone": "wry", "name": "a"}}),
            said("a Some(Wry) None false"),
        ),
        (
            json!({"name": "greet", "arguments": {"name": "", "times": "3", "loud": "true"}}),
            said(" None Some(3) true"),
        ),
        (
            json!({"name": "greet", "arguments": {"name": "a", "tone": "", "times": "", "loud": ""}}),
            said("a None None false"),
        ),
        (
            json!({"name": "greet", "arguments": {"name": "a", "more": "b"}}),
            said("a None None false"),
        ),
        (
            json!({"name": "greet", "arguments": {"name": "a", "tone": "b"}}),
            refused("arguments.tone: expected one of [\"warm\",\"wry\"], received string \"b\""),
        ),
        (
            json!({"name": "greet", "arguments": {"name": "a", "times": "0"}}),
            refused("arguments.times: expected at least 1, received integer 0"),
        ),
        (
            json!({"name": "greet", "arguments": {"name": "a", "times": "often"}}),
            refused("arguments.times: expected integer, received string \"often\""),
        ),
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
        ("greet", "times", json!({}), json!({"values": [], "total": 0, "hasMore": false})),
        ("none", "tone", json!({}), json!(null)),
    ] {
        let params = json!({"ref": {"type": "ref/prompt", "name": name},
            "argument": {"name": argument, "value": "ab"}, "context": context});
        let shown = bench.shown(call(Method::Complete, params)).await;
        assert_eq!(shown["completion"], expected, "{name} {argument} {shown}");
    }
}

#[tokio::test]
async fn choices_complete_themselves() {
    let bench = Bench::new([kit()]);
    for (typed, expected) in [("", json!(["warm", "wry"])), ("wr", json!(["wry"]))] {
        let params = json!({"ref": {"type": "ref/prompt", "name": "greet"},
            "argument": {"name": "tone", "value": typed}});
        let shown = bench.shown(call(Method::Complete, params)).await;
        assert_eq!(shown["completion"]["values"], expected, "{typed}");
    }
}

#[tokio::test]
async fn arguments_are_listed_as_their_type_says() {
    let shown = Bench::new([kit()]).shown(call(Method::PromptsList, json!({}))).await;
    assert_eq!(
        shown["prompts"][0]["arguments"],
        json!([
            {"name": "name", "description": "The name that the greeting is for.", "required": true},
            {"name": "tone", "description": "How it sounds."},
            {"name": "times", "description": "How often."},
            {"name": "loud", "description": "Whether to shout."},
        ])
    );
}

#[tokio::test]
async fn a_map_takes_the_arguments_that_the_spec_names() {
    let spec = PromptSpec::new("Repeats").argument(PromptArgument::required("a"));
    let repeat = |given: BTreeMap<String, String>| async move { format!("{given:?}") };
    let bench = Bench::new([Kit::plain("k").prompt("repeat", spec, repeat)]);
    let get = |arguments: Value| {
        bench.shown(call(Method::PromptsGet, json!({"name": "repeat", "arguments": arguments})))
    };
    let shown = get(json!({"a": "1", "b": "2"})).await;
    assert_eq!(shown["messages"][0]["content"]["text"], r#"{"a": "1", "b": "2"}"#);
    assert_eq!(get(json!({"b": "2"})).await["message"], "prompt `repeat` needs the argument `a`");
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Backwards {
    /// May be left out.
    first: Option<String>,
    /// Must be given.
    second: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Lists {
    /// Several.
    words: Vec<String>,
}

#[test]
fn prompts_that_cannot_be_filled_in_are_refused() {
    let made = |name: &str, spec: PromptSpec| Kit::plain("k").prompt(name, spec, || async { "a" });
    let by_hand = PromptSpec::new("d").argument(PromptArgument::required("a"));
    for (kit, refused) in [
        (made("", "d".into()), "prompt ``: a name is required"),
        (made("a", " ".into()), "prompt `a`: a description is required"),
        (
            made("a", by_hand),
            "prompt `a`: the spec must not declare arguments: they come from the type of the \
             handler",
        ),
        (
            Kit::plain("k").prompt("a", "d", |_: Backwards| async { "a" }),
            "prompt `a`: the required argument `second` comes after the optional `first`",
        ),
        (
            Kit::plain("k").prompt("a", "d", |_: Lists| async { "a" }),
            "prompt `a`: `words` comes as text, so it must be a text, a number, a yes or no, or an \
             enum without data",
        ),
        (
            kit().complete("greet", "volume", ["loud"]),
            "kit `k` has no prompt or template `greet` with `volume` to complete",
        ),
        (
            kit().prompt("greet", "d", || async { "a" }).tool("t", "", || async {}),
            "kit `k` has the prompt `greet` twice; tool `t`: a description is required",
        ),
    ] {
        assert_eq!(refusal(kit), refused);
    }
}
