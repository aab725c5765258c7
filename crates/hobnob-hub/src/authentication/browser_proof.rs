//! Proves that a person at a browser is a principal of this listener, by a token or a password.
//!
//! The pages on which a principal logs in to an upstream server use it. What must stay true: a proof of
//! one principal proves no other.

use hobnob_mcp_auth::authorization_server::EmbeddedAuthorizationServer;
use hobnob_mcp_auth::resource_server::TokenVerifier;
use hobnob_mcp_auth::{PrincipalProof, SecretText};
use hobnob_mcp_engine::{BoxFuture, ClientId, Principal};
use std::sync::Arc;

/// Checks tokens of a listener and passwords of its users.
#[derive(Debug)]
pub(super) struct BrowserProof {
    pub(super) verifiers: Vec<Arc<dyn TokenVerifier>>,
    /// Every endpoint that a token may be for.
    pub(super) resources: Vec<Box<str>>,
    /// Checks passwords, if there are any.
    pub(super) users: Option<Arc<EmbeddedAuthorizationServer>>,
}

impl PrincipalProof for BrowserProof {
    fn proves<'a>(
        &'a self,
        principal: &'a Principal,
        text: SecretText,
        from: ClientId,
    ) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            for verifier in &self.verifiers {
                for resource in &self.resources {
                    // Only a token is trimmed: spaces may be part of a password.
                    match verifier.verify(text.expose().trim(), resource).await {
                        Ok(token) if token.principal == *principal => return true,
                        Ok(_) | Err(_) => {}
                    }
                }
            }
            match &self.users {
                Some(users) => users.is_password_of(principal.as_str(), text, from).await,
                None => false,
            }
        })
    }
}
