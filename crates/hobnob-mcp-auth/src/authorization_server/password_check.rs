//! Whether a password is a user's, with attempts counted and told.
//!
//! The page of a login and the pages of logins to servers ask it. What must stay true: every attempt
//! counts, wherever it is made.

use super::events::AuthorizationEvent;
use super::failure::ServerFailure;
use super::parts::ServerParts;
use crate::secret::SecretText;
use hobnob_mcp_engine::ClientId;

/// The longest name whose attempts are counted as its own.
const MAX_NAME: usize = 64;

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PasswordCheck {
    Right,
    Wrong,
    /// It was not looked at; the next attempt counts in so many seconds.
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
    // The address first: who is refused by it costs no user an attempt.
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
