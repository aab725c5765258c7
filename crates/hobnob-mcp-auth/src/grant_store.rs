//! What is stored of a login: the port that stores implement, and a store in memory.
//!
//! The authorizer reads and writes through it. What must stay true of a store: one process at a
//! time holds a lock, and what was saved is visible to the next holder of the lock.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

use hobnob_mcp_engine::BoxFuture;
use tokio::sync::Semaphore;

use crate::client_identity::{ClientIdentity, ClientProof};
use crate::error::AuthError;
use crate::scopes::Scopes;
use crate::secret::SecretText;

/// Identifies a login: the principal who logged in, and the server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GrantKey {
    /// Who logged in. Only this principal ever uses the login.
    pub principal: Box<str>,
    /// The URL of the MCP server.
    pub server: Box<str>,
    /// The grant and its client if no person logs in, otherwise `None`. This keeps the logins of
    /// clients and of people apart, which may have different rights.
    pub client: Option<Box<str>>,
}

/// Identifies a registration, which is never used at another issuer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegistrationKey {
    /// The authorization server's issuer, exactly as the server spells it.
    pub issuer: Box<str>,
    /// The redirect that was registered.
    pub redirect: Box<str>,
}

/// A client as an authorization server registered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredClient {
    /// The client id that the server issued.
    pub id: Box<str>,
    /// The client secret, if the server issued one.
    pub secret: Option<SecretText>,
    /// The client's authentication method, by its name in the metadata.
    pub method: Option<Box<str>>,
    /// When the secret expires, in seconds since 1970.
    pub secret_expires_at: Option<u64>,
}

impl RegisteredClient {
    /// The identity to use at the token endpoint.
    pub fn identity(&self) -> ClientIdentity {
        let proof = self.secret.clone().map_or(ClientProof::Public, ClientProof::Secret);
        ClientIdentity { id: self.id.clone(), proof, method: self.method.clone() }
    }
}

/// A login as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredGrant {
    /// The access token, which requests to the MCP server carry.
    pub access_token: SecretText,
    /// When the token was issued, in seconds since 1970.
    pub issued_at: u64,
    /// When the token expires; the server may end it sooner.
    pub expires_at: Option<u64>,
    /// The token to refresh the login with.
    pub refresh_token: Option<SecretText>,
    /// The scopes that were requested and those that were granted.
    pub scopes: Scopes,
    /// The issuer, exactly as the authorization server spells it.
    pub issuer: Box<str>,
    /// The resource the token is for, by the resource's own name.
    pub resource: Option<Box<str>>,
    /// The client that the token was issued to.
    pub client: RegisteredClient,
    /// The redirect that the client was registered with, if a person logged in.
    pub redirect: Option<Box<str>>,
    /// The endpoint to refresh the login at.
    pub token_endpoint: Box<str>,
    /// The endpoint to revoke the login at, if the authorization server has one (RFC 7009).
    pub revocation_endpoint: Option<Box<str>>,
}

/// A lock on a login while it is refreshed; dropping it releases the lock.
pub type StoreLock = Box<dyn Send + Sync>;

/// Stores logins and registrations.
pub trait GrantStore: Send + Sync + 'static {
    /// Loads the grant as it was last saved.
    fn load<'a>(
        &'a self,
        key: &'a GrantKey,
    ) -> BoxFuture<'a, Result<Option<StoredGrant>, AuthError>>;

    /// Stores a grant, which replaces the previous one.
    fn save<'a>(
        &'a self,
        key: &'a GrantKey,
        grant: &'a StoredGrant,
    ) -> BoxFuture<'a, Result<(), AuthError>>;

    /// Removes a grant; it is no error if there is none.
    fn delete<'a>(&'a self, key: &'a GrantKey) -> BoxFuture<'a, Result<(), AuthError>>;

    /// Waits until no other process refreshes this grant, and locks it.
    fn lock<'a>(&'a self, key: &'a GrantKey) -> BoxFuture<'a, Result<StoreLock, AuthError>>;

    /// Loads the client that was registered under this key, if any.
    fn load_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
    ) -> BoxFuture<'a, Result<Option<RegisteredClient>, AuthError>>;

    /// Stores a registration; `None` removes it.
    fn save_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
        client: Option<&'a RegisteredClient>,
    ) -> BoxFuture<'a, Result<(), AuthError>>;
}

/// A store that ends with the process.
pub struct MemoryGrantStore {
    logins: Mutex<Logins>,
    turn: Arc<Semaphore>,
}

#[derive(Default)]
struct Logins {
    grants: HashMap<GrantKey, StoredGrant>,
    clients: HashMap<RegistrationKey, RegisteredClient>,
}

impl Default for MemoryGrantStore {
    fn default() -> Self {
        Self { logins: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl GrantStore for MemoryGrantStore {
    fn load<'a>(
        &'a self,
        key: &'a GrantKey,
    ) -> BoxFuture<'a, Result<Option<StoredGrant>, AuthError>> {
        Box::pin(async move { Ok(self.logins.lock().grants.get(key).cloned()) })
    }

    fn save<'a>(
        &'a self,
        key: &'a GrantKey,
        grant: &'a StoredGrant,
    ) -> BoxFuture<'a, Result<(), AuthError>> {
        Box::pin(async move {
            self.logins.lock().grants.insert(key.clone(), grant.clone());
            Ok(())
        })
    }

    fn delete<'a>(&'a self, key: &'a GrantKey) -> BoxFuture<'a, Result<(), AuthError>> {
        Box::pin(async move {
            self.logins.lock().grants.remove(key);
            Ok(())
        })
    }

    fn lock<'a>(&'a self, _key: &'a GrantKey) -> BoxFuture<'a, Result<StoreLock, AuthError>> {
        Box::pin(async move {
            let turn = Arc::clone(&self.turn).acquire_owned().await;
            let turn = turn.map_err(|_| AuthError::Store("the store is closed".into()))?;
            Ok(Box::new(turn) as StoreLock)
        })
    }

    fn load_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
    ) -> BoxFuture<'a, Result<Option<RegisteredClient>, AuthError>> {
        Box::pin(async move { Ok(self.logins.lock().clients.get(key).cloned()) })
    }

    fn save_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
        client: Option<&'a RegisteredClient>,
    ) -> BoxFuture<'a, Result<(), AuthError>> {
        Box::pin(async move {
            let mut logins = self.logins.lock();
            match client {
                Some(client) => drop(logins.clients.insert(key.clone(), client.clone())),
                None => drop(logins.clients.remove(key)),
            }
            Ok(())
        })
    }
}

impl std::fmt::Debug for MemoryGrantStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryGrantStore({} grants)", self.logins.lock().grants.len())
    }
}
