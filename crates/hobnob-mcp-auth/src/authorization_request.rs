//! The page that a person is sent to, and the check of what comes back from it.
//!
//! The flow makes a request, has a person follow it, and hands the callback to the
//! [`PendingAuthorization`] beside it, which is spent by that: no callback counts twice.

use reqwest::Url;

use crate::encoding::random_text;
use crate::error::AuthError;
use crate::pkce::PkceVerifier;
use crate::scopes::Scopes;
use crate::secret::SecretText;
use crate::token_endpoint::oauth_refusal;

#[cfg(test)]
mod tests;

/// How long a person may take, in seconds.
pub(crate) const LOGIN_SECONDS: u64 = 10 * 60;

/// The longest callback that is read.
const MAX_CALLBACK: usize = 16 * 1024;

/// What a page must be asked with.
pub struct AuthorizationSettings<'a> {
    /// Where people log in, checked.
    pub endpoint: &'a Url,
    /// Who answers, as the metadata has it.
    pub issuer: &'a str,
    /// Whether every answer must name the issuer.
    pub issuer_in_answer: IssuerInAnswer,
    /// The client that asks.
    pub client_id: &'a str,
    /// Where the answer goes.
    pub redirect: &'a str,
    /// What the token is for, as the resource names itself.
    pub resource: Option<&'a str>,
    /// What is asked for; nothing is said if there is none.
    pub scopes: &'a Scopes,
    /// More parameters of the user's settings; those of OAuth itself are left out.
    pub extra: &'a [(Box<str>, Box<str>)],
}

/// Whether an authorization server names itself in every answer (RFC 9207).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssuerInAnswer {
    /// It says so: an answer without it is somebody else's.
    Advertised,
    /// It does not say: an answer may be without it, but not with another.
    NotAdvertised,
}

/// A login that was begun and whose answer is waited for.
#[derive(Debug)]
pub struct PendingAuthorization {
    state: SecretText,
    verifier: PkceVerifier,
    issuer: Box<str>,
    issuer_in_answer: IssuerInAnswer,
    redirect: Box<str>,
    expires_at: u64,
}

/// A code that came back, and what redeems it.
#[derive(Debug)]
pub struct AuthorizedCode {
    /// The code, good for one use.
    pub code: SecretText,
    /// The verifier that goes with it.
    pub verifier: SecretText,
    /// Where the code was sent, which the token request repeats.
    pub redirect: Box<str>,
}

/// Parameters that no setting may add or replace.
const OURS: [&str; 8] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "state",
    "code_challenge",
    "code_challenge_method",
    "resource",
    "scope",
];

/// Begins a login: the address of the page, and what its answer is checked with.
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
        let extra = settings.extra.iter().filter(|(name, _)| !OURS.contains(&&**name));
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
    /// Checks the callback: whose it is, then who sent it, and only then what it says.
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
        // Nothing of an answer whose sender is not known is shown, its error text included.
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

/// The only value of a parameter. Two of a name are an attempt to have two readers differ.
fn single(url: &Url, name: &str) -> Result<Option<String>, AuthError> {
    let mut values = url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value);
    let first = values.next().map(String::from);
    if values.next().is_some() {
        return Err(AuthError::stop(format!("the callback has more than one `{name}`")));
    }
    Ok(first)
}
