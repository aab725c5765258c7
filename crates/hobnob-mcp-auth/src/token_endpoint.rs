//! Token requests, with the client's authentication, and their responses.
//!
//! Every grant is redeemed here. What must stay true: only a well-formed OAuth error counts as a
//! refusal; any other failure (HTML, 500, no response) may be temporary.

use hobnob_web_client::one_line;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;

use crate::client_identity::ClientIdentity;
use crate::discovery::Abilities;
use crate::encoding::form;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest, FetchResponse};
use crate::possession::{PossessionKey, ProvedRequest};
use crate::scopes::Scopes;
use crate::secret::SecretText;

#[cfg(test)]
mod tests;

/// Longer lifetimes are shortened to a year, in seconds.
const MAX_LIFE_SECONDS: u64 = 365 * 24 * 60 * 60;

/// A token endpoint, and the client that uses it.
pub(crate) struct TokenEndpoint<'a> {
    pub(crate) fetch: &'a dyn Fetch,
    pub(crate) url: &'a Url,
    pub(crate) issuer: &'a str,
    pub(crate) abilities: &'a Abilities,
    /// `None` if the grant itself identifies the client.
    pub(crate) client: Option<&'a ClientIdentity>,
    pub(crate) possession: Option<&'a PossessionKey>,
    pub(crate) wanted: WantedToken,
    pub(crate) now: u64,
}

/// What the requested token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WantedToken {
    /// An access token for the MCP server.
    Access,
    /// An assertion to redeem at another token endpoint, which is never sent to an MCP server.
    Assertion,
}

/// A token as the server issued it.
#[derive(Debug, Clone)]
pub(crate) struct IssuedToken {
    pub(crate) access_token: SecretText,
    pub(crate) token_type: Box<str>,
    pub(crate) expires_at: Option<u64>,
    pub(crate) refresh_token: Option<SecretText>,
    pub(crate) scopes: Option<Scopes>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: Box<str>,
    token_type: Box<str>,
    /// A number, which some servers write as a string.
    expires_in: Option<Value>,
    refresh_token: Option<Box<str>>,
    scope: Option<Box<str>>,
}

#[derive(Deserialize)]
struct Refusal {
    error: Box<str>,
    error_description: Option<Box<str>>,
}

impl TokenEndpoint<'_> {
    /// Requests a token with these parameters.
    pub(crate) async fn request(
        &self,
        parameters: &[(&str, &SecretText)],
    ) -> Result<IssuedToken, AuthError> {
        let first = self.send(parameters, None).await?;
        let nonce = first.headers.get("dpop-nonce").and_then(|value| value.to_str().ok());
        match (self.read(&first), nonce) {
            (Err(error), Some(nonce)) if error.is_code("use_dpop_nonce") => {
                let second = self.send(parameters, Some(nonce)).await?;
                self.read(&second)
            }
            (outcome, _) => outcome,
        }
    }

    async fn send(
        &self,
        parameters: &[(&str, &SecretText)],
        nonce: Option<&str>,
    ) -> Result<FetchResponse, AuthError> {
        let proof = self.client.map(|client| client.parts(self.abilities, self.issuer, self.now));
        let proof = proof.transpose()?.unwrap_or_default();
        let own = proof.parameters.iter().map(|(name, value)| (*name, value.expose()));
        let given = parameters.iter().map(|(name, value)| (*name, value.expose()));
        let body = form(given.chain(own));
        let mut request = FetchRequest::form(self.url.clone(), SecretText::new(body));
        request.headers.extend(proof.authorization.map(|value| ("authorization", value)));
        if let Some(key) = self.possession {
            let about =
                ProvedRequest { method: "POST", url: self.url, token: None, nonce, now: self.now };
            request.headers.push(("dpop", key.prove(&about)?));
        }
        self.fetch.fetch(request).await
    }

    fn read(&self, response: &FetchResponse) -> Result<IssuedToken, AuthError> {
        match response.status {
            200 | 201 => self.issued(response),
            400..=499 if response.status != 429 && response.status != 408 => Err(refused(response)),
            status => {
                let why = format!("the authorization server answers with HTTP {status}");
                Err(AuthError::Unavailable(why.into()))
            }
        }
    }

    fn issued(&self, response: &FetchResponse) -> Result<IssuedToken, AuthError> {
        let answer: TokenAnswer = response.read("answer of the token endpoint")?;
        let bound = answer.token_type.eq_ignore_ascii_case("dpop") && self.possession.is_some();
        let expected = match self.wanted {
            WantedToken::Access => "bearer",
            // RFC 8693: a token that is no access token has the type `n_a`.
            WantedToken::Assertion => "n_a",
        };
        if !bound && !answer.token_type.eq_ignore_ascii_case(expected) {
            return Err(AuthError::stop("the token is of a kind that is not known here"));
        }
        let visible = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        if !visible(&answer.access_token) {
            return Err(AuthError::stop("the token has characters that no header takes"));
        }
        let life = answer.expires_in.as_ref().and_then(seconds);
        Ok(IssuedToken {
            access_token: SecretText::new(answer.access_token),
            token_type: answer.token_type.to_ascii_lowercase().into(),
            expires_at: life.map(|life| self.now + life.min(MAX_LIFE_SECONDS)),
            refresh_token: answer.refresh_token.filter(|it| !it.is_empty()).map(SecretText::new),
            scopes: answer.scope.map(|scope| Scopes::parse(&scope)),
        })
    }
}

fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| number.as_f64().map(|it| it as u64)),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// The OAuth error in a response, or `Unavailable` if the response contains none.
pub(crate) fn refused(response: &FetchResponse) -> AuthError {
    let Ok(refusal) = serde_json::from_slice::<Refusal>(&response.body) else {
        let why = format!("the authorization server answers with HTTP {}", response.status);
        return AuthError::Unavailable(why.into());
    };
    oauth_refusal(&refusal.error, refusal.error_description.as_deref())
}

/// An OAuth error whose texts are made safe to show.
pub(crate) fn oauth_refusal(code: &str, description: Option<&str>) -> AuthError {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.';
    let known = !code.is_empty() && code.len() <= 64 && code.chars().all(plain);
    let code: Box<str> = if known { code.into() } else { "unknown error".into() };
    let description = description.map(one_line).filter(|text| !text.is_empty());
    let description = description.map(|text| format!(": {text}")).unwrap_or_default().into();
    AuthError::Refused { code, description }
}
