//! What is kept of a login, and where: a port for whoever stores it, and one in memory.
//!
//! The authorizer reads and writes through it. What must stay true of a store: a lock is held by one
//! process at a time, and what was saved is there for whoever gets the lock next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hobnob_mcp_engine::BoxFuture;
use tokio::sync::Semaphore;

use crate::client_identity::{ClientIdentity, ClientProof};
use crate::error::AuthError;
use crate::scopes::Scopes;
use crate::secret::SecretText;

/// Whose login to which server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GrantKey {
    /// Who logged in; nobody else ever uses it.
    pub principal: Box<str>,
    /// The URL of the MCP server.
    pub server: Box<str>,
    /// The grant and its client, where nobody is asked; `None` where a person logs in. What the one
    /// may do there the other may not.
    pub client: Option<Box<str>>,
}

/// Which registration: none is ever used at another issuer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegistrationKey {
    /// The authorization server, exactly as it names itself.
    pub issuer: Box<str>,
    /// The redirect that was registered.
    pub redirect: Box<str>,
}

/// A client as an authorization server registered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisteredClient {
    /// The client id that it got.
    pub id: Box<str>,
    /// Its secret, if it got one.
    pub secret: Option<SecretText>,
    /// How it proves itself, in the words of the metadata.
    pub method: Option<Box<str>>,
    /// When the secret ends, in seconds since 1970.
    pub secret_expires_at: Option<u64>,
}

impl RegisteredClient {
    /// The identity to use at the token endpoint.
    pub fn identity(&self) -> ClientIdentity {
        let proof = self.secret.clone().map_or(ClientProof::Public, ClientProof::Secret);
        ClientIdentity { id: self.id.clone(), proof, method: self.method.clone() }
    }
}

/// A login as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredGrant {
    /// What is shown to the server.
    pub access_token: SecretText,
    /// When it was got, in seconds since 1970.
    pub issued_at: u64,
    /// When it ends; the server may end it sooner.
    pub expires_at: Option<u64>,
    /// What gets the next one.
    pub refresh_token: Option<SecretText>,
    /// What was asked for, and what was given.
    pub scopes: Scopes,
    /// Who issued it, exactly as it names itself.
    pub issuer: Box<str>,
    /// What it is for, as the resource names itself.
    pub resource: Option<Box<str>>,
    /// The client that it was given to.
    pub client: RegisteredClient,
    /// The redirect that the client was registered with, where a person logged in.
    pub redirect: Option<Box<str>>,
    /// Where the next one is got.
    pub token_endpoint: Box<str>,
    /// Where it is ended, if the authorization server has such a place (RFC 7009).
    pub revocation_endpoint: Option<Box<str>>,
}

/// Held while a grant is renewed; dropping it lets the next one in.
pub type StoreLock = Box<dyn Send + Sync>;

/// Keeps logins and registrations.
pub trait GrantStore: Send + Sync + 'static {
    /// The grant as it was saved last.
    fn load<'a>(
        &'a self,
        key: &'a GrantKey,
    ) -> BoxFuture<'a, Result<Option<StoredGrant>, AuthError>>;

    /// Keeps a grant in the place of the one before.
    fn save<'a>(
        &'a self,
        key: &'a GrantKey,
        grant: &'a StoredGrant,
    ) -> BoxFuture<'a, Result<(), AuthError>>;

    /// Forgets a grant; one that is not there is forgotten already.
    fn delete<'a>(&'a self, key: &'a GrantKey) -> BoxFuture<'a, Result<(), AuthError>>;

    /// Waits until no other process renews this grant.
    fn lock<'a>(&'a self, key: &'a GrantKey) -> BoxFuture<'a, Result<StoreLock, AuthError>>;

    /// The client that was registered there, if any.
    fn load_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
    ) -> BoxFuture<'a, Result<Option<RegisteredClient>, AuthError>>;

    /// Keeps a registration; `None` forgets it.
    fn save_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
        client: Option<&'a RegisteredClient>,
    ) -> BoxFuture<'a, Result<(), AuthError>>;
}

/// A store that ends with the process.
pub struct MemoryGrantStore {
    kept: Mutex<Kept>,
    turn: Arc<Semaphore>,
}

#[derive(Default)]
struct Kept {
    grants: HashMap<GrantKey, StoredGrant>,
    clients: HashMap<RegistrationKey, RegisteredClient>,
}

impl Default for MemoryGrantStore {
    fn default() -> Self {
        Self { kept: Mutex::default(), turn: Arc::new(Semaphore::new(1)) }
    }
}

impl MemoryGrantStore {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // No panic can happen while it is held, so a poisoned lock is as good as any.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GrantStore for MemoryGrantStore {
    fn load<'a>(
        &'a self,
        key: &'a GrantKey,
    ) -> BoxFuture<'a, Result<Option<StoredGrant>, AuthError>> {
        Box::pin(async move { Ok(self.kept().grants.get(key).cloned()) })
    }

    fn save<'a>(
        &'a self,
        key: &'a GrantKey,
        grant: &'a StoredGrant,
    ) -> BoxFuture<'a, Result<(), AuthError>> {
        Box::pin(async move {
            self.kept().grants.insert(key.clone(), grant.clone());
            Ok(())
        })
    }

    fn delete<'a>(&'a self, key: &'a GrantKey) -> BoxFuture<'a, Result<(), AuthError>> {
        Box::pin(async move {
            self.kept().grants.remove(key);
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
        Box::pin(async move { Ok(self.kept().clients.get(key).cloned()) })
    }

    fn save_client<'a>(
        &'a self,
        key: &'a RegistrationKey,
        client: Option<&'a RegisteredClient>,
    ) -> BoxFuture<'a, Result<(), AuthError>> {
        Box::pin(async move {
            let mut kept = self.kept();
            match client {
                Some(client) => drop(kept.clients.insert(key.clone(), client.clone())),
                None => drop(kept.clients.remove(key)),
            }
            Ok(())
        })
    }
}

impl std::fmt::Debug for MemoryGrantStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MemoryGrantStore({} grants)", self.kept().grants.len())
    }
}
