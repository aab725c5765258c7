//! Arguments and results of the management tools; their doc comments are the schemas' descriptions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListArguments {
    /// Only the resources of this server.
    pub(super) server: Option<String>,
}

/// One resource of one server.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResourceEntry {
    /// Its address, as the server knows it.
    pub(super) uri: String,
    /// Its name, as the server lists it.
    pub(super) name: String,
    /// Its MIME type, if the server says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mime_type: Option<String>,
    /// What it is, in the server's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
    /// The server that has it.
    pub(super) server: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadArguments {
    /// The server that has the resource.
    pub(super) server: String,
    /// Its address, as the server knows it.
    pub(super) uri: String,
}

/// What a resource holds.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReadResult {
    /// One entry for each part.
    // Said as objects: some model APIs refuse a schema that is a bare `true`.
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub(super) contents: Vec<serde_json::Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SubscribeArguments {
    /// The server that has the resource.
    pub(super) server: String,
    /// Its address, as the server knows it.
    pub(super) uri: String,
    /// Why, for the record.
    #[expect(dead_code, reason = "accepted for people who read transcripts")]
    pub(super) reason: Option<String>,
}

/// A subscription that was made.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Subscribed {
    /// Always true; what cannot be subscribed to is an error.
    pub(super) subscribed: bool,
    /// Its name, for ending it.
    pub(super) subscription_id: String,
    /// The address under which `notifications/resources/updated` reports changes. A client of
    /// 2026-07-28 names it in `subscriptions/listen`; an older one is subscribed already.
    pub(super) resource_uri: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UnsubscribeArguments {
    /// The server that has the resource.
    pub(super) server: Option<String>,
    /// Its address, as the server knows it.
    pub(super) uri: Option<String>,
    /// The `subscriptionId` that SubscribeMcpResource gave.
    pub(super) subscription_id: Option<String>,
}

/// Whether something was ended.
#[derive(Serialize, JsonSchema)]
pub(super) struct Unsubscribed {
    /// False if there was nothing to end.
    pub(super) unsubscribed: bool,
}

/// What SubscribePolling asks again and again.
#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum PolledKind {
    /// A tool is called.
    Tool,
    /// A resource is read.
    Resource,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PollArguments {
    /// Whether a tool is called or a resource is read.
    pub(super) r#type: PolledKind,
    /// The server that has the tool or the resource.
    pub(super) server: String,
    /// The tool, as the server knows it.
    pub(super) tool_name: Option<String>,
    /// The tool's arguments, an object.
    pub(super) arguments: Option<serde_json::Map<String, serde_json::Value>>,
    /// The resource's address, as the server knows it.
    pub(super) uri: Option<String>,
    /// Milliseconds between two looks: at least 1000, 5000 if not given.
    #[schemars(range(min = 1000))]
    pub(super) interval_ms: Option<u64>,
    /// Why, for the record.
    #[expect(dead_code, reason = "accepted for people who read transcripts")]
    pub(super) reason: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UnpollArguments {
    /// The `subscriptionId` that SubscribePolling gave.
    pub(super) subscription_id: Option<String>,
    /// The server that has the tool or the resource.
    pub(super) server: Option<String>,
    /// The tool or the resource, as the server knows it.
    pub(super) target: Option<String>,
}
