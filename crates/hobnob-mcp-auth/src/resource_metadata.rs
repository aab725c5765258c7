//! Protected resource metadata (RFC 9728): which authorization servers an MCP server trusts.
//!
//! Discovery fetches it first. What must stay true: `resource` is the server's URL or a parent of
//! it, and is passed on unchanged, since the authorization server compares bytes.

use reqwest::Url;
use serde::Deserialize;

use crate::challenge::AuthChallenge;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest};

#[cfg(test)]
mod tests;

/// The path of the document at the origin.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// What an MCP server says about itself and the authorization servers it trusts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ResourceMetadata {
    /// The server's own name as a resource, exactly as it came.
    pub resource: Box<str>,
    /// The issuers that the server trusts, exactly as they came.
    #[serde(default)]
    pub authorization_servers: Vec<Box<str>>,
    /// The scopes to request if no challenge names any.
    #[serde(default)]
    pub scopes_supported: Vec<Box<str>>,
}

/// Fetches the metadata of a server: from the URL in its challenge, or else from the well-known URL
/// of its path, or else of its origin. `None` if there is none, as before 2025-06-18.
pub async fn resource_metadata(
    fetch: &dyn Fetch,
    server: &Url,
    challenge: Option<&AuthChallenge>,
) -> Result<Option<ResourceMetadata>, AuthError> {
    let rule = EndpointRule::for_server(server);
    let named = challenge.and_then(|challenge| challenge.parameter("resource_metadata"));
    let mut places = well_known(server, rule)?;
    if let Some(place) = named {
        places.insert(0, rule.check(place, "address of the resource metadata")?);
    }
    for place in places {
        let response = fetch.fetch(FetchRequest::document(place)).await?;
        match response.status {
            200 => {
                let found: ResourceMetadata = response.read("resource metadata")?;
                covers(&found.resource, server)?;
                return Ok(Some(found));
            }
            300..=499 => {}
            status => {
                let why = format!("the resource metadata is answered with HTTP {status}");
                return Err(AuthError::Unavailable(why.into()));
            }
        }
    }
    Ok(None)
}

fn well_known(server: &Url, rule: EndpointRule) -> Result<Vec<Url>, AuthError> {
    let origin = server.origin().ascii_serialization();
    let path = server.path().trim_end_matches('/');
    let mut places = vec![format!("{origin}{WELL_KNOWN}{path}")];
    if !path.is_empty() {
        places.push(format!("{origin}{WELL_KNOWN}"));
    }
    places.iter().map(|place| rule.check(place, "address of the server")).collect()
}

/// Fails unless the resource is the server itself or a parent path of it on the same origin.
fn covers(resource: &str, server: &Url) -> Result<(), AuthError> {
    let stop = || {
        AuthError::stop(
            "the server's metadata is about another resource than the server; tell its operator",
        )
    };
    let url = Url::parse(resource).map_err(|_| stop())?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if !plain || url.origin() != server.origin() {
        return Err(stop());
    }
    let (parent, path) = (url.path().trim_end_matches('/'), server.path().trim_end_matches('/'));
    let below =
        path.strip_prefix(parent).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let same_query = url.query().is_none() || url.query() == server.query();
    if below && same_query { Ok(()) } else { Err(stop()) }
}
