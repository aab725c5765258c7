//! Parses signed tokens (JWT, RFC 7519 and RFC 9068) and checks them, in the one safe order.
//!
//! Between the two steps the caller finds the issuer's key. Nothing here has side effects; the
//! clock is passed in. What must stay true: a token cannot bring its own key or weaken the checks.

use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::Value;

use super::jwt_algorithm::JwtAlgorithm;
use super::key_set::PublicKey;
use super::token_verifier::TokenRefusal;
use crate::encoding::from_base64url;
use crate::scopes::Scopes;

/// A longer token is refused before it is parsed, in bytes.
const MAX_TOKEN: usize = 8 << 10;
/// The tolerance for clock differences, in seconds.
const LEEWAY: f64 = 60.0;
/// The longest subject, in bytes (OpenID Connect Core, 2).
const MAX_SUBJECT: usize = 255;
/// The longest key id that is looked up, in bytes.
const MAX_KEY_ID: usize = 256;

/// The header of a token. `jku`, `x5u`, `jwk` and `x5c` are never read.
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

/// The claims of a token, which count only once the signature is checked.
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

/// A token with a valid form, but an unchecked signature.
pub(super) struct UnverifiedToken<'a> {
    pub(super) algorithm: JwtAlgorithm,
    /// The id of the key, if the token names one.
    pub(super) key_id: Option<Box<str>>,
    /// The claimed issuer, used only to find the keys to check the token with.
    pub(super) issuer: Box<str>,
    claims: JwtClaims,
    signed: &'a str,
    signature: Vec<u8>,
}

/// The claims of a token that passed all checks.
#[derive(Debug, PartialEq)]
pub(super) struct CheckedClaims {
    pub(super) subject: Box<str>,
    pub(super) scopes: Scopes,
    pub(super) expires_at: SystemTime,
}

impl<'a> UnverifiedToken<'a> {
    /// Parses a token and checks its length, algorithm and type, and that it has no `crit`.
    pub(super) fn read(token: &'a str) -> Option<Self> {
        if MAX_TOKEN < token.len() {
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
        if key_id.as_ref().is_some_and(|id| id.is_empty() || MAX_KEY_ID < id.len()) {
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
        let subject = claims.sub.filter(|sub| !sub.is_empty() && sub.len() <= MAX_SUBJECT);
        let subject = subject.ok_or(TokenRefusal::Unknown)?;
        let scopes = scopes(claims.scope.as_ref().or(claims.scp.as_ref()));
        // An expiry beyond the range of the clock counts as never.
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

/// Whether one of the audiences is exactly one of ours; a token without an audience is refused.
fn is_for(audience: Option<&Value>, ours: &[&str]) -> bool {
    let is_ours = |value: &Value| value.as_str().is_some_and(|name| ours.contains(&name));
    match audience {
        Some(Value::Array(list)) => list.iter().any(is_ours),
        Some(one) => is_ours(one),
        None => false,
    }
}

/// Parses scopes: a text with spaces, or a list, which some issuers write.
fn scopes(claim: Option<&Value>) -> Scopes {
    match claim {
        Some(Value::String(text)) => Scopes::parse(text),
        Some(Value::Array(list)) => {
            let mut scopes = Scopes::default();
            scopes.extend(list.iter().filter_map(Value::as_str).map(Into::into));
            scopes
        }
        _ => Scopes::default(),
    }
}

fn seconds(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}
