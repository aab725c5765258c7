//! The tool `intent`: whether a prompt asks to remember something, to recall something, or neither.
//! It exists only if the settings enable it, and neither stores nor searches anything.

use super::enrich::ModelTools;
use super::model::{json_in, question};
use crate::memory::intent::PromptIntent;
use crate::memory::settings::IntentRule;
use crate::presentation::{Failure, ToolResult};
use hobnob_mcp_toolbox::CallContext;
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

impl ModelTools {
    pub(super) async fn intent(&self, given: IntentArguments, call: &CallContext) -> ToolResult {
        let IntentArguments { prompt } = given;
        if MAX_PROMPT < prompt.len() {
            let message =
                format!("prompt: {} bytes, at most {MAX_PROMPT} are allowed", prompt.len());
            return Err(self.view.fail(Failure::Invalid, message));
        }
        let (intent, by) = match self.intent_rule {
            IntentRule::Off | IntentRule::Words => (PromptIntent::of_words(&prompt), "words"),
            IntentRule::Model => {
                // The prompt leaves this process, for the model's provider or the client.
                self.checks.refuse_secrets(&prompt)?;
                let asked = question(format!("The message: {prompt}"), INSTRUCTIONS, TOKENS);
                let answer = self.models.ask(call, KEY, asked).await?;
                let message = "the model's answer is not `remember`, `recall` or `neither`";
                let unread = || self.view.fail(Failure::Model, message);
                (read(&answer).ok_or_else(unread)?, "model")
            }
        };
        self.view.reply(&IntentResult { intent, by })
    }
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
