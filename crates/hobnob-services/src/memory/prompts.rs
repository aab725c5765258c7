//! The prompts a person can pick: guided capture, recall, review, the start of a session, a
//! decision; and the prompts that the user stored.

use super::caller_memories::CallerMemories;
use super::resources::{complete_namespace, complete_tag};
use super::template::{fill, variables};
use super::tools::{MemoryCall, MemoryTools};
use super::views::beginning;
use super::words::suggested_namespace;
use crate::presentation::bad_argument;
use hobnob_mcp_toolbox::{CallContext, KitBuilder, PromptSpec, ToolError};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::prompts::{GetPromptResult, PromptArgument, PromptMessage};
use hobnob_store::memory::{Memory, MemoryFilter, Namespace, PageRequest, StoredPrompt, Tag};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Most memories that a prompt quotes.
const MAX_QUOTED: usize = 20;
/// How many characters of each memory a prompt quotes.
const PASSAGE_CHARS: usize = 300;

/// Adds all prompts to the kit.
pub(super) fn with_prompts(
    kit: KitBuilder<MemoryTools>,
    stored: &[StoredPrompt],
) -> KitBuilder<MemoryTools> {
    let kit = kit
        .prompt("memory_capture", "Guided memory capture", guide_capture)
        .prompt("memory_recall", "Answer from what is remembered", guide_recall)
        .prompt(
            "memory_review",
            "Review what is remembered: what is outdated, doubled or missing",
            guide_review,
        )
        .prompt(
            "memory_session_start",
            "Begin a session with what is remembered about the project",
            guide_start,
        )
        .prompt(
            "memory_decision",
            "Document a decision so that it is understood later",
            guide_decision,
        )
        .complete("memory_review", "namespace", complete_namespace)
        .complete("memory_review", "tag", complete_tag);
    stored.iter().fold(kit, with_stored)
}

#[derive(Deserialize, JsonSchema)]
struct Capture {
    #[schemars(description = "Content to capture")]
    content: String,
}

#[derive(Deserialize, JsonSchema)]
struct Recall {
    #[schemars(description = "What you want to know")]
    query: String,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    #[schemars(description = "Only this namespace")]
    namespace: Option<String>,
    #[schemars(description = "Only memories with this tag")]
    tag: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Decision {
    #[schemars(description = "What was decided")]
    decision: String,
    #[schemars(description = "Why, and what else was considered")]
    reasons: Option<String>,
}

/// Adds a prompt that the user stored. The prefix `my_` keeps it apart from the built-in ones.
fn with_stored(kit: KitBuilder<MemoryTools>, stored: &StoredPrompt) -> KitBuilder<MemoryTools> {
    let about = stored.description.clone().unwrap_or_else(|| "A prompt of your own".into());
    let spec = variables(&stored.template)
        .into_iter()
        .fold(PromptSpec::new(about), |spec, name| spec.argument(PromptArgument::required(name)));
    let template = stored.template.clone();
    kit.prompt(format!("my_{}", stored.name), spec, move |given: BTreeMap<String, String>| {
        let filled = fill(&template, |name| given.get(name).map(String::as_str));
        async move {
            filled.map(|text| message("A prompt of your own", text)).map_err(|missing| {
                ToolError::params(format!("the prompt needs {}", missing.join(", ")))
            })
        }
    })
}

fn message(description: &str, text: String) -> GetPromptResult {
    let mut result = GetPromptResult::new(vec![PromptMessage::user(Content::text(text))]);
    result.description = Some(description.into());
    result
}

async fn guide_capture(given: Capture) -> GetPromptResult {
    let content = given.content;
    let namespace = suggested_namespace(&content);
    message(
        "Guided memory capture",
        format!(
            "Capture this memory:\n\nContent: {content}\n\nSuggested namespace: {namespace}\n\n\
             Make the content understandable without this conversation: name what it is about, \
             say why it matters, and leave out anything secret. Choose another namespace if it \
             fits better, add two to five tags, and then call the capture tool."
        ),
    )
}

async fn guide_recall(given: Recall) -> GetPromptResult {
    let query = given.query;
    message(
        "Answer from what is remembered",
        format!(
            "Find out what is remembered about this, and answer from it:\n\n{query}\n\n\
             Call the recall tool, with other words again if the first answer does not help. \
             Say which memories you used. If nothing relevant is remembered, say so."
        ),
    )
}

async fn guide_decision(given: Decision) -> GetPromptResult {
    let decision = given.decision;
    let reasons = given.reasons.filter(|it| !it.is_empty());
    let reasons = reasons.as_deref().unwrap_or("(ask for them)");
    message(
        "Document a decision so that it is understood later",
        format!(
            "Document this decision:\n\nDecision: {decision}\n\nReasons: {reasons}\n\n\
             Write it as: what was decided, in which situation, what else was considered and why \
             it was not chosen, and what follows from it. Recall first whether an older decision \
             says otherwise. Then call the capture tool with the namespace `decisions`."
        ),
    )
}

async fn guide_review(given: Review, call: MemoryCall) -> Result<GetPromptResult, ToolError> {
    let MemoryTools { checks, memories, .. } = call.state();
    let mut filter = MemoryFilter::default();
    if let Some(namespace) = given.namespace.filter(|it| !it.is_empty()) {
        filter.namespaces.push(checks.namespace(&namespace).map_err(bad_argument)?);
    }
    if let Some(tag) = given.tag.filter(|it| !it.is_empty()) {
        let tag = Tag::parse(&tag);
        filter.tags.push(vec![tag.map_err(|bad| ToolError::params(format!("tag: {bad}")))?]);
    }
    let lines = lines(memories, filter, &call).await?;
    Ok(message(
        "Review what is remembered: what is outdated, doubled or missing",
        format!(
            "Review these memories. Say for each group what is outdated, what is said twice and \
             what is missing, and propose updates, deletions and merges. Change nothing before I \
             agree.\n\n{lines}"
        ),
    ))
}

async fn guide_start(call: MemoryCall) -> Result<GetPromptResult, ToolError> {
    let names = ["decisions", "progress", "blockers", "context", "patterns"];
    let namespaces = names.iter().filter_map(|name| Namespace::parse(name).ok()).collect();
    let filter = MemoryFilter { namespaces, ..MemoryFilter::default() };
    let lines = lines(&call.state().memories, filter, &call).await?;
    Ok(message(
        "Begin a session with what is remembered about the project",
        format!(
            "This is what is remembered about the project, newest first. Keep it in mind, recall \
             more when something is unclear, and capture what we decide or find out.\n\n{lines}"
        ),
    ))
}

/// The newest memories that match, as a list in Markdown.
async fn lines(
    memories: &CallerMemories,
    filter: MemoryFilter,
    call: &CallContext,
) -> Result<String, ToolError> {
    let page = PageRequest { after: None, limit: MAX_QUOTED };
    let part = memories.store.list(memories.access(call)?, filter, page).await;
    let part = memories.view.result(part)?;
    if part.items.is_empty() {
        return Ok("(nothing is remembered yet)".into());
    }
    let line = |memory: &Memory| {
        let text = beginning(&memory.content, PASSAGE_CHARS);
        format!("- [{}] {text} ({})", memory.namespace.as_str(), memory.id)
    };
    Ok(part.items.iter().map(line).collect::<Vec<_>>().join("\n"))
}
