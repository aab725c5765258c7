//! Checks a user's password, and counts and reports the attempts.
//!
//! The consent page and the pages of logins to servers call it. What must stay true: every attempt
//! counts, on either page.

use super::events::AuthorizationEvent;
use super::failure::ServerFailure;
use super::parts::ServerParts;
use crate::secret::SecretText;
use hobnob_mcp_engine::ClientId;

/// User names are cut to this many characters before their attempts are counted.
const MAX_NAME: usize = 64;

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PasswordCheck {
    Right,
    Wrong,
    /// The password was not checked; the next attempt counts after this many seconds.
    TooOften(u64),
}

/// Checks a password, on behalf of this client.
pub(super) async fn check_password(
    parts: &ServerParts,
    (user, password): (&str, SecretText),
    from: ClientId,
    client: &str,
) -> Result<PasswordCheck, ServerFailure> {
    let (now, client) = (parts.now(), Box::<str>::from(client));
    // The address first: an attempt that its limit refuses does not count against the user.
    let throttled = parts.throttles.passwords_from.attempt(from.origin(), now);
    let key: Box<str> = user.chars().take(MAX_NAME).collect::<String>().into();
    let throttled =
        throttled.and_then(|()| parts.throttles.passwords_of_user.attempt(key.clone(), now));
    if let Err(seconds) = throttled {
        parts.tell(from, AuthorizationEvent::LoginThrottled { client }).await;
        return Ok(PasswordCheck::TooOften(seconds));
    }
    if !parts.users.check(user, password).await? {
        parts.tell(from, AuthorizationEvent::LoginFailed { client }).await;
        return Ok(PasswordCheck::Wrong);
    }
    parts.throttles.passwords_of_user.forgive(&key);
    Ok(PasswordCheck::Right)
}
