//! Logins on disk: one encrypted file each, so that processes do not disturb each other, and a key
//! in a file that only its owner may read.
//!
//! For programs that stay logged in. What must stay true: no secret is on disk in plain text, a
//! file is replaced as a whole, and a file that is damaged or belongs to another key is refused.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hobnob_disk::{is_open_to_others, make_folder, replace_file};
use hobnob_mcp_engine::BoxFuture;
use hobnob_text::hex::HexDigits;
use ring::digest::{SHA256, digest};

use crate::error::AuthError;
use crate::grant_record::{client_bytes, client_from, grant_bytes, grant_from};
use crate::grant_store::{
    GrantKey, GrantStore, RegisteredClient, RegistrationKey, StoreLock, StoredGrant,
};
use crate::private_file::{lock, read, remove};
use crate::sealing_key::SealingKey;

#[cfg(test)]
mod tests;

/// The name of the file with the encryption key.
const KEY_FILE: &str = "key";

/// Stores logins and registrations in a folder, encrypted.
///
/// Only the owner may read the folder and its files. Several processes may use it at once.
#[derive(Debug, Clone)]
pub struct FileGrantStore {
    folder: Arc<Path>,
}

impl FileGrantStore {
    /// A store in this folder, which is created when something is first stored.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into().into() }
    }

    /// The grant as it was last saved. This blocks while it reads a small file; in async code call
    /// [`GrantStore::load`].
    pub fn read_grant(&self, key: &GrantKey) -> Result<Option<StoredGrant>, AuthError> {
        self.read(&Place::of_grant(key), grant_from)
    }

    fn read<T>(
        &self,
        place: &Place,
        decode: impl Fn(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, AuthError> {
        let file = self.folder.join(&place.file);
        let Some(sealed) = read(&file).map_err(|error| unreadable(&file, &error))? else {
            return Ok(None);
        };
        let damaged = || {
            tracing::warn!(file = %file.display(), "a stored login cannot be decrypted");
            AuthError::Damaged("its file is damaged, or was written with another key".into())
        };
        let key = self.stored_key()?.ok_or_else(damaged)?;
        let opened = key.open(&place.text, &sealed).ok_or_else(damaged)?;
        decode(&opened).map(Some).ok_or_else(damaged)
    }

    fn write(&self, place: &Place, bytes: Option<Vec<u8>>) -> Result<(), AuthError> {
        let bytes = bytes.ok_or_else(|| AuthError::Store("it cannot be written down".into()))?;
        let sealed = self.key()?.seal(&place.text, bytes)?;
        let file = self.folder.join(&place.file);
        replace_file(&file, &sealed).map_err(|error| unwritable(&file, &error))
    }

    fn remove(&self, place: &Place) -> Result<(), AuthError> {
        let file = self.folder.join(&place.file);
        remove(&file).map_err(|error| unwritable(&file, &error))
    }

    fn lock_file(&self, place: &Place) -> Result<StoreLock, AuthError> {
        let file = self.folder.join(format!("{}.lock", place.file));
        make_folder(&self.folder).map_err(|error| unwritable(&file, &error))?;
        let locked = lock(&file).map_err(|error| unwritable(&file, &error))?;
        let busy = || AuthError::Unavailable("another process renews this login".into());
        Ok(Box::new(locked.ok_or_else(busy)?))
    }

    /// The key, if it was created before.
    fn stored_key(&self) -> Result<Option<SealingKey>, AuthError> {
        let file = self.folder.join(KEY_FILE);
        let Some(bytes) = read(&file).map_err(|error| unreadable(&file, &error))? else {
            return Ok(None);
        };
        let meta = std::fs::metadata(&file).map_err(|error| unreadable(&file, &error))?;
        if is_open_to_others(&meta) {
            tracing::warn!(file = %file.display(), "other users may read the key of stored logins");
            let why = "other users of this machine may read the file of its key: give the file `key` \
                       beside it the mode 600";
            return Err(AuthError::Store(why.into()));
        }
        let key = SealingKey::from_bytes(&bytes).ok_or_else(|| {
            tracing::warn!(file = %file.display(), "the key of stored logins is damaged");
            AuthError::Damaged("the file of its key is damaged: remove it".into())
        })?;
        Ok(Some(key))
    }

    /// The key, which is created if there is none. A lock makes sure that processes share one key.
    fn key(&self) -> Result<SealingKey, AuthError> {
        if let Some(key) = self.stored_key()? {
            return Ok(key);
        }
        let _lock = self.lock_file(&Place::of_key())?;
        if let Some(key) = self.stored_key()? {
            return Ok(key);
        }
        let bytes = SealingKey::random_bytes()?;
        let file = self.folder.join(KEY_FILE);
        replace_file(&file, &bytes).map_err(|error| unwritable(&file, &error))?;
        SealingKey::from_bytes(&bytes).ok_or_else(|| AuthError::Store("there is no key".into()))
    }

    /// Runs file operations on a thread where they may block.
    fn in_background<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, AuthError> + Send + 'static,
    ) -> BoxFuture<'static, Result<T, AuthError>> {
        let store = self.clone();
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || work(&store)).await;
            done.unwrap_or_else(|_| Err(AuthError::Store("the work broke off".into())))
        })
    }
}

