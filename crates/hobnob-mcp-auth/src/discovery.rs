//! Finds the authorization server of an MCP server, and its endpoints (RFC 8414, OpenID Connect).
//!
//! The login flow runs discovery before every login. What must stay true: an issuer is a string
//! that is never normalised, and a document that names another issuer is not used.

use reqwest::Url;
use serde::Deserialize;

use crate::challenge::AuthChallenge;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest};
use crate::resource_metadata::{ResourceMetadata, resource_metadata};

#[cfg(test)]
mod tests;

const OAUTH_PATH: &str = "/.well-known/oauth-authorization-server";
const OPENID_PATH: &str = "/.well-known/openid-configuration";

/// Everything that a login must know about the servers.
#[derive(Debug, Clone)]
pub struct Discovered {
    /// The resource to request tokens for; servers before 2025-06-18 have none.
    pub resource: Option<Box<str>>,
    /// The issuer, exactly as the server spells it.
    pub issuer: Box<str>,
    /// The scopes to request if no challenge names any.
    pub scopes_supported: Vec<Box<str>>,
    /// The authorization server of that issuer.
    pub server: AuthorizationServer,
}

/// One authorization server: its endpoints, already checked, and its abilities.
#[derive(Debug, Clone)]
pub struct AuthorizationServer {
    /// Where people log in, if it protects its codes with PKCE.
    pub authorization_endpoint: Option<Url>,
    /// Where tokens are issued.
    pub token_endpoint: Url,
    /// Where clients register themselves (RFC 7591).
    pub registration_endpoint: Option<Url>,
    /// Where a login on another device begins (RFC 8628).
    pub device_authorization_endpoint: Option<Url>,
    /// Where a login is revoked (RFC 7009).
    pub revocation_endpoint: Option<Url>,
    /// The other facts in its metadata.
    pub abilities: Abilities,
}

/// What an authorization server's metadata says it can do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Abilities {
    /// The scopes that the server knows.
    #[serde(default)]
    pub scopes_supported: Vec<Box<str>>,
    /// How a client may prove itself; absent means `client_secret_basic`.
    pub token_endpoint_auth_methods_supported: Option<Vec<Box<str>>>,
    /// Whether a client id may be the address of a document.
    #[serde(default)]
    pub client_id_metadata_document_supported: bool,
    /// Whether every answer names the issuer (RFC 9207).
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
    /// The signature algorithms it accepts in proofs of possession (RFC 9449).
    #[serde(default)]
    pub dpop_signing_alg_values_supported: Vec<Box<str>>,
    /// The PKCE methods it supports; `S256` is required.
    #[serde(default)]
    pub code_challenge_methods_supported: Vec<Box<str>>,
}

/// The URLs in a metadata document.
#[derive(Deserialize)]
struct Addresses {
    issuer: Box<str>,
    authorization_endpoint: Option<Box<str>>,
    token_endpoint: Box<str>,
    registration_endpoint: Option<Box<str>>,
    device_authorization_endpoint: Option<Box<str>>,
    revocation_endpoint: Option<Box<str>>,
}

/// Which issuer to use if a server names several.
#[derive(Debug, Clone, Default)]
pub struct IssuerChoice {
    /// The only issuer that may be used.
    pub pinned: Option<Box<str>>,
    /// Issuers that we have credentials for, which are preferred.
    pub known: Vec<Box<str>>,
    /// The URL of the metadata, for servers that do not publish it.
    pub document: Option<Box<str>>,
}

