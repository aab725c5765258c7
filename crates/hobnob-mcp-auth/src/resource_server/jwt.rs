//! Signed tokens (RFC 7519, RFC 9068) taken apart and checked, in the one order that is safe.
//!
//! The verifier of signed tokens finds the issuer and the key in between. Pure: the clock is handed in.
//! What must stay true: nothing a token says about keys or algorithms chooses how it is checked.

use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::Value;

use super::jwt_algorithm::JwtAlgorithm;
use super::key_set::PublicKey;
use super::token_verifier::TokenRefusal;
use crate::encoding::from_base64url;
use crate::scopes::Scopes;

/// A longer token is not looked at.
const LONGEST: usize = 8 << 10;
/// How far clocks may differ.
const LEEWAY: f64 = 60.0;
/// The longest name of a person at an issuer (OpenID Connect Core, 2).
const LONGEST_SUBJECT: usize = 255;
/// The longest name of a key that is looked for.
const LONGEST_KEY_ID: usize = 256;

/// What the header says. `jku`, `x5u`, `jwk` and `x5c` are not even read.
#[derive(Deserialize)]
struct JwtHeader {
    alg: Box<str>,
    #[serde(default)]
    typ: Option<Box<str>>,
    #[serde(default)]
    kid: Option<Box<str>>,
    #[serde(default)]
    crit: Option<Value>,
}

/// What the token claims; true only once the signature is checked.
#[derive(Deserialize)]
struct JwtClaims {
    #[serde(default)]
    iss: Option<Box<str>>,
    #[serde(default)]
    sub: Option<Box<str>>,
    #[serde(default)]
    aud: Option<Value>,
    #[serde(default)]
    exp: Option<f64>,
    #[serde(default)]
    nbf: Option<f64>,
    #[serde(default)]
    iat: Option<f64>,
    #[serde(default)]
    scope: Option<Value>,
    #[serde(default)]
    scp: Option<Value>,
}

/// A token whose form is right and of which nothing else is known yet.
pub(super) struct UnverifiedToken<'a> {
    pub(super) algorithm: JwtAlgorithm,
    /// The name of the key, if it has one.
    pub(super) key_id: Option<Box<str>>,
    /// Who is said to have issued it; says only whose keys to check it with.
    pub(super) issuer: Box<str>,
    claims: JwtClaims,
    signed: &'a str,
    signature: Vec<u8>,
}

/// What a token says that was checked.
#[derive(Debug, PartialEq)]
pub(super) struct CheckedClaims {
    pub(super) subject: Box<str>,
    pub(super) scopes: Scopes,
    pub(super) expires_at: SystemTime,
}

impl<'a> UnverifiedToken<'a> {
    /// Takes a token apart: length, algorithm, type, no `crit`, and who is said to have issued it.
    pub(super) fn read(token: &'a str) -> Option<Self> {
        if LONGEST < token.len() {
            return None;
        }
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let header: JwtHeader = serde_json::from_slice(&from_base64url(header)?).ok()?;
        let algorithm = JwtAlgorithm::parse(&header.alg)?;
        if !header.typ.as_deref().is_none_or(is_token_type) || header.crit.is_some() {
            return None;
        }
        let key_id = header.kid;
        if key_id.as_ref().is_some_and(|id| id.is_empty() || LONGEST_KEY_ID < id.len()) {
            return None;
        }
        let claims: JwtClaims = serde_json::from_slice(&from_base64url(claims)?).ok()?;
        let issuer = claims.iss.clone()?;
        let signature = from_base64url(signature).filter(|bytes| !bytes.is_empty())?;
        Some(Self { algorithm, key_id, issuer, claims, signed, signature })
    }

    /// Checks the signature, the times and the audience, in this order.
    pub(super) fn check(
        self,
        key: &PublicKey,
        audiences: &[&str],
        now: SystemTime,
    ) -> Result<CheckedClaims, TokenRefusal> {
        if !key.verifies(self.algorithm, self.signed.as_bytes(), &self.signature) {
            return Err(TokenRefusal::Unknown);
        }
        let claims = self.claims;
        let now = seconds(now);
        let expires = claims.exp.ok_or(TokenRefusal::Unknown)?;
        if expires + LEEWAY <= now {
            return Err(TokenRefusal::Expired);
        }
        if [claims.nbf, claims.iat].into_iter().flatten().any(|begins| now + LEEWAY < begins) {
            return Err(TokenRefusal::NotYetValid);
        }
        if !is_for(claims.aud.as_ref(), audiences) {
            return Err(TokenRefusal::OtherAudience);
        }
        let subject = claims.sub.filter(|sub| !sub.is_empty() && sub.len() <= LONGEST_SUBJECT);
        let subject = subject.ok_or(TokenRefusal::Unknown)?;
        let scopes = scopes(claims.scope.as_ref().or(claims.scp.as_ref()));
        // What is farther away than a clock can say is as good as never.
        let lasts = Duration::try_from_secs_f64(expires + LEEWAY).unwrap_or(Duration::MAX);
        let ends = SystemTime::UNIX_EPOCH.checked_add(lasts);
        let expires_at = ends.ok_or(TokenRefusal::Unknown)?;
        Ok(CheckedClaims { subject, scopes, expires_at })
    }
}

/// RFC 9068: access tokens are `at+jwt`; many issuers write `JWT`. Other types are for other uses.
fn is_token_type(name: &str) -> bool {
    let bare = name.strip_prefix("application/").unwrap_or(name);
    bare.eq_ignore_ascii_case("at+jwt") || bare.eq_ignore_ascii_case("JWT")
}

/// Whether one of the audiences is ours: exactly, and never because there is none.
fn is_for(audience: Option<&Value>, ours: &[&str]) -> bool {
    let is_ours = |value: &Value| value.as_str().is_some_and(|name| ours.contains(&name));
    match audience {
        Some(Value::Array(several)) => several.iter().any(is_ours),
        Some(one) => is_ours(one),
        None => false,
    }
}

/// Scopes as a text with spaces, or as a list, which some issuers write.
fn scopes(claim: Option<&Value>) -> Scopes {
    match claim {
        Some(Value::String(text)) => Scopes::parse(text),
        Some(Value::Array(several)) => {
            let mut scopes = Scopes::default();
            scopes.extend(several.iter().filter_map(Value::as_str).map(Into::into));
            scopes
        }
        _ => Scopes::default(),
    }
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
