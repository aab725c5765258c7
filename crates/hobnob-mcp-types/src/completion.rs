//! Completion: suggestions for an argument while a person types it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::choice::tagged_union;
use crate::entries::Entries;
use crate::presence;
use crate::result::ResultType;

/// The maximum number of values in one answer.
pub const MAX_VALUES: usize = 100;

/// Parameters of `completion/complete`: the argument a person is typing, and where it belongs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteParams {
    /// What the argument belongs to.
    #[serde(rename = "ref")]
    pub reference: CompletionReference,
    /// The argument being typed.
    pub argument: CompletionArgument,
    /// The arguments that are filled in already (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionContext>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

tagged_union! {
    #[tag("type")]
    /// What the argument being typed belongs to.
    pub enum CompletionReference {
        /// An argument of a prompt.
        Prompt(PromptReference) = "ref/prompt",
        /// A resource template, or a resource.
        Resource(ResourceTemplateReference) = "ref/resource",
    }
}

/// Points to a prompt by its name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptReference {
    /// The name under which `prompts/list` shows the prompt.
    pub name: String,
    /// Its name for people (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Names a resource template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplateReference {
    /// The address, or the pattern of addresses.
    pub uri: String,
}

/// The argument being typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionArgument {
    /// The name of the prompt's argument or of the template's variable.
    pub name: String,
    /// What has been typed so far.
    pub value: String,
}

/// The arguments that are filled in already.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionContext {
    /// The other arguments, by name.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub arguments: Entries<String>,
}

/// The answer to `completion/complete`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteResult {
    /// How to read this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The suggestions, and whether there are more.
    pub completion: Completion,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// The values suggested for an argument, best first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// At most [`MAX_VALUES`] of them.
    pub values: Vec<String>,
    /// How many there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than are listed.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub has_more: bool,
}

impl CompleteResult {
    /// The suggestions, cut to what one answer may hold.
    pub fn new(mut values: Vec<String>) -> Self {
        let total = values.len();
        values.truncate(MAX_VALUES);
        let has_more = values.len() < total;
        let completion = Completion { values, total: Some(total as u64), has_more };
        Self { completion, ..Self::default() }
    }
}
