//! Browsers that a user has logged in with, so that the next page needs no password.
//!
//! The authorization endpoint reads and sets the cookie. What must stay true: a session begins only
//! with a decision of its user, and saves the user the password, never the page.

use http::HeaderMap;
use http::header::COOKIE;

use super::failure::ServerFailure;
use super::parts::ServerParts;
use super::record_store::StoredChange;
use super::records::{RecordOwner, SessionBody, insertion, load};
use super::secrets::{new_secret, secret_digest};
use super::user_access::UserRole;

/// A browser with a valid session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BrowserSession {
    /// The session's key: the digest of its cookie.
    pub(super) key: Box<str>,
    pub(super) user: Box<str>,
    pub(super) role: UserRole,
}

/// The session of the browser that sent these headers.
pub(super) async fn session_of(
    parts: &ServerParts,
    headers: &HeaderMap,
) -> Result<Option<BrowserSession>, ServerFailure> {
    let cookie = parts.settings.cookie_name().and_then(|name| cookie(headers, name));
    let Some(cookie) = cookie else { return Ok(None) };
    let key = secret_digest(cookie);
    let session = load::<SessionBody>(&*parts.store, &key).await?;
    let session = session.filter(|it| parts.now() < it.body.valid_until);
    let Some(session) = session else { return Ok(None) };
    let user = session.body.user;
    let access = parts.users.access(&user).await?;
    Ok(access.map(|access| BrowserSession { key, user, role: access.role }))
}

/// Begins a session of this user, if the settings allow cookies: returns the change that stores it,
/// and the header that sets its cookie.
pub(super) fn create_session(
    parts: &ServerParts,
    user: &str,
) -> Result<Option<(StoredChange, String)>, ServerFailure> {
    let Some(name) = parts.settings.cookie_name() else { return Ok(None) };
    let (now, life) = (parts.now(), parts.settings.lifetimes.session);
    let cookie = new_secret("")?;
    let body = SessionBody { user: user.into(), valid_until: now + life };
    let owner = RecordOwner { user, grant: "", expires_at: Some(now + life) };
    let change = insertion(&secret_digest(cookie.expose()), owner, &body)?;
    let rest = "Path=/; HttpOnly; SameSite=Lax; Secure";
    Ok(Some((change, format!("{name}={}; {rest}; Max-Age={life}", cookie.expose()))))
}

/// The value of a cookie, unless its name occurs more than once.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|line| line.split(';'));
    let mut values = pairs.filter_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    });
    let value = values.next()?;
    values.next().is_none().then_some(value)
}
