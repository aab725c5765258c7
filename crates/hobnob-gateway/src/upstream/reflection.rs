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

/// The longest time to read one of them.
const MAX_READ_TIME: Duration = Duration::from_secs(5);

/// Why this server must not be used, if its lists lead back to this hub.
pub(crate) async fn find_ourselves(
    remote: &Remote,
    lists: &Lists,
    identity: &HubIdentity,
) -> Option<String> {
    let address = |text: &str| serde_json::from_str::<String>(field(text, "uri")?).ok();
    let statuses = lists.resources.iter().filter_map(|text| address(text));
    // Hubs and gateways in between put their own prefixes in front of the address.
    for uri in statuses.filter(|uri| uri.ends_with(STATUS)).take(MAX_STATUSES) {
        let params = object(|params| {
            params.string("uri", &uri);
        });
        let reading = remote.request(Method::ResourcesRead, &params);
        let Ok(Ok(read)) = tokio::time::timeout(MAX_READ_TIME, reading).await else { continue };
        if instance(&read).is_some_and(|instance| identity.has_instance(&instance)) {
            return Some(HubIdentity::reflected());
        }
    }
    None
}

/// The instance id in the status of a hub.
fn instance(read: &str) -> Option<String> {
    let contents = elements(field(read, "contents")?);
    let text: String = serde_json::from_str(field(contents.first()?, "text")?).ok()?;
    serde_json::from_str(field(&text, "instance")?).ok()
}
