//! The server's side: who sent a request, by its token, and what the token allows.
//!
//! A listener that requires tokens gets a [`BearerAuthentication`] and [`ResourceDocuments`]. There
//! are verifiers for static tokens, signed tokens, and an embedded authorization server.

mod public_url;
mod scope_rules;
mod token_verifier;

mod challenge_writer;
mod resource_documents;

mod jwt_algorithm;
mod key_set;

mod issuer_keys;
mod jwt;

mod signed_tokens;
mod static_tokens;

mod token_identity;

mod token_cache;

mod bearer_authentication;

pub use bearer_authentication::BearerAuthentication;
pub use issuer_keys::IssuerKeys;
pub use public_url::{BadPublicUrl, PublicUrl};
pub use resource_documents::ResourceDocuments;
pub use scope_rules::{AccessRights, NamedOwners, NoOwners};
pub use signed_tokens::{SignedTokens, TrustedIssuer};
pub use static_tokens::{
    NewStaticToken, StaticToken, StaticTokenList, StaticTokenSource, StaticTokens,
};
pub use token_verifier::{TokenRefusal, TokenVerifier, VerifiedToken};
