//! The server's side: whose token a request carries, and what it may do with it.
//!
//! A listener that wants tokens uses it; the verifiers are a list of static tokens, an issuer's signed
//! tokens, and an authorization server of our own.

mod token_verifier;

pub use token_verifier::{TokenRefusal, TokenVerifier, VerifiedToken};
