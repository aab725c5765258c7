//! What an author says about a prompt besides its name and its handler. `KitBuilder::prompt` takes
//! it.

use hobnob_mcp_types::annotations::Icon;
use hobnob_mcp_types::prompts::{Prompt, PromptArgument};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// What the list says about a prompt besides its name. A text is one: a description and no more.
#[derive(Debug, Clone)]
pub struct PromptSpec {
    description: String,
    title: Option<String>,
    icons: Vec<Icon>,
    meta: Option<Box<RawValue>>,
    arguments: Vec<PromptArgument>,
}

impl PromptSpec {
    /// A description for the person who picks it.
    pub fn new(description: impl Into<String>) -> Self {
        Self {
            description: description.into(),
            title: None,
            icons: Vec::new(),
            meta: None,
            arguments: Vec::new(),
        }
    }

    /// A name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// One more picture for user interfaces.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Metadata for the client, an object.
    #[must_use]
    pub fn meta(mut self, meta: &impl Serialize) -> Self {
        self.meta = to_raw_value(meta).ok();
        self
    }

    /// One more argument, for a handler that takes a map because no type knows its arguments.
    #[must_use]
    pub fn argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// The entry in the list, with the arguments given by hand.
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
