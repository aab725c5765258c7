//! The tools for the user's own prompts: stored by name, with variables, filled in on demand.
//!
//! Each owner has its own names; a stored prompt never replaces a built-in one.

use crate::memory::service::{PresentedMemory, shown};
use crate::memory::template::{fill, variables};
use crate::memory::views::time_text;
use crate::presentation::Failure;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use hobnob_store::Time;
use hobnob_store::memory::{Namespace, StoredPrompt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Longest template, in bytes.
const MAX_BYTES: usize = 64 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SaveArguments {
    /// Its name: lower-case letters, digits, `-` and `_`
    name: String,
    /// The text; `{{variable}}` stands for something to be filled in
    template: String,
    /// What it is good for
    description: Option<String>,
}

#[derive(Debug, Serialize)]
struct PromptLine {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    variables: Vec<String>,
    updated_at: String,
}

impl PromptLine {
    fn of(prompt: &StoredPrompt) -> Self {
        Self {
            name: prompt.name.clone(),
            description: prompt.description.clone(),
            variables: variables(&prompt.template),
            updated_at: time_text(prompt.updated),
        }
    }
}

pub(super) async fn save(
    arguments: SaveArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let name = presented.prompt_name(&arguments.name)?;
    if MAX_BYTES < arguments.template.len() {
        let message = format!("template: {} bytes, at most {MAX_BYTES}", arguments.template.len());
        return Err(presented.presentation.fail(Failure::Invalid, message));
    }
    let rule = presented.shared().settings.secrets;
    let (template, _) = presented.clean(arguments.template, rule)?;
    presented.refuse_secrets(arguments.description.as_deref().unwrap_or_default())?;
    let prompt = StoredPrompt {
        owner: PresentedMemory::owner(&context),
        name,
        description: arguments.description.map(|words| words.chars().take(1_000).collect()),
        template,
        updated: Time::now(),
    };
    let line = PromptLine::of(&prompt);
    presented.shared().prompts.save(prompt).await.map_err(|error| presented.store(&error))?;
    presented.presentation.reply(&line)
}

#[derive(Debug, Serialize)]
struct PromptList {
    count: usize,
    prompts: Vec<PromptLine>,
}

pub(super) async fn list(context: Context<PresentedMemory>) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let all = presented.shared().prompts.all(PresentedMemory::owner(&context)).await;
    let all = all.map_err(|error| presented.store(&error))?;
    let prompts: Vec<PromptLine> = all.iter().map(PromptLine::of).collect();
    presented.presentation.reply(&PromptList { count: prompts.len(), prompts })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunArguments {
    #[schemars(description = "The prompt's name")]
    name: String,
    /// What to fill in, by variable
    #[serde(default)]
    variables: BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
struct Filled {
    name: String,
    text: String,
}

pub(super) async fn run(
    arguments: RunArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let found = presented
        .shared()
        .prompts
        .find(PresentedMemory::owner(&context), arguments.name.clone())
        .await;
    let found = found.map_err(|error| presented.store(&error))?;
    let prompt = found.ok_or_else(|| presented.no_prompt(&arguments.name))?;
    let text = fill(&prompt.template, |name| arguments.variables.get(name).map(String::as_str))
        .map_err(|missing| {
            let message = format!("prompt `{}` needs {}", prompt.name, missing.join(", "));
            presented.presentation.fail(Failure::Invalid, message)
        })?;
    presented.presentation.reply(&Filled { name: prompt.name, text })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoveArguments {
    #[schemars(description = "The prompt's name")]
    name: String,
}

#[derive(Debug, Serialize)]
struct Removed {
    name: String,
    status: &'static str,
}

pub(super) async fn remove(
    arguments: RemoveArguments,
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let gone = presented
        .shared()
        .prompts
        .remove(PresentedMemory::owner(&context), arguments.name.clone())
        .await;
    if !gone.map_err(|error| presented.store(&error))? {
        return Err(presented.no_prompt(&arguments.name));
    }
    presented.presentation.reply(&Removed { name: arguments.name, status: "removed" })
}

impl PresentedMemory {
    fn prompt_name(&self, raw: &str) -> Result<String, ToolError> {
        // The same rule as for namespaces, since clients display both.
        match Namespace::parse(raw) {
            Ok(_) => {
                self.refuse_secrets(raw)?;
                Ok(raw.to_owned())
            }
            Err(bad) => {
                let message = format!("name `{}`: {bad}", shown(raw));
                Err(self.presentation.fail(Failure::Invalid, message))
            }
        }
    }

    fn no_prompt(&self, raw: &str) -> ToolError {
        self.presentation.fail(Failure::PromptNotFound, format!("Prompt not found: {}", shown(raw)))
    }
}
