//! Tools that ask the client's user or model, in the way that the client's revision knows.

use crate::forms;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder};
use hobnob_mcp_types::elicitation::{ElicitParams, ElicitResult};
use hobnob_mcp_types::form::FormSchema;
use hobnob_mcp_types::form_field::{
    BooleanSchema, LegacyTitledEnumSchema, NumberSchema, NumberType, StringSchema, TitledItems,
    TitledMultiSelectEnumSchema, TitledSingleSelectEnumSchema, TitledValue, UntitledItems,
    UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Sampling {
    /// What to ask the model.
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Elicitation {
    /// What to ask the person.
    message: String,
}

pub(crate) fn kit() -> KitBuilder {
    Kit::plain("asking")
        .tool(
            "test_sampling",
            "Asks the client's model",
            |args: Sampling, context: Context| async move {
                let said = context.sample("answer", forms::say(&args.prompt, 100))?;
                let texts = said.content.as_slice().iter().filter_map(|piece| piece.as_text());
                Ok(format!("LLM response: {}", texts.collect::<String>()))
            },
        )
        .tool(
            "test_elicitation",
            "Asks the client's person",
            |args: Elicitation, context: Context| async move {
                let answer = context.elicit_with("user", who(&args.message))?;
                Ok(format!("User response: {}", described(&answer)))
            },
        )
        .tool(
            "test_elicitation_sep1034_defaults",
            "Asks with answers filled in",
            |context: Context| async move {
                let answer = context.elicit_with("defaults", defaults())?;
                Ok(format!("Elicitation completed: {}", described(&answer)))
            },
        )
        .tool(
            "test_elicitation_sep1330_enums",
            "Asks to choose, in five ways",
            |context: Context| async move {
                let answer = context.elicit_with("choices", choices())?;
                Ok(format!("Elicitation completed: {}", described(&answer)))
            },
        )
        .tool("test_streaming_elicitation", "Asks on a stream", |context: Context| async move {
            let answer = context.elicit_with("go_on", forms::yes_or_no("Go on?", "go_on"))?;
            Ok(format!("Elicitation completed: {}", described(&answer)))
        })
}

fn described(answer: &ElicitResult) -> String {
    let content = answer.content.as_ref().map_or("{}", |content| content.get());
    format!("action={:?}, content={content}", answer.action)
}

fn who(message: &str) -> ElicitParams {
    let described =
        |text: &str| StringSchema { description: Some(text.to_owned()), ..StringSchema::default() };
    let form = FormSchema::new()
        .required("username", described("User's response"))
        .required("email", described("User's email address"));
    ElicitParams::form(message, form)
}

fn defaults() -> ElicitParams {
    let name = StringSchema { default: Some("John Doe".into()), ..StringSchema::default() };
    let age =
        NumberSchema { kind: NumberType::Integer, default: Some(30.0), ..NumberSchema::default() };
    let score = NumberSchema { default: Some(95.5), ..NumberSchema::default() };
    let status = UntitledSingleSelectEnumSchema {
        values: words(&["active", "inactive", "pending"]),
        default: Some("active".into()),
        ..UntitledSingleSelectEnumSchema::default()
    };
    let verified = BooleanSchema { default: Some(true), ..BooleanSchema::default() };
    let form = FormSchema::new()
        .optional("name", name)
        .optional("age", age)
        .optional("score", score)
        .optional("status", status)
        .optional("verified", verified);
    ElicitParams::form("Please check these values", form)
}

fn choices() -> ElicitParams {
    let plain = words(&["option1", "option2", "option3"]);
    let titled = vec![
        TitledValue::new("value1", "First Option"),
        TitledValue::new("value2", "Second Option"),
        TitledValue::new("value3", "Third Option"),
    ];
    let form = FormSchema::new()
        .optional(
            "untitledSingle",
            UntitledSingleSelectEnumSchema {
                values: plain.clone(),
                ..UntitledSingleSelectEnumSchema::default()
            },
        )
        .optional(
            "titledSingle",
            TitledSingleSelectEnumSchema {
                one_of: titled.clone(),
                ..TitledSingleSelectEnumSchema::default()
            },
        )
        .optional(
            "legacyEnum",
            LegacyTitledEnumSchema {
                values: words(&["opt1", "opt2", "opt3"]),
                enum_names: words(&["Option One", "Option Two", "Option Three"]),
                ..LegacyTitledEnumSchema::default()
            },
        )
        .optional(
            "untitledMulti",
            UntitledMultiSelectEnumSchema {
                items: UntitledItems { values: plain, ..UntitledItems::default() },
                ..UntitledMultiSelectEnumSchema::default()
            },
        )
        .optional(
            "titledMulti",
            TitledMultiSelectEnumSchema {
                items: TitledItems { any_of: titled },
                ..TitledMultiSelectEnumSchema::default()
            },
        );
    ElicitParams::form("Please choose", form)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
