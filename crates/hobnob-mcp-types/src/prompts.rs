//! Prompts: messages that a server has prepared and a person picks.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::annotations::{Icon, Role};
use crate::cache::cacheable_result;
use crate::content::Content;
use crate::entries::Entries;
use crate::input_responses::InputResponses;
use crate::presence;
use crate::result::ResultType;

/// A prompt as a server lists it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The name under which a client asks for it.
    pub name: String,
    /// A name for people (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the prompt is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The arguments a client can fill in.
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
    /// Pictures for a user interface (since 2025-11-25).
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl Prompt {
    /// A prompt with nothing but a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same prompt with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same prompt with one more argument.
    #[must_use]
    pub fn with_argument(mut self, argument: PromptArgument) -> Self {
        self.arguments.push(argument);
        self
    }
}

/// An argument of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptArgument {
    /// The name under which a client gives the argument.
    pub name: String,
    /// A name for people (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be filled in.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub required: bool,
}

impl PromptArgument {
    /// An argument that may be left out.
    pub fn optional(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// An argument that must be given.
    pub fn required(name: impl Into<String>) -> Self {
        Self { required: true, ..Self::optional(name) }
    }

    /// The same argument with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }
}

cacheable_result! {
    /// The answer to `prompts/list`.
    pub struct ListPromptsResult {
        /// One page of prompts.
        pub prompts: Vec<Prompt>,
        /// Where the next page begins; absent on the last page.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub next_cursor: Option<String>,
    }
}

/// Parameters of `prompts/get`: which prompt to fill in, and with what.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPromptParams {
    /// The name under which `prompts/list` shows the prompt.
    pub name: String,
    /// The values of the arguments, by argument name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Entries<String>>,
    /// Answers to the questions in the server's previous result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<InputResponses>,
    /// The server's own state from its previous result, sent back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl GetPromptParams {
    /// A first request, without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The value of the argument with this name.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.as_ref()?.get(name).map(String::as_str)
    }
}

/// The answer to `prompts/get`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPromptResult {
    /// How to read this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// What the prompt is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The filled-in prompt, as messages in the order they are put to the model.
    pub messages: Vec<PromptMessage>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl GetPromptResult {
    /// An answer made of these messages.
    pub fn new(messages: Vec<PromptMessage>) -> Self {
        Self { messages, ..Self::default() }
    }
}

/// One message of a prompt.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PromptMessage {
    /// Who says it: the person or the model.
    pub role: Role,
    /// One piece of content; text and a picture together take two messages.
    pub content: Content,
}

impl PromptMessage {
    /// A message from the person.
    pub fn user(content: Content) -> Self {
        Self { role: Role::User, content }
    }

    /// A message from the model.
    pub fn assistant(content: Content) -> Self {
        Self { role: Role::Assistant, content }
    }
}
