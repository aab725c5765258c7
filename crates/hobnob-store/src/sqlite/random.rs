//! Random names for new records.
//!
//! They come from the system's generator, so that nobody can guess them. Where it gives nothing,
//! nothing is stored: no weaker generator takes its place.

#[cfg(test)]
mod tests;

use ring::rand::{SecureRandom as _, SystemRandom};
use std::io;

/// 32 hexadecimal digits that nobody can guess.
pub(crate) fn random_hex() -> io::Result<String> {
    hex_from(|bytes| {
        let filled = SystemRandom::new().fill(bytes);
        filled.map_err(|_| io::Error::other("the system gives no randomness"))
    })
}

fn hex_from(fill: impl FnOnce(&mut [u8]) -> io::Result<()>) -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
