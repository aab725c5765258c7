//! The tool `intent`: whether a prompt asks to remember something, to recall something, or neither.
//! It exists only if the settings enable it, and neither stores nor searches anything.

use super::model::{
    AnsweringModel, WantedAnswer, answer_text, client_answer, find_model, json_in, question,
};
use crate::memory::intent::PromptIntent;
use crate::memory::service::PresentedMemory;
use crate::memory::settings::IntentRule;
use crate::presentation::Failure;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_mcp_types::input::InputRequests;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const KEY: &str = "intent";
/// Longest prompt, in bytes.
const MAX_PROMPT: usize = 64 << 10;
/// Most tokens of the model's answer, which is one word in JSON.
const TOKENS: u64 = 50;
const INSTRUCTIONS: &str = "You tell what a message to an assistant with a memory asks of that \
    memory. Answer with one JSON object: {\"intent\": \"remember\"} if something is to be stored for \
    later, {\"intent\": \"recall\"} if something that was stored before is wanted, and \
    {\"intent\": \"neither\"} for everything else.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IntentArguments {
    /// What the user wrote
    prompt: String,
}

#[derive(Debug, Serialize)]
struct IntentResult {
    intent: PromptIntent,
    /// How it was determined: `words` or `model`.
    by: &'static str,
}

pub(super) async fn intent(
    arguments: IntentArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let presentation = &presented.presentation;
    let IntentArguments { prompt } = arguments;
    if MAX_PROMPT < prompt.len() {
        let message = format!("prompt: {} bytes, at most {MAX_PROMPT} are allowed", prompt.len());
        return Err(presentation.fail(Failure::Invalid, message));
    }
    let result = match presented.shared().settings.intent {
        IntentRule::Off | IntentRule::Words => {
            IntentResult { intent: PromptIntent::of_words(&prompt), by: "words" }
        }
        IntentRule::Model => {
            // The prompt leaves this process, for the model's provider or the client.
            presented.refuse_secrets(&prompt)?;
            IntentResult { intent: ask_model(presented, &context, prompt).await?, by: "model" }
        }
    };
    presentation.reply(&result)
}

async fn ask_model(
    presented: &PresentedMemory,
    context: &Context<PresentedMemory>,
    prompt: String,
) -> Result<PromptIntent, ToolError> {
    let presentation = &presented.presentation;
    let asked = question(format!("The message: {prompt}"), INSTRUCTIONS, TOKENS);
    let answer = match find_model(presented, context)? {
        AnsweringModel::Client => {
            let asked = InputRequests::new().create_message(KEY, asked.for_client());
            context.ask_refusable(asked, "")?;
            answer_text(presentation, &client_answer(presentation, context, KEY)?)?
        }
        AnsweringModel::Configured(model) => {
            asked.put_to(presentation, model, WantedAnswer::Partial).await?
        }
    };
    read(&answer).ok_or_else(|| {
        let message = "the model's answer is not `remember`, `recall` or `neither`";
        presentation.fail(Failure::Model, message)
    })
}

/// Parses an answer: the requested object, or the word alone.
fn read(answer: &str) -> Option<PromptIntent> {
    let object = json_in(answer, |it: &Value| it.get("intent").is_some_and(Value::is_string));
    match object.as_ref().and_then(|it| it["intent"].as_str()) {
        Some(word) => PromptIntent::parse(word),
        None => PromptIntent::parse(answer.trim_matches(|it: char| !it.is_alphabetic())),
    }
}

#[cfg(test)]
mod tests;
