//! An author's description of a prompt, apart from its name and handler, for `KitBuilder::prompt`.

use crate::spec_setters::spec_setters;
use hobnob_mcp_types::annotations::Icon;
use hobnob_mcp_types::prompts::{Prompt, PromptArgument};
use serde_json::value::RawValue;

/// The list entry of a prompt, apart from its name. A string converts to one with a description
/// only.
#[derive(Debug, Clone)]
pub struct PromptSpec {
    description: String,
    title: Option<String>,
    icons: Vec<Icon>,
    meta: Option<Box<RawValue>>,
    arguments: Vec<PromptArgument>,
}

spec_setters!(PromptSpec);

impl PromptSpec {
    /// Starts a spec with a description for the person who picks the prompt.
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            title: None,
            icons: Vec::new(),
            meta: None,
            arguments: Vec::new(),
        }
    }

    /// Adds an argument, for a handler that takes a map because no type declares its arguments.
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// The list entry, with the arguments of the spec.
    pub(crate) fn into_prompt(self, name: String) -> Prompt {
        let Self { description, title, icons, meta, arguments } = self;
        Prompt { name, title, description: Some(description), arguments, icons, meta }
    }
}
