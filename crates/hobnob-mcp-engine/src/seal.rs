//! Request state that travels through the client: encrypted, and bound to its request.
//!
//! The client is the attacker here. A state opens only with the same key, for the same method,
//! parameters and principal, and before it expires.

use crate::answers::Answers;
use crate::randomness::{NoRandomness, random_bytes};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hobnob_mcp_types::{Method, Params};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The key that seals and opens states. Its `Debug` form shows nothing of it.
pub struct SealKey {
    key: LessSafeKey,
}

#[derive(Serialize, Deserialize)]
struct Sealed {
    expires: u64,
    answers: Answers,
}

impl SealKey {
    /// A fresh random key. What it sealed cannot be opened after this process has ended.
    pub fn random() -> Result<Self, NoRandomness> {
        Self::from_bytes(&random_bytes()?)
    }

    /// A key that several processes share, or one process after another. The bytes must be
    /// [random](random_bytes), and they are the secret itself.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, NoRandomness> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes).map_err(|_| NoRandomness)?;
        Ok(Self { key: LessSafeKey::new(key) })
    }

    /// Seals the rounds so far for the next retry of the same request; `None` if that fails.
    pub fn seal(
        &self,
        answers: &Answers,
        binding: &Binding,
        now: SystemTime,
        ttl: Duration,
    ) -> Option<String> {
        let expires = seconds(now).saturating_add(ttl.as_secs());
        let nonce: [u8; NONCE_LEN] = random_bytes().ok()?;
        let mut text = serde_json::to_vec(&Sealed { expires, answers: answers.clone() }).ok()?;
        let aad = Aad::from(&binding.0);
        let whole = Nonce::assume_unique_for_key(nonce);
        self.key.seal_in_place_append_tag(whole, aad, &mut text).ok()?;
        let mut out = nonce.to_vec();
        out.append(&mut text);
        Some(URL_SAFE_NO_PAD.encode(out))
    }

    /// Opens a state; `None` unless it was sealed for exactly this request and is still valid.
    pub fn open(&self, sealed: &str, binding: &Binding, now: SystemTime) -> Option<Answers> {
        let mut bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        if bytes.len() < NONCE_LEN {
            return None;
        }
        let mut text = bytes.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&bytes).ok()?;
        let plain = self.key.open_in_place(nonce, Aad::from(&binding.0), &mut text).ok()?;
        let sealed: Sealed = serde_json::from_slice(plain).ok()?;
        (seconds(now) < sealed.expires).then_some(sealed.answers)
    }
}

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey")
    }
}

/// The request that a state is bound to.
#[derive(Debug)]
pub struct Binding(Vec<u8>);

impl Binding {
    /// Binds to a method, a principal, and the parameters in their canonical form.
    pub fn new(method: Method, params: &Params, principal: &str) -> Self {
        let rest = params.without(&["_meta", "inputResponses", "requestState"]);
        // A client may serialise again: the order of keys and white space must not matter.
        let canonical = match serde_json::from_str::<serde_json::Value>(&rest) {
            Ok(mut value) if is_exact(&value) => {
                value.sort_all_objects();
                value.to_string()
            }
            _ => rest,
        };
        let mut bound = Vec::new();
        for part in [method.as_str(), principal, &canonical] {
            bound.extend_from_slice(digest(&SHA256, part.as_bytes()).as_ref());
        }
        Self(bound)
    }
}

/// Whether all numbers survive parsing: a number that `f64` rounds could look like a different one.
/// Parameters with such numbers are bound by their text instead.
fn is_exact(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Number(number) => !number.is_f64(),
        serde_json::Value::Array(items) => items.iter().all(is_exact),
        serde_json::Value::Object(members) => members.values().all(is_exact),
        _ => true,
    }
}

fn seconds(moment: SystemTime) -> u64 {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
