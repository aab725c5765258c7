//! The names of the tools about servers and subscriptions, which never ask; nor do those that search.
//!
//! The kit in `management` offers them; the rules and the router recognise them by these names.

use super::searching;

pub(crate) const LIST_RESOURCES: &str = "ListMcpResources";
pub(crate) const READ_RESOURCE: &str = "ReadMcpResource";
pub(crate) const SUBSCRIBE: &str = "SubscribeMcpResource";
pub(crate) const UNSUBSCRIBE: &str = "UnsubscribeMcpResource";
pub(crate) const POLL: &str = "SubscribePolling";
pub(crate) const UNPOLL: &str = "UnsubscribePolling";

const ABOUT_SERVERS: [&str; 6] =
    [LIST_RESOURCES, READ_RESOURCE, SUBSCRIBE, UNSUBSCRIBE, POLL, UNPOLL];

/// The names of all of them.
pub fn management_tools() -> impl Iterator<Item = &'static str> {
    ABOUT_SERVERS.into_iter().chain(searching::ALL)
}

/// Whether a built-in of this name is one of them.
pub(crate) fn is_management(own: &str) -> bool {
    management_tools().any(|name| name == own)
}

/// Whether it is one for clients that cannot subscribe by themselves; few are, so the usual list of tools
/// does without it.
pub(crate) fn is_subscribing(own: &str) -> bool {
    [SUBSCRIBE, UNSUBSCRIBE, POLL, UNPOLL].contains(&own)
}
