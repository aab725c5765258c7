//! Turns a server's entry into the settings of its login.
//!
//! `logins` builds the authorizers of connections from it, and `hobnob login` those that prompt a
//! person. What must stay true: a login belongs to one principal, and is never used for another.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hobnob_config::{
    IdentityProvider, OAuthGrant, OAuthResource, OAuthSpec, Secret, ServerSpec, Target,
};
use hobnob_mcp_auth::{
    AuthError, ClientIdentity, EnterpriseLogin, FileGrantStore, GrantKey, IdentityToken,
    OAuthAuthorizer, OAuthBuilder, ResourceChoice, SecretText, SigningKey,
};
use hobnob_mcp_engine::Principal;

#[cfg(test)]
mod tests;

/// The settings of this principal's login to this server, without a prompt. `None` for a server
/// without a login: a program, or a server with credentials in its entry.
pub fn oauth_builder(
    spec: &ServerSpec,
    principal: &Principal,
    store: &Arc<FileGrantStore>,
) -> Result<Option<OAuthBuilder>, AuthError> {
    let Target::Url { url, headers, .. } = &spec.target else { return Ok(None) };
    let given = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    if given || spec.headers_helper.is_some() {
        return Ok(None);
    }
    let builder = match (OAuthAuthorizer::builder(url.expose()), &spec.oauth) {
        (Ok(builder), _) => builder,
        // A remote server without encryption can be used, but no login to it is possible.
        (Err(_), None) => return Ok(None),
        (Err(error), Some(_)) => return Err(error),
    };
    check_owner(spec, principal)?;
    let store: Arc<FileGrantStore> = Arc::clone(store);
    let builder = builder.store(store).principal(&grant_principal(principal));
    match &spec.oauth {
        Some(oauth) => with_settings(builder, oauth).map(Some),
        None => Ok(Some(builder)),
    }
}

/// Why there is no login to a server for which [`oauth_builder`] finds none, and what to do instead.
pub fn why_no_login(spec: &ServerSpec) -> &'static str {
    match &spec.target {
        Target::Command { .. } => {
            "is a program and has no login; set its credentials in `env` of its entry"
        }
        Target::Url { .. } if spec.headers_helper.is_some() => {
            "gets its credentials from its `headersHelper`; remove it from the entry to log in"
        }
        Target::Url { headers, .. }
            if headers.iter().any(|(it, _)| it.eq_ignore_ascii_case("authorization")) =>
        {
            "has its credentials in `headers`; remove `Authorization` there to log in"
        }
        Target::Url { .. } => "is not encrypted, so nobody can log in to it; use https",
    }
}

/// The key under which this principal's login to this server is stored, if it can have one.
pub(crate) fn grant_key(
    spec: &ServerSpec,
    principal: &Principal,
    store: &Arc<FileGrantStore>,
) -> Option<GrantKey> {
    oauth_builder(spec, principal, store).ok().flatten().map(|builder| builder.key())
}

/// Fails for all but the owner if an identity provider vouches for them: the entry names the
/// owner's ID token, and no other principal may use it.
pub(crate) fn check_owner(spec: &ServerSpec, principal: &Principal) -> Result<(), AuthError> {
    let grant = spec.oauth.as_ref().map(|oauth| &oauth.grant);
    match grant {
        Some(OAuthGrant::Enterprise(_)) if *principal != Principal::anonymous() => {
            Err(AuthError::Setting(
                "its identity provider vouches for the person who runs Hobnob \
                 (`oauth.identityProvider`), so nobody else can use it"
                    .into(),
            ))
        }
        _ => Ok(()),
    }
}

/// Whether a login to this server, if it needs one, takes a person.
pub fn needs_person(spec: &ServerSpec) -> bool {
    spec.oauth.as_ref().is_none_or(|oauth| oauth.grant == OAuthGrant::Person)
}

/// The principal in the store's key. No named principal can collide with the local user.
fn grant_principal(principal: &Principal) -> String {
    match principal.as_str() {
        "" => "local".into(),
        name => format!("principal {name}"),
    }
}

fn with_settings(mut builder: OAuthBuilder, oauth: &OAuthSpec) -> Result<OAuthBuilder, AuthError> {
    if let Some(id) = &oauth.client_id {
        builder = builder.client(client(oauth, id)?);
    }
    if let Some(issuer) = &oauth.issuer {
        builder = builder.issuer(issuer.expose());
    }
    if let Some(place) = &oauth.metadata_url {
        builder = builder.metadata_document(place.expose());
    }
    if let Some(scopes) = &oauth.scopes {
        builder = builder.only_scopes(scopes);
    }
    builder = match &oauth.resource {
        OAuthResource::FromServer => builder,
        OAuthResource::Fixed(resource) => {
            builder.resource(ResourceChoice::Fixed(resource.expose().into()))
        }
        OAuthResource::Omitted => builder.resource(ResourceChoice::Omitted),
    };
    for (name, value) in &oauth.parameters {
        builder = builder.parameter(name, value.expose());
    }
    for host in &oauth.allow_private {
        builder = builder.allow_private(host);
    }
    Ok(match &oauth.grant {
        OAuthGrant::Person => builder,
        OAuthGrant::ClientCredentials => builder.client_credentials(),
        OAuthGrant::Enterprise(provider) => builder.enterprise_managed(enterprise(provider)),
    })
}

fn client(oauth: &OAuthSpec, id: &Secret) -> Result<ClientIdentity, AuthError> {
    let id = id.expose();
    match (&oauth.private_key_file, &oauth.client_secret) {
        (Some(file), _) => {
            let pem = fs::read_to_string(file.expose()).map_err(|error| {
                let why = format!("the file of `oauth.privateKeyFile` cannot be read: {error}");
                AuthError::Setting(why.into())
            })?;
            let key = SigningKey::from_pem(&SecretText::new(pem))?;
            let key = match &oauth.key_id {
                Some(key_id) => key.with_id(key_id.expose()),
                None => key,
            };
            Ok(ClientIdentity::with_key(id, key))
        }
        (None, Some(secret)) => {
            Ok(ClientIdentity::with_secret(id, SecretText::new(secret.expose())))
        }
        (None, None) => Ok(ClientIdentity::public(id)),
    }
}

fn enterprise(provider: &IdentityProvider) -> EnterpriseLogin {
    let id = provider.client_id.expose();
    let client = match &provider.client_secret {
        Some(secret) => ClientIdentity::with_secret(id, SecretText::new(secret.expose())),
        None => ClientIdentity::public(id),
    };
    let file: Arc<Path> = Path::new(provider.id_token_file.expose()).into();
    let id_token = IdentityToken::read_by(move || {
        let file = Arc::clone(&file);
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || fs::read_to_string(file)).await;
            match read {
                Ok(Ok(text)) => Ok(SecretText::new(text.trim())),
                Ok(Err(_)) | Err(_) => Err(AuthError::Setting(
                    "the file of `oauth.identityProvider.idTokenFile` cannot be read".into(),
                )),
            }
        })
    });
    EnterpriseLogin { token_endpoint: provider.token_url.expose().into(), client, id_token }
}