/// The file of a record, and the text that its encryption is bound to.
struct Place {
    file: String,
    text: String,
}

impl Place {
    fn of_grant(key: &GrantKey) -> Self {
        match &key.client {
            None => Self::new("grant", &key.principal, &key.server),
            // URLs contain no space, so no other key has this text.
            Some(client) => Self::new("grant", &key.principal, &format!("{} {client}", key.server)),
        }
    }

    fn of_client(key: &RegistrationKey) -> Self {
        Self::new("client", &key.issuer, &key.redirect)
    }

    fn of_key() -> Self {
        Self { file: KEY_FILE.into(), text: String::new() }
    }

    /// The length of the first part keeps two different pairs from having the same text.
    fn new(kind: &str, first: &str, second: &str) -> Self {
        let text = format!("{kind} {} {first} {second}", first.len());
        let hash = digest(&SHA256, text.as_bytes());
        Self { file: format!("{kind}-{}", HexDigits(hash.as_ref())), text }
    }
}

/// The caller's message does not name the file; the log does.
fn unreadable(file: &Path, error: &io::Error) -> AuthError {
    tracing::warn!(file = %file.display(), %error, "a stored login cannot be read");
    AuthError::Store("its file cannot be read".into())
}

fn unwritable(file: &Path, error: &io::Error) -> AuthError {
    tracing::warn!(file = %file.display(), %error, "a login cannot be stored");
    AuthError::Store("its file cannot be written".into())
}

impl GrantStore for FileGrantStore {
    fn load<'a>(
        &'a self,
        key: &'a GrantKey,
    ) -> BoxFuture<'a, Result<Option<StoredGrant>, AuthError>> {
        let place = Place::of_grant(key);
        self.in_background(move |store| store.read(&place, grant_from))
    }

    fn save<'a>(
        &'a self,
        key: &'a GrantKey,
        grant: &'a StoredGrant,
    ) -> BoxFuture<'a, Result<(), AuthError>> {
        let (place, bytes) = (Place::of_grant(key), grant_bytes(grant));
        self.in_background(move |store| store.write(&place, bytes))
    }

    fn delete<'a>(&'a self, key: &'a GrantKey) -> BoxFuture<'a, Result<(), AuthError>> {
        let place = Place::of_grant(key);
        self.in_background(move |store| store.remove(&place))
    }

    fn lock<'a>(&'a self, key: &'a GrantKey) -> BoxFuture<'a, Result<StoreLock, AuthError>> {
        let place = Place::of_grant(key);
        self.in_background(move |store| store.lock_file(&place))
    }

    fn load_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
    ) -> BoxFuture<'a, Result<Option<RegisteredClient>, AuthError>> {
        let place = Place::of_client(key);
        self.in_background(move |store| store.read(&place, client_from))
    }

    fn save_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
        client: Option<&'a RegisteredClient>,
    ) -> BoxFuture<'a, Result<(), AuthError>> {
        let (place, bytes) = (Place::of_client(key), client.map(client_bytes));
        self.in_background(move |store| match bytes {
            Some(bytes) => store.write(&place, bytes),
            None => store.remove(&place),
        })
    }
}
