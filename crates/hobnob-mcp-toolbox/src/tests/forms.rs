//! Typed questions: the form that is asked, what an answer becomes, which types are no forms.

use super::{Bench, call_of, caller, refusal};
use crate::{Context, Elicited, Kit, KitBuilder};
use hobnob_mcp_engine::Answers;
use hobnob_mcp_types::Revision;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Extra {
    #[schemars(title = "With milk")]
    Milk,
    #[schemars(title = "With sugar")]
    Sugar,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Order {
    /// Who pays.
    #[schemars(length(max = 20))]
    name: String,
    cups: u8,
    size: Option<Size>,
    extra: Option<Extra>,
    #[serde(default)]
    extras: Vec<Extra>,
    hot: Option<bool>,
}

fn kit() -> KitBuilder {
    Kit::plain("k")
        .asks::<Order>()
        .tool("order", "Asks", |context: Context| async move {
            let order: Order = context.elicit("order", "What would you like?")?;
            Ok(format!("{order:?}"))
        })
        .tool("outcome", "Asks", |context: Context| async move {
            Ok(match context.elicit_outcome::<Order>("order", "What would you like?")? {
                Elicited::Accepted(order) => order.name,
                Elicited::Declined => "declined".into(),
                Elicited::Cancelled => "cancelled".into(),
            })
        })
        .tool("confirm", "Asks", |context: Context| async move {
            Ok(context.confirm("order", "Go ahead?")?.to_string())
        })
        .tool("broken", "Asks", |context: Context| async move {
            context.elicit::<Nested>("n", "How deep?")?;
            Ok(())
        })
}

async fn answered(tool: &str, answer: Option<Value>) -> Value {
    let mut call = call_of(tool, json!({}));
    call.caller = caller(Revision::NEWEST, json!({"elicitation": {}}));
    if let Some(answer) = answer {
        let mut answers = Answers::default();
        answers.add(serde_json::from_value(json!({"order": answer})).unwrap());
        call.answers = answers;
    }
    Bench::new([kit()]).shown(call).await
}

#[tokio::test]
async fn the_fields_of_the_type_are_the_form() {
    let asked = answered("order", None).await;
    let params = &asked["asks"]["order"]["params"];
    assert_eq!(params["message"], "What would you like?", "{asked}");
    assert_eq!(
        params["requestedSchema"],
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Who pays.", "maxLength": 20},
                "cups": {"type": "integer", "minimum": 0, "maximum": 255},
                "size": {"type": "string", "enum": ["small", "large"]},
                "extra": {"type": "string", "oneOf": [
                    {"const": "Milk", "title": "With milk"},
                    {"const": "Sugar", "title": "With sugar"},
                ]},
                "extras": {"type": "array", "items": {"anyOf": [
                    {"const": "Milk", "title": "With milk"},
                    {"const": "Sugar", "title": "With sugar"},
                ]}},
                "hot": {"type": "boolean"},
            },
            "required": ["name", "cups"],
        })
    );
}

#[tokio::test]
async fn only_a_clear_yes_is_agreement() {
    let asked = answered("confirm", None).await;
    let form = &asked["asks"]["order"]["params"]["requestedSchema"];
    assert_eq!(form["properties"]["confirmed"]["type"], "boolean", "{asked}");
    for (answer, agrees) in [
        (json!({"action": "accept", "content": {"confirmed": true}}), "true"),
        (json!({"action": "accept", "content": {"confirmed": false}}), "false"),
        (json!({"action": "decline"}), "false"),
        (json!({"action": "cancel"}), "false"),
    ] {
        let shown = answered("confirm", Some(answer)).await;
        assert_eq!(shown, json!({"content": [{"type": "text", "text": agrees}]}));
    }
}

#[tokio::test]
async fn answers_are_typed_and_refusals_are_distinguished() {
    let accept = |content: Value| json!({"action": "accept", "content": content});
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let failed = |text: &str| json!({"content": [{"type": "text", "text": text}], "isError": true});
    let refused = |problem: &str| json!({"code": -32602, "message": format!("`inputResponses.order`: {problem}")});
    let whole = json!({"name": "Ada", "cups": 2, "size": "large", "extras": ["Milk"], "hot": null});
    let order = "Order { name: \"Ada\", cups: 2, size: Some(Large), extra: None, extras: [Milk], \
                 hot: None }";
    for (tool, answer, expected) in [
        ("order", accept(whole.clone()), text(order)),
        (
            "order",
            json!({"action": "decline"}),
            failed("the person declined: What would you like?"),
        ),
        (
            "order",
            json!({"action": "cancel"}),
            failed("the person gave no answer: What would you like?"),
        ),
        ("outcome", accept(whole), text("Ada")),
        ("outcome", json!({"action": "decline"}), text("declined")),
        ("outcome", json!({"action": "cancel"}), text("cancelled")),
        (
            "order",
            accept(json!({"name": "Ada"})),
            refused("content.cups: expected a value, received nothing"),
        ),
        (
            "outcome",
            accept(json!({"name": "Ada", "cups": 300})),
            refused("content.cups: expected at most 255, received integer 300"),
        ),
        (
            "order",
            json!({"action": "accept"}),
            refused(
                "content.name: expected a value, received nothing; \
             content.cups: expected a value, received nothing",
            ),
        ),
    ] {
        assert_eq!(answered(tool, Some(answer.clone())).await, expected, "{tool} {answer}");
    }
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Nested {
    inner: Order,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Words {
    words: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Coded {
    #[schemars(regex(pattern = "^[a-z]+$"))]
    code: String,
}

#[tokio::test]
async fn what_cannot_be_a_form_is_named() {
    let kit = Kit::plain("k").asks::<Nested>().asks::<Words>().asks::<Coded>().asks::<String>();
    assert_eq!(
        refusal(kit),
        "type `Nested` cannot be a form: field `inner`: a field is a text, a number, a yes or no, \
         or a choice; \
         type `Words` cannot be a form: field `words`: a field with several values must be a list \
         of an enum's choices; \
         type `Coded` cannot be a form: field `code`: a form does not support the keyword \
         `pattern`; \
         type `string` cannot be a form: it must be a struct with fields"
    );
    // Without `asks`, the mistake shows at the first call.
    let shown = answered("broken", None).await;
    assert!(shown["message"].as_str().unwrap().starts_with("type `Nested`"), "{shown}");
}
