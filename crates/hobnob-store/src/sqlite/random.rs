//! Random names for new records.
//!
//! They come from the system's generator, so that nobody can guess them.

use ring::rand::{SecureRandom as _, SystemRandom};

/// 32 hexadecimal digits that nobody can guess.
pub(crate) fn random_hex() -> String {
    let mut bytes = [0_u8; 16];
    if SystemRandom::new().fill(&mut bytes).is_err() {
        // The system has no randomness to give, which no supported one ever says. Ids must still
        // differ; that they cannot be guessed is only a second fence behind the owner's check.
        fastrand::fill(&mut bytes);
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
