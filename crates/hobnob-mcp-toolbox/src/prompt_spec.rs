//! An author's description of a prompt, apart from its name and handler, for `KitBuilder::prompt`.

use hobnob_mcp_types::annotations::Icon;
use hobnob_mcp_types::prompts::{Prompt, PromptArgument};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

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

    /// Sets a name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Adds an icon for user interfaces.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Sets metadata for the client; it must serialise to an object.
    #[must_use]
    pub fn meta(mut self, meta: &impl Serialize) -> Self {
        self.meta = to_raw_value(meta).ok();
        self
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

impl From<&str> for PromptSpec {
    fn from(description: &str) -> Self {
        Self::new(description)
    }
}

impl From<String> for PromptSpec {
    fn from(description: String) -> Self {
        Self::new(description)
    }
}
