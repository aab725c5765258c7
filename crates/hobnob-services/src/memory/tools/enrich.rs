//! `enrich`: a model suggests tags and context for a memory, which keeps what it was as history.

use super::model::{need_model, object_in, question, said};
use crate::face::Failure;
use crate::memory::service::Desk;
use crate::memory::views::{Shown, beginning};
use hobnob_store::memory::{Edit, Memory, Tag};
use mcp_server::toolbox::{Context, ToolError, ToolReply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most tags that are taken from one answer.
const MOST_TAGS: usize = 10;
/// The most characters of context that are taken.
const MOST_CONTEXT: usize = 2_000;
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

/// What a model suggests.
#[derive(Debug, Default, PartialEq, Eq)]
struct Suggested {
    tags: Vec<Tag>,
    context: Option<String>,
}

pub(super) async fn enrich(
    desk: Desk,
    arguments: EnrichArguments,
    context: Context,
) -> Result<ToolReply, ToolError> {
    let reach = desk.reach(&context)?;
    let memory = desk.find(reach.clone(), &arguments.id).await?;
    need_model(&desk.face, &context)?;
    let tokens = u64::try_from(memory.content.chars().count()).unwrap_or(u64::MAX);
    let text = format!("Suggest tags for: {}", memory.content);
    let asked = question(text, INSTRUCTIONS, tokens.clamp(100, 1_500));
    let answer = said(&desk.face, &context.sample("tags", asked)?)?;
    let suggested = read(&answer);
    let added: Vec<Tag> =
        suggested.tags.into_iter().filter(|tag| !memory.tags.contains(tag)).collect();
    let wanted = suggested.context.filter(|words| !memory.content.contains(words));
    if added.is_empty() && wanted.is_none() {
        let message = "the model's answer holds nothing new to label the memory with";
        return Err(desk.face.fail(Failure::Model, message));
    }
    let changed = if arguments.dry_run {
        memory
    } else {
        let edit = edit(&desk, &memory, &added, wanted.as_deref())?;
        let changed = desk.inside().memories.update(reach, memory.id, edit).await;
        let changed = changed.map_err(|error| desk.refused(error))?;
        desk.service.wake_indexer();
        changed
    };
    desk.face.reply(&EnrichResult {
        id: changed.id.as_str(),
        added_tags: added.iter().map(Tag::as_str).collect(),
        context: wanted.as_deref(),
        changed: !arguments.dry_run,
        memory: Shown::full(&desk.face, &changed),
    })
}

/// The change; nobody else may have made one in the meantime.
fn edit(
    desk: &Desk,
    memory: &Memory,
    added: &[Tag],
    context: Option<&str>,
) -> Result<Edit, ToolError> {
    let content = match context {
        Some(words) => {
            let content = format!("{}\n\nContext: {words}", memory.content);
            Some(desk.clean(content, desk.inside().settings.secrets)?.0)
        }
        None => None,
    };
    Ok(Edit {
        content,
        tags: Some(memory.tags.iter().chain(added).cloned().collect()),
        expected_version: Some(memory.version),
        ..Edit::default()
    })
}

/// Models answer with the object they were asked for, or with a plain list of words.
fn read(answer: &str) -> Suggested {
    let tags = |words: &mut dyn Iterator<Item = &str>| {
        let mut tags: Vec<Tag> = words.filter_map(tag).collect();
        tags.sort();
        tags.dedup();
        tags.truncate(MOST_TAGS);
        tags
    };
    match object_in(answer) {
        Some(object) => {
            let listed = object.get("tags").and_then(Value::as_array);
            let mut words = listed.into_iter().flatten().filter_map(Value::as_str);
            let context = object.get("context").and_then(Value::as_str).map(str::trim);
            let context = context.filter(|words| !words.is_empty());
            Suggested {
                tags: tags(&mut words),
                context: context.map(|words| beginning(words, MOST_CONTEXT)),
            }
        }
        None => Suggested { tags: tags(&mut answer.split([',', '\n', ';'])), context: None },
    }
}

fn tag(word: &str) -> Option<Tag> {
    let word = word.trim_start_matches(|it: char| it.is_whitespace() || "-*#•".contains(it));
    let word = word.trim_matches(|it: char| it.is_whitespace() || "\"'`.[]".contains(it));
    // Whole sentences are not tags.
    let joined = word.split_whitespace().collect::<Vec<_>>();
    if 3 < joined.len() {
        return None;
    }
    Tag::parse(&joined.join("-")).ok()
}

#[cfg(test)]
mod tests;
