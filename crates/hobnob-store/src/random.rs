//! Random ids for new records.
//!
//! They come from the system's random number generator, so they cannot be guessed. If it fails, no
//! record is stored: there is no fallback to a weaker generator.

#[cfg(test)]
mod tests;

use hobnob_text::hex;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::io;

/// 128 random bits as 32 hexadecimal digits.
pub fn random_hex() -> io::Result<String> {
    hex_from(|bytes| {
        let filled = SystemRandom::new().fill(bytes);
        filled.map_err(|_| io::Error::other("the system gives no randomness"))
    })
}

/// A random id: the prefix and `length` characters of `[a-z0-9]`, at most 24.
pub(crate) fn random_id(prefix: &str, length: usize) -> io::Result<String> {
    let letters = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let mut rest = u128::from_str_radix(&random_hex()?, 16).unwrap_or_default();
    let mut id = String::from(prefix);
    for _ in 0..length {
        let at = usize::try_from(rest % 36).unwrap_or_default();
        id.push(char::from(letters[at]));
        rest /= 36;
    }
    Ok(id)
}

fn hex_from(fill: impl FnOnce(&mut [u8]) -> io::Result<()>) -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    fill(&mut bytes)?;
    Ok(hex::encode(&bytes))
}
