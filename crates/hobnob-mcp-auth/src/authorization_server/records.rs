//! The contents of the server's records, and how they get in and out of the store.
//!
//! The handlers read and change them by [`load`] and [`Held`]. What must stay true: members are only
//! ever added, with a default, since older records are read too.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::failure::ServerFailure;
use super::record_store::{
    AuthorizationRecord, AuthorizationStore, FoundRecord, RecordKind, StoredChange,
};
use super::user_access::UserAccess;

/// The contents of one kind of record.
pub(super) trait RecordBody: Serialize + DeserializeOwned {
    const KIND: RecordKind;
}

/// A client that registered itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ClientBody {
    pub(super) name: Box<str>,
    pub(super) redirects: Vec<Box<str>>,
    /// How it proves itself, in the words of OAuth.
    pub(super) method: Box<str>,
    /// The digest of its secret, if it has one.
    pub(super) secret: Option<Box<str>>,
    pub(super) created: u64,
}

/// A person who may log in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct UserBody {
    /// The hash of the password; without one, the person agrees in the terminal only.
    pub(super) password: Option<Box<str>>,
    pub(super) created: u64,
    /// What they may reach; records of earlier versions do not say it.
    #[serde(default)]
    pub(super) access: UserAccess,
}

/// A request that a person has not decided on yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RequestBody {
    pub(super) client_id: Box<str>,
    pub(super) client_name: Box<str>,
    /// The host whose document describes the client; without one, the client registered itself.
    pub(super) client_host: Option<Box<str>>,
    pub(super) redirect: Box<str>,
    pub(super) state: Option<Box<str>>,
    pub(super) challenge: Box<str>,
    pub(super) resource: Box<str>,
    pub(super) scopes: Box<str>,
    /// The digest of the token in the page's form.
    pub(super) form_token: Box<str>,
    /// The code for the terminal, as it is shown.
    pub(super) terminal_code: Box<str>,
    /// The key of the session that the page was shown in: no other one may agree without a password.
    pub(super) session: Option<Box<str>>,
    /// Who agreed in the terminal.
    pub(super) approved_by: Option<Box<str>>,
    pub(super) valid_until: u64,
}

/// Leads from a code in the terminal to its request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TerminalCodeBody {
    pub(super) request: Box<str>,
}

/// A browser that somebody has logged in with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SessionBody {
    pub(super) user: Box<str>,
    pub(super) valid_until: u64,
}

/// What a person agreed to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GrantBody {
    pub(super) user: Box<str>,
    pub(super) client_id: Box<str>,
    pub(super) client_name: Box<str>,
    pub(super) resource: Box<str>,
    pub(super) scopes: Box<str>,
    pub(super) created: u64,
    /// The newest generation of refresh tokens that was used.
    pub(super) used_generation: u64,
    /// When that generation was used first.
    pub(super) used_at: u64,
    /// How often that generation was used again since.
    pub(super) repeats: u32,
}

/// A code that waits to be redeemed, or was.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CodeBody {
    pub(super) client_id: Box<str>,
    pub(super) redirect: Box<str>,
    pub(super) challenge: Box<str>,
    pub(super) valid_until: u64,
    pub(super) redeemed: bool,
}

/// What the resource is told of an access token, without a second look.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct AccessTokenBody {
    pub(super) client_id: Box<str>,
    pub(super) resource: Box<str>,
    pub(super) scopes: Box<str>,
    pub(super) valid_until: u64,
}

/// A refresh token: the how manieth of its grant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct RefreshTokenBody {
    pub(super) client_id: Box<str>,
    pub(super) generation: u64,
    pub(super) valid_until: u64,
}

macro_rules! bodies {
    ($($body:ty => $kind:ident),+ $(,)?) => {
        $(impl RecordBody for $body { const KIND: RecordKind = RecordKind::$kind; })+
    };
}
bodies! {
    ClientBody => Client,
    UserBody => User,
    RequestBody => Request,
    TerminalCodeBody => TerminalCode,
    SessionBody => Session,
    GrantBody => Grant,
    CodeBody => Code,
    AccessTokenBody => AccessToken,
    RefreshTokenBody => RefreshToken,
}

/// A record that was read, and may be changed.
#[derive(Debug, Clone)]
pub(super) struct Held<T> {
    pub(super) body: T,
    pub(super) record: AuthorizationRecord,
    version: u64,
}

impl<T: RecordBody> Held<T> {
    /// The change that keeps the body as it is now, until then.
    pub(super) fn replaced(&self, expires_at: Option<u64>) -> Result<StoredChange, ServerFailure> {
        let body = text(&self.body)?;
        let record = AuthorizationRecord { expires_at, body, ..self.record.clone() };
        Ok(StoredChange::Replace { record, version: self.version })
    }

    /// The change that removes it.
    pub(super) fn removed(&self) -> StoredChange {
        let AuthorizationRecord { kind, key, .. } = self.record.clone();
        StoredChange::Remove { kind, key, version: self.version }
    }
}

/// Reads a record with what it takes to change it.
pub(super) async fn load<T: RecordBody>(
    store: &dyn AuthorizationStore,
    key: &str,
) -> Result<Option<Held<T>>, ServerFailure> {
    store.find(T::KIND, key).await?.map(held).transpose()
}

/// A record that was read, with what it takes to change it.
pub(super) fn held<T: RecordBody>(found: FoundRecord) -> Result<Held<T>, ServerFailure> {
    Ok(Held { body: body(&found.record)?, record: found.record, version: found.version })
}

/// The contents of a record.
pub(super) fn body<T: RecordBody>(record: &AuthorizationRecord) -> Result<T, ServerFailure> {
    serde_json::from_str(&record.body).map_err(|error| {
        // The reason may quote the record.
        let place = (error.line(), error.column());
        ServerFailure::new(&format!("a {} in the store is damaged at {place:?}", T::KIND.name()))
    })
}

/// Whom and what a new record belongs to, and until when it is kept.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Belongs<'a> {
    pub(super) user: &'a str,
    pub(super) grant: &'a str,
    pub(super) expires_at: Option<u64>,
}

/// The change that adds a record.
pub(super) fn added<T: RecordBody>(
    key: &str,
    belongs: Belongs<'_>,
    body: &T,
) -> Result<StoredChange, ServerFailure> {
    Ok(StoredChange::Insert(AuthorizationRecord {
        kind: T::KIND,
        key: key.into(),
        user: belongs.user.into(),
        grant: belongs.grant.into(),
        expires_at: belongs.expires_at,
        body: text(body)?,
    }))
}

fn text<T: Serialize>(body: &T) -> Result<Box<str>, ServerFailure> {
    Ok(serde_json::to_string(body).map_err(|error| ServerFailure::new(&error))?.into())
}
