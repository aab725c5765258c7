//! The names of the management tools: those about servers and subscriptions, and the search tools.
//!
//! The rules and the router recognise them by name. A call of one never asks a person.

use super::searching;

pub(crate) const LIST_RESOURCES: &str = "ListMcpResources";
pub(crate) const READ_RESOURCE: &str = "ReadMcpResource";
pub(crate) const SUBSCRIBE: &str = "SubscribeMcpResource";
pub(crate) const UNSUBSCRIBE: &str = "UnsubscribeMcpResource";
pub(crate) const POLL: &str = "SubscribePolling";
pub(crate) const UNPOLL: &str = "UnsubscribePolling";

const ABOUT_SERVERS: [&str; 6] =
    [LIST_RESOURCES, READ_RESOURCE, SUBSCRIBE, UNSUBSCRIBE, POLL, UNPOLL];

/// The names of all management tools, including the search tools.
pub fn management_tools() -> impl Iterator<Item = &'static str> {
    ABOUT_SERVERS.into_iter().chain(searching::ALL)
}

/// Whether a built-in of this name is a management tool.
pub(crate) fn is_management(own: &str) -> bool {
    management_tools().any(|name| name == own)
}

/// Whether a built-in is for clients that cannot subscribe by themselves. Such clients are few, so
/// the everyday list leaves the tool out.
pub(crate) fn is_subscribing(own: &str) -> bool {
    [SUBSCRIBE, UNSUBSCRIBE, POLL, UNPOLL].contains(&own)
}
