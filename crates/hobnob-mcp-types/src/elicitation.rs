//! Elicitation: a server asks the person behind the client (since 2025-06-18).
//!
//! The form's fields live in [`crate::form`].

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::choice::tagged_union;
use crate::form::FormSchema;
use crate::tasks::TaskMetadata;

tagged_union! {
    #[tag("mode", default = "form")]
    /// Parameters of `elicitation/create`. Without a mode, as in 2025-06-18, it is a form.
    pub enum ElicitParams {
        /// Fill in a form.
        Form(ElicitFormParams) = "form",
        /// Visit a page (since 2025-11-25).
        Url(ElicitUrlParams) = "url",
    }
}

impl ElicitParams {
    /// Asks to fill in a form.
    pub fn form(message: impl Into<String>, requested_schema: FormSchema) -> Self {
        Self::Form(ElicitFormParams {
            message: message.into(),
            requested_schema,
            task: None,
            meta: None,
        })
    }

    /// Asks to visit a page.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Url(ElicitUrlParams {
            message: message.into(),
            url: url.into(),
            ..ElicitUrlParams::default()
        })
    }
}

/// Asks to fill in a form. Never for secrets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitFormParams {
    /// The text the person reads: what the server asks for, and why.
    pub message: String,
    /// The fields of the form; the client shows them in this order.
    pub requested_schema: FormSchema,
    /// Asks the client to run the request as a task (2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// Asks to visit a page; what the person enters there never passes through the client.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitUrlParams {
    /// The text the person reads: why the server asks for the visit.
    pub message: String,
    /// The page. Untrusted: show it before opening it.
    pub url: String,
    /// The id that `notifications/elicitation/complete` will name (required, 2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation_id: Option<String>,
    /// Asks the client to run the request as a task (2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// What the person did. A closed set: an unknown value must never pass for consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Agreed, or sent the form.
    Accept,
    /// Refused explicitly, rather than just closing the question.
    Decline,
    /// Closed the question without a choice.
    Cancel,
}

/// The answer to `elicitation/create`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitResult {
    /// What the person did.
    pub action: ElicitAction,
    /// The filled-in form, an object; only with [`ElicitAction::Accept`] of a form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<Box<RawValue>>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl ElicitResult {
    /// The person sent this form.
    pub fn accept(content: Box<RawValue>) -> Self {
        Self { action: ElicitAction::Accept, content: Some(content), meta: None }
    }

    /// The person did this, and there is no form to send.
    pub fn bare(action: ElicitAction) -> Self {
        Self { action, content: None, meta: None }
    }

    /// The filled-in form as `T`; nothing unless the person accepted and a form came along.
    pub fn form<T: DeserializeOwned>(&self) -> serde_json::Result<Option<T>> {
        match (self.action, &self.content) {
            (ElicitAction::Accept, Some(content)) => serde_json::from_str(content.get()).map(Some),
            _ => Ok(None),
        }
    }
}

/// Parameters of `notifications/elicitation/complete` (2025-11-25 only).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitationCompleteParams {
    /// The id the request gave.
    pub elicitation_id: String,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// The `data` of a "visit a page first" error (2025-11-25 only).
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UrlElicitationRequired {
    /// The pages the person must visit before the request can succeed, each in mode `url`.
    pub elicitations: Vec<ElicitParams>,
}
