//! Secrets that the server hands out, and what it keeps of them: digests.
//!
//! Everything that makes a code, a token or a secret uses it. What must stay true: a secret has 256
//! random bits, so that its plain digest says nothing of it.

use ring::digest::{SHA256, digest};

use super::failure::ServerFailure;
use crate::encoding::{base64url, random_text};
use crate::secret::SecretText;

/// 256 bits that nobody can guess, behind a prefix that says what they are for.
pub(super) fn new_secret(prefix: &str) -> Result<SecretText, ServerFailure> {
    let random = random_text().map_err(|error| ServerFailure::new(&error))?;
    Ok(SecretText::new(format!("{prefix}{random}")))
}

/// What is kept of a secret, and found again by it.
pub(crate) fn secret_digest(secret: &str) -> Box<str> {
    base64url(digest(&SHA256, secret.as_bytes()).as_ref()).into()
}

/// Whether it is the secret with this digest; the time it takes says nothing.
pub(crate) fn has_digest(secret: &str, kept: &str) -> bool {
    SecretText::new(secret_digest(secret)) == SecretText::new(kept)
}

/// Eight letters that are read and typed easily: 20 to the power of 8, without vowels, so that no word
/// comes of it.
pub(super) fn new_terminal_code() -> Result<String, ServerFailure> {
    const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
    let random = random_text().map_err(|error| ServerFailure::new(&error))?;
    // A digest spreads over all byte values; what would make some letters likelier is left out.
    let bytes = digest(&SHA256, random.as_bytes());
    let fair = bytes.as_ref().iter().filter(|byte| **byte < 240);
    let letters: String =
        fair.map(|byte| char::from(LETTERS[usize::from(byte % 20)])).take(8).collect();
    match letters.split_at_checked(4) {
        Some((first, second)) if second.len() == 4 => Ok(format!("{first}-{second}")),
        // Of 32 bytes more than 24 were left out: that does not happen twice.
        _ => new_terminal_code(),
    }
}

/// A code as a person may type it: in any case, with or without the dash.
pub(super) fn plain_terminal_code(typed: &str) -> String {
    let letters = typed.chars().filter(char::is_ascii_alphabetic);
    letters.take(32).map(|letter| letter.to_ascii_uppercase()).collect()
}
