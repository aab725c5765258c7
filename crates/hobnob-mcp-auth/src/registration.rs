//! Determines the client to log in as: configured, described by a document, registered before, or
//! registered now.
//!
//! The login flow calls it before every login. What must stay true: credentials that one issuer
//! registered are never shown to another.

use reqwest::Url;
use serde::Deserialize;
use serde_json::json;

use crate::client_identity::ClientIdentity;
use crate::device_login::DEVICE_GRANT;
use crate::discovery::Discovered;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest};
use crate::grant_store::{GrantStore, RegisteredClient, RegistrationKey};
use crate::settings::{LoginSettings, RegistrationUse};

/// Where an identity comes from, which decides whether another can be obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdentityOrigin {
    /// The settings name it, and only the user can change it.
    Settings,
    /// The authorization server registered it, and may have forgotten it.
    Registration,
}

#[derive(Deserialize)]
struct Registered {
    client_id: Box<str>,
    client_secret: Option<Box<str>>,
    token_endpoint_auth_method: Option<Box<str>>,
    client_secret_expires_at: Option<u64>,
}

/// Finds the client to log in as, and registers it if necessary.
pub(crate) async fn identify(
    fetch: &dyn Fetch,
    store: &dyn GrantStore,
    settings: &LoginSettings,
    discovered: &Discovered,
    redirect: &str,
    now: u64,
) -> Result<(ClientIdentity, IdentityOrigin), AuthError> {
    if let Some(client) = &settings.client {
        return Ok((client.clone(), IdentityOrigin::Settings));
    }
    let documents = discovered.server.abilities.client_id_metadata_document_supported;
    if let Some(address) = settings.metadata_document.as_ref().filter(|_| documents) {
        return Ok((ClientIdentity::public(address.clone()), IdentityOrigin::Settings));
    }
    let key = RegistrationKey { issuer: discovered.issuer.clone(), redirect: redirect.into() };
    let known = match settings.registration {
        RegistrationUse::Stored => known_client(store, &key).await?,
        RegistrationUse::Anew => None,
    };
    let lives = |client: &RegisteredClient| client.secret_expires_at.is_none_or(|end| now < end);
    let client = match known.filter(lives) {
        Some(client) => client,
        None => {
            let client = register(fetch, settings, discovered, redirect).await?;
            store.save_client(&key, Some(&client)).await?;
            client
        }
    };
    Ok((client.identity(), IdentityOrigin::Registration))
}

/// Loads a registration; a damaged one counts as none, and is made again.
async fn known_client(
    store: &dyn GrantStore,
    key: &RegistrationKey,
) -> Result<Option<RegisteredClient>, AuthError> {
    match store.load_client(key).await {
        Err(AuthError::Damaged(_)) => Ok(None),
        known => known,
    }
}

/// Registers the client dynamically (RFC 7591).
async fn register(
    fetch: &dyn Fetch,
    settings: &LoginSettings,
    discovered: &Discovered,
    redirect: &str,
) -> Result<RegisteredClient, AuthError> {
    let Some(endpoint) = &discovered.server.registration_endpoint else {
        return Err(AuthError::Setting(
            format!(
                "the authorization server `{}` registers no clients by itself: register one there \
                 with the redirect `{redirect}`, and set its client id",
                discovered.issuer
            )
            .into(),
        ));
    };
    let (redirects, grant, responses) = match redirect {
        // A login on another device has no answer that comes back here.
        "" => (vec![], DEVICE_GRANT, vec![]),
        redirect => (vec![redirect], "authorization_code", vec!["code"]),
    };
    let document = json!({
        "client_name": &*settings.client_name,
        "redirect_uris": redirects,
        "grant_types": [grant, "refresh_token"],
        "response_types": responses,
        "token_endpoint_auth_method": wanted_method(discovered),
        "application_type": application_type(redirect),
    });
    let request = FetchRequest::json(endpoint.clone(), document.to_string());
    let response = fetch.fetch(request).await?;
    match response.status {
        200 | 201 => {}
        400..=499 => {
            let why = format!(
                "the authorization server `{}` does not register this client (HTTP {}); register \
                 one there and set its client id",
                discovered.issuer, response.status
            );
            return Err(AuthError::Setting(why.into()));
        }
        status => {
            let why = format!("the registration is answered with HTTP {status}");
            return Err(AuthError::Unavailable(why.into()));
        }
    }
    let registered: Registered = response.read("answer to the registration")?;
    Ok(RegisteredClient {
        id: registered.client_id,
        secret: registered.client_secret.map(crate::secret::SecretText::new),
        method: registered.token_endpoint_auth_method,
        // RFC 7591: zero means that the secret never expires.
        secret_expires_at: registered.client_secret_expires_at.filter(|end| *end != 0),
    })
}

/// Prefers no secret: every program of the user could read it on this machine.
fn wanted_method(discovered: &Discovered) -> &str {
    let listed = discovered.server.abilities.token_endpoint_auth_methods_supported.as_deref();
    let takes = |method: &str| listed.is_some_and(|it| it.iter().any(|it| &**it == method));
    match listed {
        Some(_) if takes("none") => "none",
        Some(_) if takes("client_secret_post") && !takes("client_secret_basic") => {
            "client_secret_post"
        }
        Some(_) | None => "client_secret_basic",
    }
}

/// Spec 2026-07-28: a client says whether its redirect is on the user's machine or on the web.
fn application_type(redirect: &str) -> &'static str {
    match Url::parse(redirect) {
        Ok(url) if url.scheme() == "https" => "web",
        Ok(_) | Err(_) => "native",
    }
}
