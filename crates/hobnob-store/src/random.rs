//! Random names for new records.
//!
//! They come from the system's generator, so that nobody can guess them. Where it gives nothing,
//! nothing is stored: no weaker generator takes its place.

#[cfg(test)]
mod tests;

use hobnob_text::hex;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::io;

/// 32 hexadecimal digits that nobody can guess.
pub fn random_hex() -> io::Result<String> {
    hex_from(|bytes| {
        let filled = SystemRandom::new().fill(bytes);
        filled.map_err(|_| io::Error::other("the system gives no randomness"))
    })
}

/// A name that nobody can guess: the prefix and so many of `[a-z0-9]`, at most 24.
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
