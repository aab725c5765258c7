//! The authorization request, which sends a person to the login page, and its callback.
//!
//! The login flow makes a request, sends the person there, and hands the callback to the
//! [`PendingAuthorization`], which checks it once and is consumed.

use reqwest::Url;

use crate::encoding::random_text;
use crate::error::AuthError;
use crate::pkce::PkceVerifier;
use crate::scopes::Scopes;
use crate::secret::SecretText;
use crate::token_endpoint::oauth_refusal;

#[cfg(test)]
mod tests;

/// How long a person may take to log in, in seconds.
pub(crate) const LOGIN_SECONDS: u64 = 10 * 60;

/// The longest callback URL that is read, in bytes.
const MAX_CALLBACK: usize = 16 * 1024;

/// The parameters of an authorization request.
pub struct AuthorizationSettings<'a> {
    /// Where people log in: the authorization endpoint, already checked.
    pub endpoint: &'a Url,
    /// The issuer that the answer must name, as in the metadata.
    pub issuer: &'a str,
    /// Whether every answer must name the issuer.
    pub issuer_in_answer: IssuerInAnswer,
    /// The client that requests the token.
    pub client_id: &'a str,
    /// The redirect URI, which receives the answer.
    pub redirect: &'a str,
    /// The resource the token is for, by the resource's own name.
    pub resource: Option<&'a str>,
    /// The scopes to request; if there are none, the `scope` parameter is left out.
    pub scopes: &'a Scopes,
    /// Further parameters from the user's settings; parameters of OAuth itself are ignored.
    pub extra: &'a [(Box<str>, Box<str>)],
}

/// Whether an authorization server names itself in every answer (RFC 9207).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssuerInAnswer {
    /// The metadata says so: an answer without an issuer comes from another server.
    Advertised,
    /// The metadata does not say: an answer may lack the issuer, but may not name another.
    NotAdvertised,
}

/// A login that has begun and waits for its callback.
#[derive(Debug)]
pub struct PendingAuthorization {
    state: SecretText,
    verifier: PkceVerifier,
    issuer: Box<str>,
    issuer_in_answer: IssuerInAnswer,
    redirect: Box<str>,
    expires_at: u64,
}

/// An authorization code, and what the client needs to redeem it.
#[derive(Debug)]
pub struct AuthorizedCode {
    /// The authorization code, good for one use.
    pub code: SecretText,
    /// The PKCE verifier that belongs to the code.
    pub verifier: SecretText,
    /// The redirect URI that received the code; the token request repeats it.
    pub redirect: Box<str>,
}

/// Parameters that no setting may add or replace.
const RESERVED: [&str; 8] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "state",
    "code_challenge",
    "code_challenge_method",
    "resource",
    "scope",
];

/// Begins a login: returns the URL of the login page, and what the callback is checked against.
pub fn begin_authorization(
    settings: &AuthorizationSettings<'_>,
    now: u64,
) -> Result<(Url, PendingAuthorization), AuthError> {
    let (state, verifier) = (SecretText::new(random_text()?), PkceVerifier::generate()?);
    let mut url = settings.endpoint.clone();
    let scopes = settings.scopes.to_text();
    {
        let mut query = url.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", settings.client_id)
            .append_pair("redirect_uri", settings.redirect)
            .append_pair("state", state.expose())
            .append_pair("code_challenge", &verifier.challenge())
            .append_pair("code_challenge_method", "S256");
        if let Some(resource) = settings.resource {
            query.append_pair("resource", resource);
        }
        if !scopes.is_empty() {
            query.append_pair("scope", &scopes);
        }
        let extra = settings.extra.iter().filter(|(name, _)| !RESERVED.contains(&&**name));
        for (name, value) in extra {
            query.append_pair(name, value);
        }
    }
    let pending = PendingAuthorization {
        state,
        verifier,
        issuer: settings.issuer.into(),
        issuer_in_answer: settings.issuer_in_answer,
        redirect: settings.redirect.into(),
        expires_at: now + LOGIN_SECONDS,
    };
    Ok((url, pending))
}

impl PendingAuthorization {
    /// Checks which login the callback belongs to, then who sent it, and only then what it says.
    pub fn accept(self, callback: &str, now: u64) -> Result<AuthorizedCode, AuthError> {
        let not_ours =
            || AuthError::stop("the callback does not belong to this login; log in again");
        if MAX_CALLBACK < callback.len() {
            return Err(not_ours());
        }
        let url = Url::parse(callback).map_err(|_| not_ours())?;
        let state = single(&url, "state")?.ok_or_else(not_ours)?;
        if SecretText::new(state) != self.state {
            return Err(not_ours());
        }
        if self.expires_at < now {
            return Err(AuthError::LoginAbandoned("it took too long; log in again".into()));
        }
        // Until the sender is verified, nothing of the answer is shown, not even its error text.
        let other = || AuthError::stop("the callback was sent by another authorization server");
        match (single(&url, "iss")?, self.issuer_in_answer) {
            (Some(issuer), _) if *issuer == *self.issuer => {}
            (None, IssuerInAnswer::NotAdvertised) => {}
            (Some(_), _) | (None, IssuerInAnswer::Advertised) => return Err(other()),
        }
        if let Some(code) = single(&url, "error")? {
            let description = single(&url, "error_description")?;
            return Err(oauth_refusal(&code, description.as_deref()));
        }
        let code = single(&url, "code")?.filter(|code| !code.is_empty()).ok_or_else(not_ours)?;
        Ok(AuthorizedCode {
            code: SecretText::new(code),
            verifier: self.verifier.into_secret(),
            redirect: self.redirect,
        })
    }
}

/// The only value of a parameter. With two, two readers could each believe a different one.
fn single(url: &Url, name: &str) -> Result<Option<String>, AuthError> {
    let mut values = url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value);
    let first = values.next().map(String::from);
    if values.next().is_some() {
        return Err(AuthError::stop(format!("the callback has more than one `{name}`")));
    }
    Ok(first)
}
