//! The tool `enrich`: a model suggests tags and context for a memory.
//!
//! The model's answer is untrusted: it is checked for secrets and length like a capture.

use super::model::{
    AnsweringModel, WantedAnswer, answer_text, client_answer, find_model, json_in, question,
};
use crate::memory::service::PresentedMemory;
use crate::memory::settings::SecretsRule;
use crate::memory::views::{Shown, beginning};
use crate::presentation::Failure;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_mcp_types::input::InputRequests;
use hobnob_store::memory::{Memory, MemoryEdit, Tag};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const KEY: &str = "tags";
/// Most tags that are taken from one answer.
const MAX_TAGS: usize = 10;
/// Most characters of context that are taken.
const MAX_CONTEXT: usize = 2_000;
const INSTRUCTIONS: &str = "You label notes so that they are found again. Answer with one JSON \
    object: {\"tags\": [three to six short lower-case words], \"context\": \"one sentence that says \
    what the note is about and why it matters\"}.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EnrichArguments {
    /// The memory's id or URN
    id: String,
    /// Tell what would change, and change nothing
    #[serde(default)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct EnrichResult<'a> {
    id: &'a str,
    added_tags: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a str>,
    changed: bool,
    memory: Shown<'a>,
}

/// A model's suggestion, unchecked.
#[derive(Debug, Default, PartialEq, Eq)]
struct Suggestion {
    words: Vec<String>,
    context: Option<String>,
}

/// A suggestion that may be stored.
#[derive(Debug, PartialEq, Eq)]
struct Suggested {
    tags: Vec<Tag>,
    context: Option<String>,
}

pub(super) async fn enrich(
    arguments: EnrichArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let access = presented.access(&context)?;
    let owner = access.owner.clone();
    let memory = presented.find(access.clone(), &arguments.id).await?;
    let model = find_model(presented, &context)?;
    let tokens = u64::try_from(memory.content.chars().count()).unwrap_or(u64::MAX);
    let text = format!("Suggest tags for: {}", memory.content);
    let asked = question(text, INSTRUCTIONS, tokens.clamp(100, 1_500));
    let presentation = &presented.presentation;
    let answer = match model {
        AnsweringModel::Client => {
            let asked = InputRequests::new().create_message(KEY, asked.for_client());
            context.ask_refusable(asked, "")?;
            answer_text(presentation, &client_answer(presentation, &context, KEY)?)?
        }
        AnsweringModel::Configured(model) => {
            asked.put_to(presentation, model, WantedAnswer::Partial).await?
        }
    };
    let suggested = presented.checked(read(&answer))?;
    let added: Vec<Tag> =
        suggested.tags.into_iter().filter(|tag| !memory.tags.contains(tag)).collect();
    let wanted = suggested.context.filter(|words| !memory.content.contains(words));
    if added.is_empty() && wanted.is_none() {
        let message = "the model's answer holds nothing new to label the memory with";
        return Err(presented.presentation.fail(Failure::Model, message));
    }
    let changed = if arguments.dry_run {
        memory
    } else {
        let edit = edit(presented, &memory, &added, wanted.as_deref())?;
        let changed = presented.shared().memories.update(access, memory.id, edit).await;
        let changed = changed.map_err(|error| presented.change_refused(error, &owner))?;
        presented.service.wake_indexer();
        changed
    };
    presented.presentation.reply(&EnrichResult {
        id: changed.id.as_str(),
        added_tags: added.iter().map(Tag::as_str).collect(),
        context: wanted.as_deref(),
        changed: !arguments.dry_run,
        memory: Shown::full(&presented.presentation, &changed),
    })
}

/// The edit, which fails if the memory has changed in the meantime.
fn edit(
    presented: &PresentedMemory,
    memory: &Memory,
    added: &[Tag],
    context: Option<&str>,
) -> Result<MemoryEdit, ToolError> {
    let content = match context {
        Some(words) => {
            let content = format!("{}\n\nContext: {words}", memory.content);
            Some(presented.clean(content, presented.shared().settings.secrets)?.0)
        }
        None => None,
    };
    Ok(MemoryEdit {
        content,
        tags: Some(memory.tags.iter().chain(added).cloned().collect()),
        expected_version: Some(memory.version),
        ..MemoryEdit::default()
    })
}

impl PresentedMemory {
    /// Checks the original words, before they are cut or lower-cased; a secret refuses them all.
    fn checked(&self, suggestion: Suggestion) -> Result<Suggested, ToolError> {
        self.refuse_secrets(&suggestion.words.join(" "))?;
        let mut tags: Vec<Tag> = suggestion.words.iter().filter_map(|word| tag(word)).collect();
        tags.sort();
        tags.dedup();
        tags.truncate(MAX_TAGS);
        let stored: Vec<&str> = tags.iter().map(Tag::as_str).collect();
        self.refuse_secrets(&stored.join(" "))?;
        let context = match (suggestion.context, self.shared().settings.secrets) {
            (Some(words), SecretsRule::Redact) => Some(self.shared().scanner.redact(&words).0),
            (Some(words), SecretsRule::Block | SecretsRule::Off) => {
                self.refuse_secrets(&words)?;
                Some(words)
            }
            (None, _) => None,
        };
        Ok(Suggested { tags, context: context.map(|words| beginning(&words, MAX_CONTEXT)) })
    }
}

/// Parses an answer: the requested object, a JSON list, or plain words.
fn read(answer: &str) -> Suggestion {
    let texts = |list: &[Value]| -> Vec<String> {
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let is_object = |it: &Value| it.get("tags").is_some() || it.get("context").is_some();
    if let Some(object) = json_in(answer, is_object) {
        let words = object.get("tags").and_then(Value::as_array).map(|list| texts(list));
        let context = object.get("context").and_then(Value::as_str).map(str::trim);
        let context = context.filter(|words| !words.is_empty()).map(str::to_owned);
        return Suggestion { words: words.unwrap_or_default(), context };
    }
    let is_list = |it: &Value| {
        it.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(Value::is_string))
    };
    if let Some(list) = json_in(answer, is_list) {
        let words = list.as_array().map(|list| texts(list)).unwrap_or_default();
        return Suggestion { words, context: None };
    }
    let lines = answer.lines().filter(|line| !line.trim_start().starts_with("```"));
    let words = lines.flat_map(|line| line.split([',', ';'])).map(str::to_owned);
    Suggestion { words: words.collect(), context: None }
}

fn tag(word: &str) -> Option<Tag> {
    let word = word.trim_start_matches(|it: char| it.is_whitespace() || "-*#•".contains(it));
    let word = word.trim_matches(|it: char| it.is_whitespace() || "\"'`.[]".contains(it));
    // A sentence is not a tag.
    let joined = word.split_whitespace().collect::<Vec<_>>();
    if 3 < joined.len() {
        return None;
    }
    Tag::parse(&joined.join("-")).ok()
}

#[cfg(test)]
mod tests;