/// Discovers everything that a login to `server` needs.
pub async fn discover(
    fetch: &dyn Fetch,
    server: &Url,
    challenge: Option<&AuthChallenge>,
    choice: &IssuerChoice,
) -> Result<Discovered, AuthError> {
    let metadata = resource_metadata(fetch, server, challenge).await?;
    if let Some(place) = &choice.document {
        return discover_in_document(fetch, server, place, metadata, choice).await;
    }
    let Some(metadata) = metadata.filter(|it| !it.authorization_servers.is_empty()) else {
        return discover_at_origin(fetch, server, choice).await;
    };
    let issuer = choose(&metadata.authorization_servers, choice)?;
    let rule = EndpointRule::for_server(server);
    for place in metadata_places(&issuer, rule)? {
        let Some(document) = fetch_document(fetch, place).await? else { continue };
        let (addresses, abilities) = document;
        if addresses.issuer != issuer {
            return Err(AuthError::stop(
                "the authorization server says it is another issuer than the server trusts; tell \
                 its operator",
            ));
        }
        let server = checked(&addresses, abilities, rule)?;
        let (resource, scopes_supported) = (Some(metadata.resource), metadata.scopes_supported);
        return Ok(Discovered { resource, issuer, scopes_supported, server });
    }
    Err(AuthError::stop("the authorization server publishes no metadata; tell its operator"))
}

/// The settings name the document, so they vouch for the issuer that it names.
async fn discover_in_document(
    fetch: &dyn Fetch,
    server: &Url,
    place: &str,
    metadata: Option<ResourceMetadata>,
    choice: &IssuerChoice,
) -> Result<Discovered, AuthError> {
    let rule = EndpointRule::for_server(server);
    let place = rule.check(place, "address of the metadata in the settings")?;
    let Some((addresses, abilities)) = fetch_document(fetch, place).await? else {
        return Err(AuthError::Setting(
            "there is no metadata at the address in the settings; correct it".into(),
        ));
    };
    rule.check(&addresses.issuer, "issuer")?;
    if choice.pinned.as_ref().is_some_and(|pinned| *pinned != addresses.issuer) {
        return Err(not_pinned());
    }
    let found = checked(&addresses, abilities, rule)?;
    let (resource, scopes_supported) = match metadata {
        Some(metadata) => (Some(metadata.resource), metadata.scopes_supported),
        None => (None, Vec::new()),
    };
    Ok(Discovered { resource, issuer: addresses.issuer, scopes_supported, server: found })
}

/// Revision 2025-03-26: the server's own origin is the authorization server, with metadata or with
/// fixed paths. Its issuer may have a path of its own, but every endpoint is at the origin.
async fn discover_at_origin(
    fetch: &dyn Fetch,
    server: &Url,
    choice: &IssuerChoice,
) -> Result<Discovered, AuthError> {
    let rule = EndpointRule::for_server(server);
    let origin = server.origin().ascii_serialization();
    let place = rule.check(&format!("{origin}{OAUTH_PATH}"), "address of the server")?;
    let (issuer, found) = match fetch_document(fetch, place).await? {
        Some((addresses, abilities)) => {
            let issuer = rule.check(&addresses.issuer, "issuer")?;
            let found = checked(&addresses, abilities, rule)?;
            let endpoints = [
                Some(&issuer),
                Some(&found.token_endpoint),
                found.authorization_endpoint.as_ref(),
                found.registration_endpoint.as_ref(),
                found.device_authorization_endpoint.as_ref(),
                found.revocation_endpoint.as_ref(),
            ];
            if endpoints.into_iter().flatten().any(|url| url.origin() != server.origin()) {
                return Err(AuthError::stop(
                    "the server names no authorization server, and its own metadata leads to \
                     another host",
                ));
            }
            (addresses.issuer, found)
        }
        None => (origin.as_str().into(), default_paths(&origin, rule)?),
    };
    if choice.pinned.as_ref().is_some_and(|pinned| *pinned != issuer) {
        return Err(not_pinned());
    }
    let scopes_supported = Vec::new();
    Ok(Discovered { resource: None, issuer, scopes_supported, server: found })
}

