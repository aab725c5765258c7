//! Revokes a login at the authorization server (RFC 7009).
//!
//! A logout calls it before it removes the grant, which it does even if this fails.

use crate::client_identity::ClientIdentity;
use crate::discovery::Abilities;
use crate::encoding::form;
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest};
use crate::grant_store::StoredGrant;
use crate::secret::SecretText;

/// Revokes a grant at the server that issued it, if the server offers revocation.
pub(crate) async fn revoke(
    fetch: &dyn Fetch,
    rule: EndpointRule,
    grant: &StoredGrant,
    client: &ClientIdentity,
    now: u64,
) -> Result<Revocation, AuthError> {
    let Some(endpoint) = &grant.revocation_endpoint else { return Ok(Revocation::NotOffered) };
    let url = rule.check(endpoint, "revocation endpoint")?;
    // Revoking the refresh token ends the whole grant, access tokens included.
    let (token, kind) = match &grant.refresh_token {
        Some(token) => (token, "refresh_token"),
        None => (&grant.access_token, "access_token"),
    };
    let proof = client.parts(&Abilities::default(), &grant.issuer, now)?;
    let own = proof.parameters.iter().map(|(name, value)| (*name, value.expose()));
    let given = [("token", token.expose()), ("token_type_hint", kind)];
    let body = form(given.into_iter().chain(own));
    let mut request = FetchRequest::form(url, SecretText::new(body));
    request.headers.extend(proof.authorization.map(|value| ("authorization", value)));
    match fetch.fetch(request).await?.status {
        200..=299 => Ok(Revocation::Done),
        status => {
            let why = format!("the authorization server answers with HTTP {status}");
            Err(AuthError::Unavailable(why.into()))
        }
    }
}

/// The outcome of a revocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revocation {
    Done,
    NotOffered,
}
