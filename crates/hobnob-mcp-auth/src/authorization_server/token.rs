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
use super::failure::ServerFailure;
use super::form::Form;
use super::grants::{CodeProof, GrantRefusal, IssuedTokens, RefreshProof, redeem, refresh};
use super::parts::ServerParts;
use super::record_store::StoredChange;
use super::records::{AccessTokenBody, RefreshTokenBody, load};
use super::responses::{OAuthRefusal, document, refusal, too_many};
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
) -> Result<Response<Bytes>, ServerFailure> {
    let issuer = parts.settings.issuer();
    let (form, client) = match authenticated_form(parts, request).await? {
        Ok(proved) => proved,
        Err(problem) => return Ok(refusal(issuer, problem)),
    };
    let missing = |what| Ok(refusal(issuer, OAuthRefusal::new("invalid_request", what)));
    let issued = match form.get("grant_type") {
        Some("authorization_code") => {
            let Some(code) = form.get("code") else { return missing("the code is missing") };
            let Some(verifier) = form.get("code_verifier").filter(|it| is_verifier(it)) else {
                return missing("the code_verifier is missing, or no verifier");
            };
            let (redirect, resource) = (form.get("redirect_uri"), form.get("resource"));
            redeem(
                parts,
                CodeProof { client_id: &client, from, code, redirect, verifier, resource },
            )
            .await?
        }
        Some("refresh_token") => {
            let Some(token) = form.get("refresh_token") else {
                return missing("the refresh_token is missing");
            };
            let (resource, scopes) = (form.get("resource"), form.get("scope"));
            refresh(parts, RefreshProof { client_id: &client, from, token, resource, scopes })
                .await?
        }
        Some(_) => {
            let why = "only authorization_code and refresh_token are supported";
            return Ok(refusal(issuer, OAuthRefusal::new("unsupported_grant_type", why)));
        }
        None => return missing("the grant_type is missing"),
    };
    Ok(match issued {
        Ok(IssuedTokens { access, refresh, expires_in, scopes }) => {
            let answer = json!({
                "access_token": access.expose(),
                "token_type": "Bearer",
                "expires_in": expires_in,
                "refresh_token": refresh.expose(),
                "scope": &*scopes,
                "iss": issuer,
            });
            document(StatusCode::OK, &answer)
        }
        Err(GrantRefusal::Busy) => too_many(issuer, 1),
        Err(problem) => refusal(issuer, in_oauth_words(problem)),
    })
}

fn in_oauth_words(problem: GrantRefusal) -> OAuthRefusal {
    match problem {
        GrantRefusal::Invalid => OAuthRefusal::new(
            "invalid_grant",
            "the code or the refresh token is not valid, has expired, or was used before",
        ),
        GrantRefusal::OtherResource => {
            OAuthRefusal::new("invalid_target", "the grant is for another resource")
        }
        GrantRefusal::MoreScopes => {
            OAuthRefusal::new("invalid_scope", "the grant does not have these scopes")
        }
        GrantRefusal::Busy => {
            let why = "other requests changed this login at the same time; try again";
            OAuthRefusal::new("temporarily_unavailable", why)
        }
    }
}

/// Revokes tokens (RFC 7009): a refresh token with its whole grant, an access token by itself.
pub(super) async fn revoke(
    parts: &ServerParts,
    request: &Request<Bytes>,
    from: ClientId,
) -> Result<Response<Bytes>, ServerFailure> {
    let issuer = parts.settings.issuer();
    let (form, client) = match authenticated_form(parts, request).await? {
        Ok(proved) => proved,
        Err(problem) => return Ok(refusal(issuer, problem)),
    };
    let Some(token) = form.get("token") else {
        let why = OAuthRefusal::new("invalid_request", "the token is missing");
        return Ok(refusal(issuer, why));
    };
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
) -> Result<Result<(Form, Box<str>), OAuthRefusal>, ServerFailure> {
    let Some(form) = posted_form(request) else { return Ok(Err(NO_FORM)) };
    let client = authenticate(parts, request.headers(), &form).await?;
    Ok(client.map(|client| (form, client)))
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
