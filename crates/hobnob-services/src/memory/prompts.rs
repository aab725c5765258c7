//! Prompts a person can pick: guided capture, recall, review, the start of a session, a decision;
//! and those the user stored.

use super::resources::{complete_namespace, complete_tag};
use super::service::PresentedMemory;
use super::template::{fill, variables};
use super::views::beginning;
use super::words::suggested;
use crate::handler::with;
use crate::presentation::bad_argument;
use hobnob_mcp_server::toolbox::{Context, Kit, KitError, ToolError};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::entries::Entries;
use hobnob_mcp_types::prompts::{GetPromptResult, Prompt, PromptArgument, PromptMessage};
use hobnob_store::memory::{MemoryFilter, Namespace, PageRequest, StoredPrompt, Tag};

/// Memories that a prompt brings along.
const BROUGHT: usize = 20;
/// How many characters of each memory a prompt quotes.
const PASSAGE: usize = 300;

/// The kit with all prompts in it.
pub(super) fn with_prompts(
    kit: Kit,
    presented: &PresentedMemory,
    stored: &[StoredPrompt],
) -> Result<Kit, KitError> {
    let argument = |name: &str, about: &str| PromptArgument::optional(name).with_description(about);
    let needed = |name: &str, about: &str| PromptArgument::required(name).with_description(about);
    let capture = Prompt::new("memory_capture")
        .with_description("Guided memory capture")
        .with_argument(needed("content", "Content to capture"));
    let recall = Prompt::new("memory_recall")
        .with_description("Answer from what is remembered")
        .with_argument(needed("query", "What you want to know"));
    let review = Prompt::new("memory_review")
        .with_description("Review what is remembered: what is outdated, doubled or missing")
        .with_argument(argument("namespace", "Only this namespace"))
        .with_argument(argument("tag", "Only memories with this tag"));
    let start = Prompt::new("memory_session_start")
        .with_description("Begin a session with what is remembered about the project");
    let decide = Prompt::new("memory_decision")
        .with_description("Document a decision so that it is understood later")
        .with_argument(needed("decision", "What was decided"))
        .with_argument(argument("reasons", "Why, and what else was considered"));
    let starting = presented.clone();
    let mut kit = kit
        .prompt(capture, |given, _| async move { Ok(guide_capture(&given)) })?
        .prompt(recall, |given, _| async move { Ok(guide_recall(&given)) })?
        .prompt(review, with(presented, guide_review))?
        .prompt(start, move |_, context| guide_start(starting.clone(), context))?
        .prompt(decide, |given, _| async move { Ok(guide_decision(&given)) })?
        .complete_prompt("memory_review", "namespace", with(presented, complete_namespace))?
        .complete_prompt("memory_review", "tag", with(presented, complete_tag))?;
    for prompt in stored {
        kit = with_stored(kit, prompt)?;
    }
    Ok(kit)
}

/// One the user stored, under a name that none of ours has.
fn with_stored(kit: Kit, stored: &StoredPrompt) -> Result<Kit, KitError> {
    let about = stored.description.clone().unwrap_or_else(|| "A prompt of your own".into());
    let mut prompt = Prompt::new(format!("my_{}", stored.name)).with_description(about);
    for name in variables(&stored.template) {
        prompt = prompt.with_argument(PromptArgument::required(name));
    }
    let template = stored.template.clone();
    kit.prompt(prompt, move |given: Entries<String>, _| {
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

fn word<'a>(given: &'a Entries<String>, name: &str) -> &'a str {
    given.get(name).map(String::as_str).unwrap_or_default()
}

fn guide_capture(given: &Entries<String>) -> GetPromptResult {
    let content = word(given, "content");
    let namespace = suggested(content);
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

fn guide_recall(given: &Entries<String>) -> GetPromptResult {
    let query = word(given, "query");
    message(
        "Answer from what is remembered",
        format!(
            "Find out what is remembered about this, and answer from it:\n\n{query}\n\n\
             Call the recall tool, with other words again if the first answer does not help. \
             Say which memories you used. If nothing relevant is remembered, say so."
        ),
    )
}

fn guide_decision(given: &Entries<String>) -> GetPromptResult {
    let (decision, reasons) = (word(given, "decision"), word(given, "reasons"));
    let reasons = if reasons.is_empty() { "(ask for them)" } else { reasons };
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

async fn guide_review(
    presented: PresentedMemory,
    given: Entries<String>,
    context: Context,
) -> Result<GetPromptResult, ToolError> {
    let mut filter = MemoryFilter::default();
    if !word(&given, "namespace").is_empty() {
        let namespace = presented.namespace(word(&given, "namespace")).map_err(bad_argument)?;
        filter.namespaces.push(namespace);
    }
    if !word(&given, "tag").is_empty() {
        let tag = Tag::parse(word(&given, "tag"));
        filter.tags.push(vec![tag.map_err(|bad| ToolError::params(format!("tag: {bad}")))?]);
    }
    let lines = presented.lines(filter, &context).await?;
    Ok(message(
        "Review what is remembered: what is outdated, doubled or missing",
        format!(
            "Review these memories. Say for each group what is outdated, what is said twice and \
             what is missing, and propose updates, deletions and merges. Change nothing before I \
             agree.\n\n{lines}"
        ),
    ))
}

async fn guide_start(
    presented: PresentedMemory,
    context: Context,
) -> Result<GetPromptResult, ToolError> {
    let names = ["decisions", "progress", "blockers", "context", "patterns"];
    let namespaces = names.iter().filter_map(|name| Namespace::parse(name).ok()).collect();
    let lines =
        presented.lines(MemoryFilter { namespaces, ..MemoryFilter::default() }, &context).await?;
    Ok(message(
        "Begin a session with what is remembered about the project",
        format!(
            "This is what is remembered about the project, newest first. Keep it in mind, recall \
             more when something is unclear, and capture what we decide or find out.\n\n{lines}"
        ),
    ))
}

impl PresentedMemory {
    /// The newest memories that fit, as a list in words.
    async fn lines(&self, filter: MemoryFilter, context: &Context) -> Result<String, ToolError> {
        let page = PageRequest { after: None, limit: BROUGHT };
        let part = self.shared().memories.list(self.access(context)?, filter, page).await;
        let part = part.map_err(|error| self.refused(error))?;
        if part.items.is_empty() {
            return Ok("(nothing is remembered yet)".into());
        }
        let lines: Vec<String> = part
            .items
            .iter()
            .map(|memory| {
                let text = beginning(&memory.content, PASSAGE);
                format!("- [{}] {text} ({})", memory.namespace.as_str(), memory.id)
            })
            .collect();
        Ok(lines.join("\n"))
    }
}
