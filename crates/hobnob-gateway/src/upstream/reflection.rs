//! Finds this very hub in a server's lists: another vendor's gateway may have it behind itself
//! without passing on who asks or who answers. But it does pass on this hub's status resource.
//!
//! `life` checks every reading of the lists; a server that leads back to this hub is ended.

use std::time::Duration;

use hobnob_mcp_client::Remote;
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::{elements, field, object};

use crate::identity::HubIdentity;
use crate::upstream::lists::Lists;
use crate::uris::STATUS;

/// The most status resources read from one server.
const MAX_STATUSES: usize = 8;

/// What the status resources of a server say.
pub(crate) enum Reflection {
    /// None of them is this hub's.
    None,
    /// Why this server must not be used: it leads back to this hub.
    Ourselves(String),
    /// One of them was not read in time.
    Unread,
}

/// Looks for this hub's own status in a server's lists, and waits at most `max_wait` for each answer.
pub(crate) async fn find_ourselves(
    remote: &Remote,
    lists: &Lists,
    identity: &HubIdentity,
    max_wait: Duration,
) -> Reflection {
    let address = |text: &str| serde_json::from_str::<String>(field(text, "uri")?).ok();
    let statuses = lists.resources.iter().filter_map(|text| address(text));
    let mut found = Reflection::None;
    // Hubs and gateways in between put their own prefixes in front of the address.
    for uri in statuses.filter(|uri| uri.ends_with(STATUS)).take(MAX_STATUSES) {
        let params = object(|params| {
            params.string("uri", &uri);
        });
        let reading = remote.request(Method::ResourcesRead, &params);
        match tokio::time::timeout(max_wait, reading).await {
            Ok(Ok(read)) => {
                if instance(&read).is_some_and(|instance| identity.has_instance(&instance)) {
                    return Reflection::Ourselves(HubIdentity::reflected());
                }
            }
            Ok(Err(_)) => {}
            Err(_) => found = Reflection::Unread,
        }
    }
    found
}

/// The instance id in the status of a hub.
fn instance(read: &str) -> Option<String> {
    let contents = elements(field(read, "contents")?);
    let text: String = serde_json::from_str(field(contents.first()?, "text")?).ok()?;
    serde_json::from_str(field(&text, "instance")?).ok()
}
