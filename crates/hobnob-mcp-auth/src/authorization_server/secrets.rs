//! Generates secrets, and the digests that the server stores in their place.
//!
//! Codes, tokens and client secrets come from here. What must stay true: a secret has 256 random
//! bits, so that a plain digest reveals nothing of it.

use ring::digest::{SHA256, digest};

use super::failure::ServerFailure;
use crate::encoding::{base64url, random_text};
use crate::secret::SecretText;

/// A random secret of 256 bits, with a prefix that names its purpose.
pub(super) fn new_secret(prefix: &str) -> Result<SecretText, ServerFailure> {
    let random = random_text().map_err(|error| ServerFailure::new(&error))?;
    Ok(SecretText::new(format!("{prefix}{random}")))
}

/// The digest that is stored in place of a secret, and finds it again.
pub(crate) fn secret_digest(secret: &str) -> Box<str> {
    base64url(digest(&SHA256, secret.as_bytes()).as_ref()).into()
}

/// Whether the secret has this digest, in constant time.
pub(crate) fn has_digest(secret: &str, kept: &str) -> bool {
    SecretText::new(secret_digest(secret)) == SecretText::new(kept)
}

/// A random code that is easy to read and type: eight of twenty letters (about 25 billion codes),
/// without vowels, so that no word appears.
pub(super) fn new_terminal_code() -> Result<String, ServerFailure> {
    const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
    let random = random_text().map_err(|error| ServerFailure::new(&error))?;
    // The digest's bytes are uniform; values from 240 on would make some letters likelier.
    let bytes = digest(&SHA256, random.as_bytes());
    let fair = bytes.as_ref().iter().filter(|byte| **byte < 240);
    let letters: String =
        fair.map(|byte| char::from(LETTERS[usize::from(byte % 20)])).take(8).collect();
    match letters.split_at_checked(4) {
        Some((first, second)) if second.len() == 4 => Ok(format!("{first}-{second}")),
        // More than 24 of 32 bytes were left out, which is very unlikely: try again.
        _ => new_terminal_code(),
    }
}

/// A code as a person may type it: in any case, with or without the dash.
pub(super) fn plain_terminal_code(typed: &str) -> String {
    let letters = typed.chars().filter(char::is_ascii_alphabetic);
    letters.take(32).map(|letter| letter.to_ascii_uppercase()).collect()
}
