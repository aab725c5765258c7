//! Finds this very hub in what a server lists: a gateway of another make may have us behind it,
//! and passes on neither who asks nor who answers. It does pass our status on.
//!
//! `life` looks after every reading of the lists; a server that leads back to us is ended.

use std::time::Duration;

use hobnob_mcp_client::Remote;
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::{elements, field, object};

use crate::identity::HubIdentity;
use crate::upstream::lists::Lists;
use crate::uris::STATUS;

/// Statuses of hubs that are read of one server.
const MAX_STATUSES: usize = 8;

/// How long reading one may take.
const MAX_READ_TIME: Duration = Duration::from_secs(5);

/// Why this server must not be used, if what it lists leads back to us.
pub(crate) async fn find_ourselves(
    remote: &Remote,
    lists: &Lists,
    identity: &HubIdentity,
) -> Option<String> {
    let address = |text: &str| serde_json::from_str::<String>(field(text, "uri")?).ok();
    let statuses = lists.resources.iter().filter_map(|text| address(text));
    // A hub in between has put its own prefix in front of it.
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

/// The instance that the status of a hub names.
fn instance(read: &str) -> Option<String> {
    let contents = elements(field(read, "contents")?);
    let text: String = serde_json::from_str(field(contents.first()?, "text")?).ok()?;
    serde_json::from_str(field(&text, "instance")?).ok()
}