fn default_paths(origin: &str, rule: EndpointRule) -> Result<AuthorizationServer, AuthError> {
    let at = |path: &str| rule.check(&format!("{origin}{path}"), "address of the server");
    Ok(AuthorizationServer {
        authorization_endpoint: Some(at("/authorize")?),
        token_endpoint: at("/token")?,
        registration_endpoint: Some(at("/register")?),
        device_authorization_endpoint: None,
        revocation_endpoint: None,
        abilities: Abilities {
            token_endpoint_auth_methods_supported: Some(vec![
                "client_secret_post".into(),
                "none".into(),
            ]),
            ..Abilities::default()
        },
    })
}

fn choose(issuers: &[Box<str>], choice: &IssuerChoice) -> Result<Box<str>, AuthError> {
    if let Some(pinned) = &choice.pinned {
        return if issuers.contains(pinned) { Ok(pinned.clone()) } else { Err(not_pinned()) };
    }
    let known = issuers.iter().find(|issuer| choice.known.contains(issuer));
    let chosen = known.or(issuers.first()).cloned();
    chosen.ok_or_else(|| AuthError::stop("the server names no authorization server"))
}

fn not_pinned() -> AuthError {
    AuthError::stop(
        "the server does not trust the issuer of its settings any more; if that is right, change it",
    )
}

/// The URLs where an issuer's metadata may be, in the specified order. They are joined as strings,
/// since a URL type would add a slash to an issuer without a path.
fn metadata_places(issuer: &str, rule: EndpointRule) -> Result<Vec<Url>, AuthError> {
    let url = rule.check(issuer, "issuer")?;
    if url.query().is_some() {
        return Err(AuthError::stop("the issuer has a query"));
    }
    let origin = url.origin().ascii_serialization();
    let path = url.path().trim_end_matches('/');
    let places = if path.is_empty() {
        vec![format!("{origin}{OAUTH_PATH}"), format!("{origin}{OPENID_PATH}")]
    } else {
        vec![
            format!("{origin}{OAUTH_PATH}{path}"),
            format!("{origin}{OPENID_PATH}{path}"),
            format!("{origin}{path}{OPENID_PATH}"),
        ]
    };
    places.iter().map(|place| rule.check(place, "issuer")).collect()
}

/// Fetches a metadata document; `None` if there is none at this URL.
async fn fetch_document(
    fetch: &dyn Fetch,
    place: Url,
) -> Result<Option<(Addresses, Abilities)>, AuthError> {
    let response = fetch.fetch(FetchRequest::document(place)).await?;
    match response.status {
        200 => {
            let addresses = response.read("authorization server's metadata")?;
            let abilities = response.read("authorization server's metadata")?;
            Ok(Some((addresses, abilities)))
        }
        300..=499 => Ok(None),
        status => {
            let why = format!("the authorization server's metadata is answered with HTTP {status}");
            Err(AuthError::Unavailable(why.into()))
        }
    }
}

fn checked(
    addresses: &Addresses,
    abilities: Abilities,
    rule: EndpointRule,
) -> Result<AuthorizationServer, AuthError> {
    let optional = |text: &Option<Box<str>>, what| {
        text.as_deref().map(|text| rule.check(text, what)).transpose()
    };
    let authorization_endpoint =
        optional(&addresses.authorization_endpoint, "authorization endpoint")?;
    // Spec 2025-11-25: without S256 in the metadata a client must not go on. Grants without a login
    // page have no code to protect.
    let protects = abilities.code_challenge_methods_supported.iter().any(|it| &**it == "S256");
    Ok(AuthorizationServer {
        authorization_endpoint: authorization_endpoint.filter(|_| protects),
        token_endpoint: rule.check(&addresses.token_endpoint, "token endpoint")?,
        registration_endpoint: optional(&addresses.registration_endpoint, "registration endpoint")?,
        device_authorization_endpoint: optional(
            &addresses.device_authorization_endpoint,
            "device authorization endpoint",
        )?,
        revocation_endpoint: optional(&addresses.revocation_endpoint, "revocation endpoint")?,
        abilities,
    })
}
