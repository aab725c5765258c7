//! The tool `enrich`: a model suggests tags and context for a memory.
//!
//! The model's answer is untrusted: it is checked for secrets and length like a capture.

use super::model::{Models, json_in, question};
use crate::memory::caller_memories::CallerMemories;
use crate::memory::checks::Checks;
use crate::memory::index_signal::IndexSignal;
use crate::memory::settings::{IntentRule, SecretsRule};
use crate::memory::view::MemoryView;
use crate::memory::views::{Shown, beginning};
use crate::presentation::{Failure, ToolResult};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_store::memory::{Memory, MemoryEdit, Tag};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

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

/// The tools that ask a model.
pub(super) struct ModelTools {
    pub(super) view: MemoryView,
    pub(super) memories: Arc<CallerMemories>,
    pub(super) checks: Arc<Checks>,
    pub(super) captured: Arc<IndexSignal>,
    pub(super) models: Models,
    /// Whether and how the intent of a prompt is classified.
    pub(super) intent_rule: IntentRule,
}

impl ModelTools {
    pub(super) async fn enrich(&self, given: EnrichArguments, call: &CallContext) -> ToolResult {
        let access = self.memories.access(call)?;
        let owner = access.owner.clone();
        let memory = self.memories.find(access.clone(), &given.id).await?;
        let tokens = u64::try_from(memory.content.chars().count()).unwrap_or(u64::MAX);
        let text = format!("Suggest tags for: {}", memory.content);
        let asked = question(text, INSTRUCTIONS, tokens.clamp(100, 1_500));
        let answer = self.models.ask(call, KEY, asked).await?;
        let suggested = self.checked(read(&answer))?;
        let added: Vec<Tag> =
            suggested.tags.into_iter().filter(|tag| !memory.tags.contains(tag)).collect();
        let wanted = suggested.context.filter(|words| !memory.content.contains(words));
        if added.is_empty() && wanted.is_none() {
            let message = "the model's answer holds nothing new to label the memory with";
            return Err(self.view.fail(Failure::Model, message));
        }
        let changed = if given.dry_run {
            memory
        } else {
            let edit = self.edit(&memory, &added, wanted.as_deref())?;
            let changed = self.memories.store.update(access, memory.id, edit).await;
            let changed = self.view.changed(changed, &owner)?;
            self.captured.wake();
            changed
        };
        self.view.reply(&EnrichResult {
            id: changed.id.as_str(),
            added_tags: added.iter().map(Tag::as_str).collect(),
            context: wanted.as_deref(),
            changed: !given.dry_run,
            memory: Shown::full(&self.view, &changed),
        })
    }

    /// The edit, which fails if the memory has changed in the meantime.
    fn edit(
        &self,
        memory: &Memory,
        added: &[Tag],
        context: Option<&str>,
    ) -> Result<MemoryEdit, ToolError> {
        let clean = |words| {
            let content = format!("{}\n\nContext: {words}", memory.content);
            self.checks.clean(content, self.checks.rules.secrets)
        };
        Ok(MemoryEdit {
            content: context.map(clean).transpose()?.map(|(content, _)| content),
            tags: Some(memory.tags.iter().chain(added).cloned().collect()),
            expected_version: Some(memory.version),
            ..MemoryEdit::default()
        })
    }

    /// Checks the original words, before they are cut or lower-cased; a secret refuses them all.
    fn checked(&self, suggestion: Suggestion) -> Result<Suggested, ToolError> {
        self.checks.refuse_secrets(&suggestion.words.join(" "))?;
        let mut tags: Vec<Tag> = suggestion.words.iter().filter_map(|word| tag(word)).collect();
        tags.sort();
        tags.dedup();
        tags.truncate(MAX_TAGS);
        self.checks.refuse_secrets_in_tags(&tags)?;
        let context = match (suggestion.context, self.checks.rules.secrets) {
            (Some(words), SecretsRule::Redact) => Some(self.checks.rules.scanner.redact(&words).0),
            (Some(words), SecretsRule::Block | SecretsRule::Off) => {
                self.checks.refuse_secrets(&words)?;
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
