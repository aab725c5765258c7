//! The bodies of the server's records, and how they are loaded and stored.
//!
//! The handlers use [`load`] and [`LoadedRecord`]. What must stay true: new members have a default,
//! and no member is removed or renamed, since older records are read too.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::failure::ServerFailure;
use super::record_store::{
    AuthorizationRecord, AuthorizationStore, FoundRecord, RecordKind, StoredChange,
};
use super::user_access::UserAccess;

/// The body of one kind of record.
pub(super) trait RecordBody: Serialize + DeserializeOwned {
    const KIND: RecordKind;
}

/// A client that registered itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ClientBody {
    pub(super) name: Box<str>,
    pub(super) redirects: Vec<Box<str>>,
    /// The client's authentication method, by its OAuth name.
    pub(super) method: Box<str>,
    /// The digest of the client's secret, if it has one.
    pub(super) secret: Option<Box<str>>,
    pub(super) created: u64,
}

/// A person who may log in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct UserBody {
    /// The hash of the password; a user without one can only agree in the terminal.
    pub(super) password: Option<Box<str>>,
    pub(super) created: u64,
    /// What the user may reach; records of earlier versions lack it.
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
    /// The code for the terminal, as the page shows it.
    pub(super) terminal_code: Box<str>,
    /// The key of the session that saw the page; only this session may agree without a password.
    pub(super) session: Option<Box<str>>,
    /// The user who agreed in the terminal.
    pub(super) approved_by: Option<Box<str>>,
    pub(super) valid_until: u64,
}

/// Maps a terminal code to its request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TerminalCodeBody {
    pub(super) request: Box<str>,
}

/// A browser that a user has logged in with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SessionBody {
    pub(super) user: Box<str>,
    pub(super) valid_until: u64,
}

/// What a user agreed to.
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
    /// When that generation was first used.
    pub(super) used_at: u64,
    /// How often that generation has been used again since.
    pub(super) repeats: u32,
}

/// A code, redeemed or not.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct CodeBody {
    pub(super) client_id: Box<str>,
    pub(super) redirect: Box<str>,
    pub(super) challenge: Box<str>,
    pub(super) valid_until: u64,
    pub(super) redeemed: bool,
}

/// An access token, with everything that the resource learns about it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct AccessTokenBody {
    pub(super) client_id: Box<str>,
    pub(super) resource: Box<str>,
    pub(super) scopes: Box<str>,
    pub(super) valid_until: u64,
}

/// A refresh token, and its generation within the grant.
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

/// A record that was read and can be replaced or removed.
#[derive(Debug, Clone)]
pub(super) struct LoadedRecord<T> {
    pub(super) body: T,
    pub(super) record: AuthorizationRecord,
    version: u64,
}

impl<T: RecordBody> LoadedRecord<T> {
    /// The change that stores the present body until `expires_at`.
    pub(super) fn replaced(&self, expires_at: Option<u64>) -> Result<StoredChange, ServerFailure> {
        let body = text(&self.body)?;
        let record = AuthorizationRecord { expires_at, body, ..self.record.clone() };
        Ok(StoredChange::Replace { record, version: self.version })
    }

    pub(super) fn removed(&self) -> StoredChange {
        let AuthorizationRecord { kind, key, .. } = self.record.clone();
        StoredChange::Remove { kind, key, version: self.version }
    }
}

/// Loads a record, together with the version that a change to it must name.
pub(super) async fn load<T: RecordBody>(
    store: &dyn AuthorizationStore,
    key: &str,
) -> Result<Option<LoadedRecord<T>>, ServerFailure> {
    store.find(T::KIND, key).await?.map(loaded_record).transpose()
}

/// A record from the store, together with the version that a change to it must name.
pub(super) fn loaded_record<T: RecordBody>(
    found: FoundRecord,
) -> Result<LoadedRecord<T>, ServerFailure> {
    Ok(LoadedRecord { body: body(&found.record)?, record: found.record, version: found.version })
}

pub(super) fn body<T: RecordBody>(record: &AuthorizationRecord) -> Result<T, ServerFailure> {
    serde_json::from_str(&record.body).map_err(|error| {
        // The parser's message may quote the record, so only the position is reported.
        let place = (error.line(), error.column());
        ServerFailure::new(&format!("a {} in the store is damaged at {place:?}", T::KIND.name()))
    })
}

/// The user and the grant that a new record belongs to, and when it expires.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RecordOwner<'a> {
    pub(super) user: &'a str,
    pub(super) grant: &'a str,
    pub(super) expires_at: Option<u64>,
}

/// The change that adds a record.
pub(super) fn insertion<T: RecordBody>(
    key: &str,
    owner: RecordOwner<'_>,
    body: &T,
) -> Result<StoredChange, ServerFailure> {
    Ok(StoredChange::Insert(AuthorizationRecord {
        kind: T::KIND,
        key: key.into(),
        user: owner.user.into(),
        grant: owner.grant.into(),
        expires_at: owner.expires_at,
        body: text(body)?,
    }))
}

fn text<T: Serialize>(body: &T) -> Result<Box<str>, ServerFailure> {
    Ok(serde_json::to_string(body).map_err(|error| ServerFailure::new(&error))?.into())
}
