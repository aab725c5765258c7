//! Client identities, and how a client proves itself at an authorization server's token endpoint.
//!
//! This is the client's side. The settings or a registration give an identity; the requests for
//! tokens and for revocation carry its proof. It sends nothing itself.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::discovery::Abilities;
use crate::encoding::{base64, form_text, random_text};
use crate::error::AuthError;
use crate::secret::SecretText;
use crate::signing_key::SigningKey;

#[cfg(test)]
mod tests;

/// The assertion type of RFC 7523.
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// How long an assertion is valid, in seconds.
const ASSERTION_SECONDS: u64 = 60;

/// A client as one authorization server knows it.
#[derive(Debug, Clone)]
pub struct ClientIdentity {
    /// The client id at the authorization server.
    pub id: Box<str>,
    /// What proves that we are this client.
    pub proof: ClientProof,
    /// How the proof is sent, if the registration determined it.
    pub method: Option<Box<str>>,
}

/// What proves that we are a client.
#[derive(Debug, Clone)]
pub enum ClientProof {
    /// Nothing: any program can claim to be this client.
    Public,
    /// A secret that both sides know.
    Secret(SecretText),
    /// A private key whose public half the authorization server knows.
    Key(Arc<SigningKey>),
}

/// How a client proves itself at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenAuthMethod {
    /// The client only names its id.
    Public,
    /// Id and secret in an HTTP Basic header.
    Basic,
    /// The secret as a parameter of the form.
    Post,
    /// An assertion signed with the client's key.
    PrivateKeyJwt,
}

impl TokenAuthMethod {
    /// The method's name in metadata and registrations.
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
    /// A public client, which proves nothing.
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

    /// How this client proves itself: as its registration says, or else by Basic, by the form, or
    /// not at all, the first of these that the metadata lists.
    pub fn method(&self, abilities: &Abilities) -> Result<TokenAuthMethod, AuthError> {
        let listed = abilities.token_endpoint_auth_methods_supported.as_deref();
        let takes = |method: &str| match listed {
            Some(listed) => listed.iter().any(|it| &**it == method),
            // RFC 8414: without a list, the method is Basic.
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

    /// What goes into a token request to this issuer at this time.
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
                // RFC 6749, 2.3.1: id and secret are form-encoded before they go into the header.
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
                    ("client_assertion_type", SecretText::new(ASSERTION_TYPE)),
                    ("client_assertion", assertion),
                ];
            }
            (_, _) => parts.parameters = vec![id()],
        }
        Ok(parts)
    }

    /// RFC 7523, with the issuer as the only audience, so that no other server can use it.
    fn assertion(&self, key: &SigningKey, issuer: &str, now: u64) -> Result<SecretText, AuthError> {
        let mut claims = Map::new();
        claims.insert("iss".into(), (&*self.id).into());
        claims.insert("sub".into(), (&*self.id).into());
        claims.insert("aud".into(), issuer.into());
        claims.insert("iat".into(), now.into());
        claims.insert("exp".into(), (now + ASSERTION_SECONDS).into());
        claims.insert("jti".into(), random_text()?.into());
        let header = [("typ".to_owned(), Value::from("JWT"))].into_iter().collect();
        key.sign_jwt(header, &claims)
    }
}
