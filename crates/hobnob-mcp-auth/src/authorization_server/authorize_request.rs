//! Checks an authorization request: client, redirect, challenge, resource, scopes.
//!
//! The authorization endpoint reads its query here. What must stay true: nothing is sent to a
//! redirect before the client is known and the redirect is found to be one of the client's.

use super::clients::{KnownClient, find_client};
use super::failure::ServerFailure;
use super::form::Form;
use super::grants::OFFLINE;
use super::parts::ServerParts;
use super::responses::OAuthRefusal;
use super::settings::{AuthorizationServerSettings, ScopeDefault};
use crate::scopes::Scopes;
use hobnob_mcp_engine::ClientId;

/// The longest `state` that is sent back, in bytes.
const MAX_STATE: usize = 2048;

/// A request that a person can be asked about.
#[derive(Debug)]
pub(super) struct AcceptedRequest {
    pub(super) client: KnownClient,
    pub(super) redirect: Box<str>,
    pub(super) state: Option<Box<str>>,
    pub(super) challenge: Box<str>,
    pub(super) resource: Box<str>,
    pub(super) scopes: Box<str>,
}

/// Why a request is refused without asking a person.
#[derive(Debug)]
pub(super) enum RequestProblem {
    /// The client or its redirect is unknown, so the error is shown to the person.
    Untrusted(&'static str),
    /// The error is sent to the client's redirect.
    Refused { redirect: Box<str>, state: Option<Box<str>>, refusal: OAuthRefusal },
}

/// Checks the query of an authorization request.
pub(super) async fn validate(
    parts: &ServerParts,
    query: &str,
    from: ClientId,
) -> Result<Result<AcceptedRequest, RequestProblem>, ServerFailure> {
    let untrusted = |why| Ok(Err(RequestProblem::Untrusted(why)));
    let Some(form) = Form::parse(query) else {
        return untrusted("the address of this page is damaged: a parameter is there twice");
    };
    let Some(id) = form.get("client_id") else {
        return untrusted("the address of this page does not say which client asks");
    };
    let client = match find_client(parts, id, from).await? {
        Ok(client) => client,
        Err(why) => return untrusted(why),
    };
    let Some(redirect) = client.redirect(form.get("redirect_uri")) else {
        return untrusted("the client asks to be answered at an address that is not registered");
    };
    let state: Option<Box<str>> = form.get("state").map(Into::into);
    Ok(match params(&parts.settings, &form) {
        Ok((challenge, resource, scopes)) => {
            Ok(AcceptedRequest { client, redirect, state, challenge, resource, scopes })
        }
        Err(refusal) => {
            let state = state.filter(|state| state.len() <= MAX_STATE);
            Err(RequestProblem::Refused { redirect, state, refusal })
        }
    })
}

type Parameters = (Box<str>, Box<str>, Box<str>);

fn params(settings: &AuthorizationServerSettings, form: &Form) -> Result<Parameters, OAuthRefusal> {
    let invalid = |why| Err(OAuthRefusal::new("invalid_request", why));
    if form.get("request").is_some() || form.get("request_uri").is_some() {
        let why = "request objects are not supported";
        return Err(OAuthRefusal::new("request_not_supported", why));
    }
    match form.get("response_type") {
        Some("code") => {}
        Some(_) => {
            let why = "only the response_type code is supported";
            return Err(OAuthRefusal::new("unsupported_response_type", why));
        }
        None => return invalid("the response_type is missing"),
    }
    if !matches!(form.get("response_mode"), None | Some("query")) {
        return invalid("only the response_mode query is supported");
    }
    if form.get("state").is_some_and(|state| MAX_STATE < state.len()) {
        return invalid("the state is too long");
    }
    if form.get("prompt") == Some("none") {
        let why = "a person is asked every time";
        return Err(OAuthRefusal::new("consent_required", why));
    }
    if form.get("code_challenge_method") != Some("S256") {
        return invalid("code_challenge_method must be S256");
    }
    let Some(challenge) = form.get("code_challenge").filter(|it| is_challenge(it)) else {
        return invalid("the code_challenge is missing, or no SHA-256 digest in base64url");
    };
    let Some(resource) = settings.resource(form.get("resource")) else {
        let why = "this server gives no tokens for that resource";
        return Err(OAuthRefusal::new("invalid_target", why));
    };
    let Some(scopes) = offered(settings, form.get("scope")) else {
        let why = "none of these scopes can be had here";
        return Err(OAuthRefusal::new("invalid_scope", why));
    };
    Ok((challenge.into(), resource.into(), scopes))
}

fn is_challenge(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    text.len() == 43 && text.bytes().all(plain)
}

/// The requested scopes that this server offers, or the default scopes if the request names none.
/// RFC 6749, 3.3: a server may grant fewer than requested, and then says which.
fn offered(settings: &AuthorizationServerSettings, asked: Option<&str>) -> Option<Box<str>> {
    let asked = Scopes::parse(asked.unwrap_or_default());
    let asked: Vec<_> = asked.iter().map(|it| &**it).filter(|it| *it != OFFLINE).collect();
    if asked.is_empty() {
        let default = settings.scopes.iter().filter(|scope| match scope.default {
            ScopeDefault::Included => true,
            ScopeDefault::OnRequest => false,
        });
        let names: Vec<_> = default.map(|scope| &*scope.name).collect();
        return Some(names.join(" ").into());
    }
    let can_be_had = |scope: &&str| settings.offer(scope).is_some();
    let chosen: Vec<_> = asked.into_iter().filter(can_be_had).collect();
    (!chosen.is_empty()).then(|| chosen.join(" ").into())
}
