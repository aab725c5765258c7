//! Passwords: Argon2id hashes, computed outside of the async threads, a few at a time.
//!
//! The user directory adds and checks users with it. What must stay true: a hash records its cost,
//! so that the cost can change, and an unknown user name takes as long as a wrong password.

use argon2::{Algorithm, Argon2, Params, Version};
use hobnob_text::hex::{self, HexDigits};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::failure::ServerFailure;
use crate::secret::SecretText;

#[cfg(test)]
mod tests;

/// The longest password that is accepted, in bytes.
pub const MAX_PASSWORD: usize = 1024;
/// The shortest password that can be set, in characters.
pub const MIN_PASSWORD: usize = 8;

const HASH_LENGTH: usize = 32;
const SALT_LENGTH: usize = 16;
/// The highest cost that a stored hash may ask for.
const MAX_COST: PasswordCost = PasswordCost { memory: 1 << 18, passes: 16 };

/// What checking a password costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCost {
    /// Memory of one check, in KiB.
    pub memory: u32,
    /// The number of passes over that memory.
    pub passes: u32,
}

impl Default for PasswordCost {
    /// The OWASP recommendation: 19 MiB, two passes.
    fn default() -> Self {
        Self { memory: 19 * 1024, passes: 2 }
    }
}

/// Hashes a password with a new salt.
pub(super) fn hash(password: &SecretText, cost: PasswordCost) -> Result<Box<str>, ServerFailure> {
    let mut salt = [0; SALT_LENGTH];
    let filled = SystemRandom::new().fill(&mut salt);
    filled.map_err(|_| ServerFailure::new(&"this machine gives no random numbers"))?;
    let hash = compute(password, &salt, cost)?;
    let PasswordCost { memory, passes } = cost;
    let (salt, hash) = (HexDigits(&salt), HexDigits(&hash));
    Ok(format!("$argon2id$v=19$m={memory},t={passes},p=1${salt}${hash}").into())
}

/// Whether the hash was made from this password.
pub(super) fn matches(password: &SecretText, stored: &str) -> Result<bool, ServerFailure> {
    let damaged = || ServerFailure::new(&"the hash of a password in the store is damaged");
    let (cost, salt, expected) = read(stored).ok_or_else(damaged)?;
    let computed = compute(password, &salt, cost)?;
    Ok(SecretText::new(hex::encode(&computed)) == SecretText::new(hex::encode(&expected)))
}

fn compute(
    password: &SecretText,
    salt: &[u8],
    cost: PasswordCost,
) -> Result<[u8; HASH_LENGTH], ServerFailure> {
    let failed = |error: argon2::Error| ServerFailure::new(&error);
    let params = Params::new(cost.memory, cost.passes, 1, Some(HASH_LENGTH)).map_err(failed)?;
    let mut hash = [0; HASH_LENGTH];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(password.expose().as_bytes(), salt, &mut hash)
        .map_err(failed)?;
    Ok(hash)
}

fn read(stored: &str) -> Option<(PasswordCost, Vec<u8>, Vec<u8>)> {
    let mut parts = stored.strip_prefix("$argon2id$v=19$m=")?.split('$');
    let (memory, passes) = parts.next()?.strip_suffix(",p=1")?.split_once(",t=")?;
    let cost = PasswordCost { memory: memory.parse().ok()?, passes: passes.parse().ok()? };
    if MAX_COST.memory < cost.memory || MAX_COST.passes < cost.passes {
        return None;
    }
    let (salt, hash) = (hex::decode(parts.next()?)?, hex::decode(parts.next()?)?);
    (salt.len() == SALT_LENGTH && hash.len() == HASH_LENGTH && parts.next().is_none())
        .then_some((cost, salt, hash))
}
