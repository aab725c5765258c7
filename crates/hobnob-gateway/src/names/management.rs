//! The names of the tools about servers and subscriptions, which never ask; nor do those that search.
//!
//! The kit in `management` offers them; the rules and the router recognise them by these names.

use super::searching::is_searching;

pub(crate) const LIST_RESOURCES: &str = "ListMcpResources";
pub(crate) const READ_RESOURCE: &str = "ReadMcpResource";
pub(crate) const SUBSCRIBE: &str = "SubscribeMcpResource";
pub(crate) const UNSUBSCRIBE: &str = "UnsubscribeMcpResource";
pub(crate) const POLL: &str = "SubscribePolling";
pub(crate) const UNPOLL: &str = "UnsubscribePolling";

/// Whether a built-in of this name is one of them.
pub(crate) fn is_management(own: &str) -> bool {
    [LIST_RESOURCES, READ_RESOURCE, SUBSCRIBE, UNSUBSCRIBE, POLL, UNPOLL].contains(&own)
        || is_searching(own)
}

/// Whether it is one for clients that cannot subscribe by themselves; few are, so the usual list of tools
/// does without it.
pub(crate) fn is_subscribing(own: &str) -> bool {
    [SUBSCRIBE, UNSUBSCRIBE, POLL, UNPOLL].contains(&own)
}
