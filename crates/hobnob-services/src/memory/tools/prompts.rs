//! The tools for the user's own prompts: stored by name, with variables, filled in on demand.
//!
//! Each owner has its own names; a stored prompt never replaces a built-in one.

use crate::memory::caller_memories::owner_of;
use crate::memory::checks::Checks;
use crate::memory::template::{fill, variables};
use crate::memory::view::{MemoryView, shown};
use crate::memory::views::time_text;
use crate::presentation::{Failure, ToolResult};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_store::Time;
use hobnob_store::memory::{Namespace, PromptRepository, StoredPrompt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

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

#[derive(Debug, Serialize)]
struct PromptList {
    count: usize,
    prompts: Vec<PromptLine>,
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

/// The tools for stored prompts.
pub(super) struct PromptTools {
    pub(super) view: MemoryView,
    pub(super) checks: Arc<Checks>,
    pub(super) prompts: Arc<dyn PromptRepository>,
}

impl PromptTools {
    pub(super) async fn save(&self, given: SaveArguments, call: &CallContext) -> ToolResult {
        let name = self.prompt_name(&given.name)?;
        if MAX_BYTES < given.template.len() {
            let message = format!("template: {} bytes, at most {MAX_BYTES}", given.template.len());
            return Err(self.view.fail(Failure::Invalid, message));
        }
        let rule = self.checks.rules.secrets;
        let (template, _) = self.checks.clean(given.template, rule)?;
        self.checks.refuse_secrets(given.description.as_deref().unwrap_or_default())?;
        let prompt = StoredPrompt {
            owner: owner_of(call),
            name,
            description: given.description.map(|words| words.chars().take(1_000).collect()),
            template,
            updated: Time::now(),
        };
        let line = PromptLine::of(&prompt);
        self.view.result(self.prompts.save(prompt).await)?;
        self.view.reply(&line)
    }

    pub(super) async fn list(&self, call: &CallContext) -> ToolResult {
        let all = self.view.result(self.prompts.all(owner_of(call)).await)?;
        let prompts: Vec<PromptLine> = all.iter().map(PromptLine::of).collect();
        self.view.reply(&PromptList { count: prompts.len(), prompts })
    }

    pub(super) async fn run(&self, given: RunArguments, call: &CallContext) -> ToolResult {
        let found =
            self.view.result(self.prompts.find(owner_of(call), given.name.clone()).await)?;
        let prompt = found.ok_or_else(|| self.no_prompt(&given.name))?;
        let text = fill(&prompt.template, |name| given.variables.get(name).map(String::as_str))
            .map_err(|missing| {
                let message = format!("prompt `{}` needs {}", prompt.name, missing.join(", "));
                self.view.fail(Failure::Invalid, message)
            })?;
        self.view.reply(&Filled { name: prompt.name, text })
    }

    pub(super) async fn remove(&self, given: RemoveArguments, call: &CallContext) -> ToolResult {
        let gone = self.prompts.remove(owner_of(call), given.name.clone()).await;
        if !self.view.result(gone)? {
            return Err(self.no_prompt(&given.name));
        }
        self.view.reply(&Removed { name: given.name, status: "removed" })
    }

    fn prompt_name(&self, raw: &str) -> Result<String, ToolError> {
        // The same rule as for namespaces, since clients display both.
        match Namespace::parse(raw) {
            Ok(_) => {
                self.checks.refuse_secrets(raw)?;
                Ok(raw.to_owned())
            }
            Err(bad) => {
                let message = format!("name `{}`: {bad}", shown(raw));
                Err(self.view.fail(Failure::Invalid, message))
            }
        }
    }

    fn no_prompt(&self, raw: &str) -> ToolError {
        self.view.fail(Failure::PromptNotFound, format!("Prompt not found: {}", shown(raw)))
    }
}
