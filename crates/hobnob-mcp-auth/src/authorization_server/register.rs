//! Dynamic client registration (RFC 7591): `POST /oauth/register`.
//!
//! What must stay true: a registration proves nothing, so each address may only make a limited
//! number, and a registration without a login expires.

use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use http::{Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::client_document::{MAX_CLIENT_NAME, MAX_REDIRECTS};
use super::events::AuthorizationEvent;
use super::metadata::AUTH_METHODS;
use super::parts::ServerParts;
use super::plain_text::plain_text;
use super::record_store::RecordKind;
use super::records::{ClientBody, RecordOwner, insertion};
use super::redirect_rule;
use super::responses::{EndpointFault, OAuthRefusal, document};
use super::secrets::{new_secret, secret_digest};

/// How many clients may be registered at a time.
const MAX_CLIENTS: usize = 10_000;
/// The largest registration that is read, in bytes.
const MAX_BODY: usize = 16 * 1024;

#[derive(Deserialize)]
struct Registration {
    redirect_uris: Vec<Box<str>>,
    client_name: Option<Box<str>>,
    token_endpoint_auth_method: Option<Box<str>>,
    grant_types: Option<Vec<Box<str>>>,
    response_types: Option<Vec<Box<str>>>,
    application_type: Option<Box<str>>,
}

/// Registers the client that sent the request.
pub(super) async fn register(
    parts: &ServerParts,
    request: &Request<Bytes>,
    from: ClientId,
) -> Result<Response<Bytes>, EndpointFault> {
    let now = parts.now();
    let allowed = parts.throttles.registrations_from.attempt(from.origin(), now);
    allowed.map_err(EndpointFault::TooMany)?;
    let registration = parse_registration(request.body())?;
    if parts.is_full(RecordKind::Client, MAX_CLIENTS).await? {
        return Err(EndpointFault::TooMany(parts.settings.lifetimes.unused_client));
    }
    let id = new_secret("client-")?;
    let method = registration.token_endpoint_auth_method.as_deref();
    // RFC 7591: a client that names no method gets a secret for HTTP Basic.
    let method = method.unwrap_or("client_secret_basic");
    let secret = match method {
        "none" => None,
        _ => Some(new_secret("secret-")?),
    };
    let name = registration.client_name.as_deref().unwrap_or_default();
    let body = ClientBody {
        name: plain_text(name, MAX_CLIENT_NAME).into(),
        redirects: registration.redirect_uris,
        method: method.into(),
        secret: secret.as_ref().map(|secret| secret_digest(secret.expose())),
        created: now,
    };
    let expires_at = Some(now + parts.settings.lifetimes.unused_client);
    let owner = RecordOwner { expires_at, ..RecordOwner::default() };
    parts.commit(vec![insertion(id.expose(), owner, &body)?]).await?;
    parts.tell(from, AuthorizationEvent::Registered { client: id.expose().into() }).await;
    let mut answer = json!({
        "client_id": id.expose(),
        "client_id_issued_at": now,
        "client_name": &*body.name,
        "redirect_uris": body.redirects,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
    });
    if let Some(secret) = secret {
        answer["client_secret"] = secret.expose().into();
        answer["client_secret_expires_at"] = 0.into();
    }
    if let Some(kind @ ("native" | "web")) = registration.application_type.as_deref() {
        answer["application_type"] = Value::from(kind);
    }
    Ok(document(StatusCode::CREATED, &answer))
}

fn parse_registration(body: &[u8]) -> Result<Registration, OAuthRefusal> {
    let metadata = |why| OAuthRefusal::new("invalid_client_metadata", why);
    if MAX_BODY < body.len() {
        return Err(metadata("the registration is larger than 16 KiB"));
    }
    let registration: Registration = serde_json::from_slice(body)
        .map_err(|_| metadata("the registration must be a JSON object with redirect_uris"))?;
    let redirects = &registration.redirect_uris;
    if redirects.is_empty() || MAX_REDIRECTS < redirects.len() {
        let why = "a client has one to ten redirect_uris";
        return Err(OAuthRefusal::new("invalid_redirect_uri", why));
    }
    if !redirects.iter().all(|redirect| redirect_rule::is_acceptable(redirect)) {
        let why = "a redirect must be https, or http on 127.0.0.1, [::1] or localhost, without a \
                   user name and a fragment";
        return Err(OAuthRefusal::new("invalid_redirect_uri", why));
    }
    let method = registration.token_endpoint_auth_method.as_deref();
    if method.is_some_and(|method| !AUTH_METHODS.contains(&method)) {
        return Err(metadata("this token_endpoint_auth_method is not supported"));
    }
    let lacks = |list: &Option<Vec<Box<str>>>, wanted: &str| {
        list.as_ref().is_some_and(|list| !list.iter().any(|it| &**it == wanted))
    };
    if lacks(&registration.grant_types, "authorization_code") {
        return Err(metadata("grant_types must contain authorization_code"));
    }
    if lacks(&registration.response_types, "code") {
        return Err(metadata("response_types must contain code"));
    }
    Ok(registration)
}
