//! Signs users in at pages of this process: a page sends a name and a password, and gets an access
//! token that counts like every other token of the user.
//!
//! The hub's page uses it. What must stay true: a password is checked and counted as on the consent
//! page, and the token is a login of the user: it is listed, shrinks with the role, and ends with it.

use super::events::AuthorizationEvent;
use super::failure::ServerFailure;
use super::parts::ServerParts;
use super::password_check::{PasswordCheck, check_password};
use super::record_store::{Committed, StoredChange};
use super::records::{AccessTokenBody, GrantBody, RecordOwner, insertion, load};
use super::secrets::{new_secret, secret_digest};
use super::user_access::UserAccess;
use crate::secret::SecretText;
use hobnob_mcp_engine::ClientId;

/// Stands for the page in records and events; ids of registered clients are random.
const PAGE_CLIENT: &str = "hub-page";
/// The name of the page in lists of logins.
const PAGE_NAME: &str = "page of the hub";

/// Why a user was not signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInRefusal {
    /// There is no such user, or the password is wrong.
    Wrong,
    /// The password was not checked; the next attempt counts after this many seconds.
    TooOften(u64),
    /// The user may use no resource of this server.
    NoResource,
    /// The store has failed; its error is in the log.
    Unavailable,
}

/// Checks a password, and issues a token for the first resource that its user may use.
pub(super) async fn sign_in(
    parts: &ServerParts,
    (user, password): (&str, SecretText),
    from: ClientId,
) -> Result<SecretText, SignInRefusal> {
    match check_password(parts, (user, password), from, PAGE_CLIENT).await.map_err(failed)? {
        PasswordCheck::Right => {}
        PasswordCheck::Wrong => return Err(SignInRefusal::Wrong),
        PasswordCheck::TooOften(seconds) => return Err(SignInRefusal::TooOften(seconds)),
    }
    let access = parts.users.access(user).await.map_err(failed)?.ok_or(SignInRefusal::Wrong)?;
    let resources = parts.settings.resources();
    let resource = resources.iter().find(|it| access.may_use(parts.settings.profile(it)));
    let resource = resource.ok_or(SignInRefusal::NoResource)?;
    let (token, changes) = issued(parts, user, &access, resource).map_err(failed)?;
    match parts.commit(changes).await.map_err(failed)? {
        Committed::Done => {}
        Committed::Conflict => return Err(failed(ServerFailure::new(&"a token was made twice"))),
    }
    let event = AuthorizationEvent::Issued { user: user.into(), client: PAGE_CLIENT.into() };
    parts.tell(from, event).await;
    Ok(token)
}

/// Ends the login of a page's token. A failure of the store leaves it to its expiry.
pub(super) async fn sign_out(parts: &ServerParts, token: &str) {
    let ended = async {
        let found = load::<AccessTokenBody>(&*parts.store, &secret_digest(token)).await?;
        if let Some(found) = found.filter(|it| *it.body.client_id == *PAGE_CLIENT) {
            parts.commit(vec![StoredChange::RemoveGrant(found.record.grant)]).await?;
        }
        Ok::<(), ServerFailure>(())
    };
    if let Err(failure) = ended.await {
        tracing::warn!(%failure, "a login of the page was not ended; it expires by itself");
    }
}

/// A token with all scopes that the role allows, and the changes that store it with its grant.
fn issued(
    parts: &ServerParts,
    user: &str,
    access: &UserAccess,
    resource: &str,
) -> Result<(SecretText, Vec<StoredChange>), ServerFailure> {
    let (now, id, token) = (parts.now(), new_secret("grant-")?, new_secret("hoba_")?);
    let valid_until = now + parts.settings.lifetimes.session;
    let offered: Vec<&str> = parts.settings.scopes.iter().map(|scope| &*scope.name).collect();
    let scopes = access.cut(&offered.join(" "));
    let grant = GrantBody {
        user: user.into(),
        client_id: PAGE_CLIENT.into(),
        client_name: PAGE_NAME.into(),
        resource: resource.into(),
        scopes: scopes.clone(),
        created: now,
        used_generation: 0,
        used_at: now,
        repeats: 0,
    };
    let body = AccessTokenBody {
        client_id: PAGE_CLIENT.into(),
        resource: resource.into(),
        scopes,
        valid_until,
    };
    let owner = RecordOwner { user, grant: id.expose(), expires_at: Some(valid_until) };
    let changes = vec![
        insertion(id.expose(), owner, &grant)?,
        insertion(&secret_digest(token.expose()), owner, &body)?,
    ];
    Ok((token, changes))
}

fn failed(failure: ServerFailure) -> SignInRefusal {
    tracing::warn!(%failure, "a user cannot be signed in");
    SignInRefusal::Unavailable
}
