//! Client authentication at the token and revocation endpoints, before anything else.
//!
//! It reads the store, and changes nothing. What must stay true: a client proves itself in the one
//! way it registered, and an unknown client gets the same `invalid_client` as a wrong secret. A
//! client that a document describes has no secret and passes here by its id alone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;

use super::client_document::is_document_address;
use super::form::{Form, decode};
use super::parts::ServerParts;
use super::records::{ClientBody, load};
use super::responses::{EndpointFault, OAuthRefusal};
use super::secrets::has_digest;

const UNKNOWN_CLIENT: OAuthRefusal = OAuthRefusal::new(
    "invalid_client",
    "the client is not known here, or did not prove itself; register again",
);

/// The client id and the credentials in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ShownClient {
    id: String,
    secret: Option<String>,
    method: &'static str,
}

/// The id of the client that sent the request, once it has proved itself.
pub(super) async fn authenticate(
    parts: &ServerParts,
    headers: &HeaderMap,
    form: &Form,
) -> Result<Box<str>, EndpointFault> {
    let shown = shown(headers, form)?;
    // A client described by a document has no secret: its redirect and PKCE prove it instead.
    if is_document_address(&shown.id) {
        let public = shown.method == "none";
        return if public { Ok(shown.id.into()) } else { Err(UNKNOWN_CLIENT.into()) };
    }
    let client = load::<ClientBody>(&*parts.store, &shown.id).await?;
    let now = parts.now();
    let client = client.filter(|it| it.record.expires_at.is_none_or(|end| now < end));
    let client = client.ok_or(UNKNOWN_CLIENT)?;
    let proved = match (&client.body.secret, &shown.secret) {
        (None, None) => true,
        (Some(kept), Some(secret)) => {
            has_digest(secret, kept) && *client.body.method == *shown.method
        }
        (None, Some(_)) | (Some(_), None) => false,
    };
    if proved { Ok(shown.id.into()) } else { Err(UNKNOWN_CLIENT.into()) }
}

fn shown(headers: &HeaderMap, form: &Form) -> Result<ShownClient, OAuthRefusal> {
    let ambiguous = OAuthRefusal::new("invalid_request", "a client proves itself in one way, once");
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let basic = match (values.next(), values.next()) {
        (None, _) => None,
        (Some(value), None) => Some(basic(value.to_str().ok()).ok_or(UNKNOWN_CLIENT)?),
        (Some(_), Some(_)) => return Err(ambiguous),
    };
    match (basic, form.get("client_id"), form.get("client_secret")) {
        (Some((id, secret)), named, None) => match named {
            Some(named) if named != id => Err(ambiguous),
            Some(_) | None => {
                Ok(ShownClient { id, secret: Some(secret), method: "client_secret_basic" })
            }
        },
        (Some(_), _, Some(_)) => Err(ambiguous),
        (None, Some(id), Some(secret)) => Ok(ShownClient {
            id: id.into(),
            secret: Some(secret.into()),
            method: "client_secret_post",
        }),
        (None, Some(id), None) => Ok(ShownClient { id: id.into(), secret: None, method: "none" }),
        (None, None, _) => Err(UNKNOWN_CLIENT),
    }
}

/// RFC 6749, 2.3.1: client id and secret are form-encoded before they go into the header.
fn basic(value: Option<&str>) -> Option<(String, String)> {
    let (scheme, login) = value?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let login = String::from_utf8(STANDARD.decode(login.trim()).ok()?).ok()?;
    let (id, secret) = login.split_once(':')?;
    Some((decode(id)?, decode(secret)?))
}
