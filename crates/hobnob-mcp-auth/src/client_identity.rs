//! Who we are to an authorization server, and how we prove it at its token endpoint.
//!
//! Settings or a registration give an identity; the token endpoint writes it into each request.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::discovery::Abilities;
use crate::encoding::{base64, form_text, random_text};
use crate::error::AuthError;
use crate::secret::SecretText;
use crate::signing_key::SigningKey;

#[cfg(test)]
mod tests;

/// What an assertion is, in the words of RFC 7523.
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// How long an assertion is good for, in seconds.
const ASSERTION_LIFE: u64 = 60;

/// A client as one authorization server knows it.
#[derive(Debug, Clone)]
pub struct ClientIdentity {
    /// The client id, as the authorization server knows it.
    pub id: Box<str>,
    /// What proves that we are it.
    pub proof: ClientProof,
    /// How the proof is sent, if the registration said so.
    pub method: Option<Box<str>>,
}

/// What proves that we are a client.
#[derive(Debug, Clone)]
pub enum ClientProof {
    /// Nothing: anybody may say that they are this client.
    Public,
    /// A secret that both sides know.
    Secret(SecretText),
    /// A key whose public half the authorization server knows.
    Key(Arc<SigningKey>),
}

/// How a client proves itself at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenAuthMethod {
    /// It only says its id.
    Public,
    /// Id and secret by HTTP Basic.
    Basic,
    /// The secret as a member of the form.
    Post,
    /// An assertion that its key signed.
    PrivateKeyJwt,
}

impl TokenAuthMethod {
    /// Its name in metadata and registrations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "none",
            Self::Basic => "client_secret_basic",
            Self::Post => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }
}

/// What an identity adds to a token request.
#[derive(Debug, Default)]
pub(crate) struct ProofParts {
    pub(crate) authorization: Option<SecretText>,
    pub(crate) parameters: Vec<(&'static str, SecretText)>,
}

impl ClientIdentity {
    /// A client that proves nothing.
    pub fn public(id: impl Into<Box<str>>) -> Self {
        Self { id: id.into(), proof: ClientProof::Public, method: None }
    }

    /// A client with a secret.
    pub fn with_secret(id: impl Into<Box<str>>, secret: SecretText) -> Self {
        Self { id: id.into(), proof: ClientProof::Secret(secret), method: None }
    }

    /// A client with a private key.
    pub fn with_key(id: impl Into<Box<str>>, key: SigningKey) -> Self {
        Self { id: id.into(), proof: ClientProof::Key(Arc::new(key)), method: None }
    }

    /// How this client proves itself there: as its registration says, else in the first way of the
    /// metadata that its proof fits.
    pub fn method(&self, abilities: &Abilities) -> Result<TokenAuthMethod, AuthError> {
        let listed = abilities.token_endpoint_auth_methods_supported.as_deref();
        let takes = |method: &str| match listed {
            Some(listed) => listed.iter().any(|it| &**it == method),
            // RFC 8414: what is not listed is Basic.
            None => method == "client_secret_basic",
        };
        match (&self.proof, self.method.as_deref()) {
            (ClientProof::Key(_), _) => Ok(TokenAuthMethod::PrivateKeyJwt),
            (ClientProof::Public, _) | (_, Some("none")) => Ok(TokenAuthMethod::Public),
            (_, Some("client_secret_basic")) => Ok(TokenAuthMethod::Basic),
            (_, Some("client_secret_post")) => Ok(TokenAuthMethod::Post),
            (_, Some(_)) => Err(AuthError::Setting(
                "the authorization server registered the client with a way to prove itself that is \
                 not known here; set a client id of your own"
                    .into(),
            )),
            (_, None) if takes("client_secret_basic") => Ok(TokenAuthMethod::Basic),
            (_, None) if takes("client_secret_post") => Ok(TokenAuthMethod::Post),
            (_, None) if takes("none") => Ok(TokenAuthMethod::Public),
            (_, None) => Err(AuthError::Setting(
                "the authorization server takes no client secret; set a private key".into(),
            )),
        }
    }

    /// What goes into a token request of this issuer at this time.
    pub(crate) fn parts(
        &self,
        abilities: &Abilities,
        issuer: &str,
        now: u64,
    ) -> Result<ProofParts, AuthError> {
        let id = || ("client_id", SecretText::new(&*self.id));
        let mut parts = ProofParts::default();
        match (self.method(abilities)?, &self.proof) {
            (TokenAuthMethod::Basic, ClientProof::Secret(secret)) => {
                // RFC 6749, 2.3.1: both are encoded as in a form first.
                let login = format!("{}:{}", form_text(&self.id), form_text(secret.expose()));
                let value = format!("Basic {}", base64(login.as_bytes()));
                parts.authorization = Some(SecretText::new(value));
            }
            (TokenAuthMethod::Post, ClientProof::Secret(secret)) => {
                parts.parameters = vec![id(), ("client_secret", secret.clone())];
            }
            (TokenAuthMethod::PrivateKeyJwt, ClientProof::Key(key)) => {
                let assertion = self.assertion(key, issuer, now)?;
                parts.parameters = vec![
                    id(),
                    ("client_assertion_type", SecretText::new(ASSERTION)),
                    ("client_assertion", assertion),
                ];
            }
            (_, _) => parts.parameters = vec![id()],
        }
        Ok(parts)
    }

    /// RFC 7523, with the issuer as the only audience: no other server can use it.
    fn assertion(&self, key: &SigningKey, issuer: &str, now: u64) -> Result<SecretText, AuthError> {
        let mut claims = Map::new();
        claims.insert("iss".into(), (&*self.id).into());
        claims.insert("sub".into(), (&*self.id).into());
        claims.insert("aud".into(), issuer.into());
        claims.insert("iat".into(), now.into());
        claims.insert("exp".into(), (now + ASSERTION_LIFE).into());
        claims.insert("jti".into(), random_text()?.into());
        let header = [("typ".to_owned(), Value::from("JWT"))].into_iter().collect();
        key.sign_jwt(header, &claims)
    }
}
