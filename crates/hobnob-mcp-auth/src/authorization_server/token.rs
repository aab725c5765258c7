//! Token requests and revocation: `POST /oauth/token` and `POST /oauth/revoke`.
//!
//! What must stay true: a refusal says no more than its OAuth error, and no cache may store an
//! answer.

use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use http::header::CONTENT_TYPE;
use http::{Request, Response, StatusCode};
use serde_json::json;

use super::client_auth::authenticate;
use super::events::AuthorizationEvent;
use super::form::Form;
use super::grants::{CodeProof, IssuedTokens, RefreshProof, redeem, refresh};
use super::parts::ServerParts;
use super::record_store::StoredChange;
use super::records::{AccessTokenBody, RefreshTokenBody, load};
use super::responses::{EndpointFault, OAuthRefusal, document};
use super::secrets::secret_digest;

const NO_FORM: OAuthRefusal = OAuthRefusal::new(
    "invalid_request",
    "the body must be a form (application/x-www-form-urlencoded) that names each parameter once",
);

/// Answers a token request.
pub(super) async fn token(
    parts: &ServerParts,
    request: &Request<Bytes>,
    from: ClientId,
) -> Result<Response<Bytes>, EndpointFault> {
    let (form, client) = authenticated_form(parts, request).await?;
    let missing = |what| OAuthRefusal::new("invalid_request", what);
    let issued = match form.get("grant_type") {
        Some("authorization_code") => {
            let code = form.get("code").ok_or(missing("the code is missing"))?;
            let verifier = form.get("code_verifier").filter(|it| is_verifier(it));
            let verifier =
                verifier.ok_or(missing("the code_verifier is missing, or no verifier"))?;
            let (redirect, resource) = (form.get("redirect_uri"), form.get("resource"));
            redeem(
                parts,
                CodeProof { client_id: &client, from, code, redirect, verifier, resource },
            )
            .await?
        }
        Some("refresh_token") => {
            let token = form.get("refresh_token");
            let token = token.ok_or(missing("the refresh_token is missing"))?;
            let (resource, scopes) = (form.get("resource"), form.get("scope"));
            refresh(parts, RefreshProof { client_id: &client, from, token, resource, scopes })
                .await?
        }
        Some(_) => {
            let why = "only authorization_code and refresh_token are supported";
            return Err(OAuthRefusal::new("unsupported_grant_type", why).into());
        }
        None => return Err(missing("the grant_type is missing").into()),
    };
    let IssuedTokens { access, refresh, expires_in, scopes } = issued;
    let answer = json!({
        "access_token": access.expose(),
        "token_type": "Bearer",
        "expires_in": expires_in,
        "refresh_token": refresh.expose(),
        "scope": &*scopes,
        "iss": parts.settings.issuer(),
    });
    Ok(document(StatusCode::OK, &answer))
}

/// Revokes tokens (RFC 7009): a refresh token with its whole grant, an access token by itself.
pub(super) async fn revoke(
    parts: &ServerParts,
    request: &Request<Bytes>,
    from: ClientId,
) -> Result<Response<Bytes>, EndpointFault> {
    let (form, client) = authenticated_form(parts, request).await?;
    let missing = OAuthRefusal::new("invalid_request", "the token is missing");
    let token = form.get("token").ok_or(missing)?;
    let digest = secret_digest(token);
    let refresh = load::<RefreshTokenBody>(&*parts.store, &digest).await?;
    let access = load::<AccessTokenBody>(&*parts.store, &digest).await?;
    let change = match (refresh, access) {
        (Some(token), _) if *token.body.client_id == *client => {
            Some(StoredChange::RemoveGrant(token.record.grant))
        }
        (None, Some(token)) if *token.body.client_id == *client => Some(token.removed()),
        (_, _) => None,
    };
    if let Some(change) = change {
        // On a conflict another request has removed the token, which is just as good.
        parts.commit(vec![change]).await?;
        parts.count_revocation();
        parts.tell(from, AuthorizationEvent::Revoked { client }).await;
    }
    // RFC 7009, 2.2: an unknown token counts as revoked.
    Ok(document(StatusCode::OK, &json!({})))
}

/// The form of a request, and the id of the client that has proved itself with it.
async fn authenticated_form(
    parts: &ServerParts,
    request: &Request<Bytes>,
) -> Result<(Form, Box<str>), EndpointFault> {
    let form = posted_form(request).ok_or(NO_FORM)?;
    let client = authenticate(parts, request.headers(), &form).await?;
    Ok((form, client))
}

/// The syntax of a PKCE verifier (RFC 7636, 4.1).
fn is_verifier(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (43..=128).contains(&text.len()) && text.bytes().all(plain)
}

/// The form in the body of a request.
pub(super) fn posted_form(request: &Request<Bytes>) -> Option<Form> {
    let kind = request.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return None;
    }
    Form::parse(std::str::from_utf8(request.body()).ok()?)
}
