//! Text that nobody can guess: addresses of kept results, names of subscriptions and questions.

use hobnob_mcp_engine::random_bytes;

/// Thirty-two hexadecimal digits from the system's randomness.
pub(crate) fn token() -> String {
    let bytes = random_bytes::<16>().unwrap_or_else(|_| {
        // Without the system's randomness no key could have been made, and nothing would run.
        [0; 16].map(|_: u8| fastrand::u8(..))
    });
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
