//! Listening for changes (since 2026-07-28): one long request lists the changes to report.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::presence;

/// The changes a client wants to be notified of, or those the server agreed to report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionFilter {
    /// Changes of the list of tools.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub tools_list_changed: bool,
    /// Changes of the list of prompts.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub prompts_list_changed: bool,
    /// Changes of the list of resources.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub resources_list_changed: bool,
    /// Changes of single resources, by address.
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub resource_subscriptions: Vec<String>,
    /// Changes of single tasks, by id (tasks extension).
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub task_ids: Vec<String>,
}

/// Parameters that carry a filter: `subscriptions/listen`, and the
/// `notifications/subscriptions/acknowledged` that must come first on its stream.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListenParams {
    /// What the client asks for, or what the server agreed to.
    pub notifications: SubscriptionFilter,
    /// Metadata for the receiver. In the acknowledgement it names the subscription.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl ListenParams {
    /// Parameters with this filter.
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: None }
    }
}
