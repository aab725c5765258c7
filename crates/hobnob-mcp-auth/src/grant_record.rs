//! Serialises logins and registrations for the store on disk, which encrypts them.
//!
//! Members that a later version adds are ignored when this version reads a record, and lost when it
//! writes one: the last writer wins.

use serde::{Deserialize, Serialize};

use crate::grant_store::{RegisteredClient, StoredGrant};
use crate::scopes::Scopes;
use crate::secret::SecretText;

#[derive(Serialize, Deserialize)]
struct GrantRecord {
    access_token: Box<str>,
    issued_at: u64,
    expires_at: Option<u64>,
    refresh_token: Option<Box<str>>,
    scopes: String,
    issuer: Box<str>,
    resource: Option<Box<str>>,
    client: ClientRecord,
    redirect: Option<Box<str>>,
    token_endpoint: Box<str>,
    revocation_endpoint: Option<Box<str>>,
}

#[derive(Serialize, Deserialize)]
struct ClientRecord {
    id: Box<str>,
    secret: Option<Box<str>>,
    method: Option<Box<str>>,
    secret_expires_at: Option<u64>,
}

/// Serialises a grant for encryption.
pub(crate) fn grant_bytes(grant: &StoredGrant) -> Option<Vec<u8>> {
    let record = GrantRecord {
        access_token: grant.access_token.expose().into(),
        issued_at: grant.issued_at,
        expires_at: grant.expires_at,
        refresh_token: grant.refresh_token.as_ref().map(|token| token.expose().into()),
        scopes: grant.scopes.to_text(),
        issuer: grant.issuer.clone(),
        resource: grant.resource.clone(),
        client: ClientRecord::of(&grant.client),
        redirect: grant.redirect.clone(),
        token_endpoint: grant.token_endpoint.clone(),
        revocation_endpoint: grant.revocation_endpoint.clone(),
    };
    serde_json::to_vec(&record).ok()
}

/// Parses a grant, or returns `None`.
pub(crate) fn grant_from(bytes: &[u8]) -> Option<StoredGrant> {
    let record: GrantRecord = serde_json::from_slice(bytes).ok()?;
    Some(StoredGrant {
        access_token: SecretText::new(record.access_token),
        issued_at: record.issued_at,
        expires_at: record.expires_at,
        refresh_token: record.refresh_token.map(SecretText::new),
        scopes: Scopes::parse(&record.scopes),
        issuer: record.issuer,
        resource: record.resource,
        client: record.client.into_client(),
        redirect: record.redirect,
        token_endpoint: record.token_endpoint,
        revocation_endpoint: record.revocation_endpoint,
    })
}

/// Serialises a registration for encryption.
pub(crate) fn client_bytes(client: &RegisteredClient) -> Option<Vec<u8>> {
    serde_json::to_vec(&ClientRecord::of(client)).ok()
}

/// Parses a registration, or returns `None`.
pub(crate) fn client_from(bytes: &[u8]) -> Option<RegisteredClient> {
    serde_json::from_slice(bytes).ok().map(ClientRecord::into_client)
}

impl ClientRecord {
    fn of(client: &RegisteredClient) -> Self {
        Self {
            id: client.id.clone(),
            secret: client.secret.as_ref().map(|secret| secret.expose().into()),
            method: client.method.clone(),
            secret_expires_at: client.secret_expires_at,
        }
    }

    fn into_client(self) -> RegisteredClient {
        RegisteredClient {
            id: self.id,
            secret: self.secret.map(SecretText::new),
            method: self.method,
            secret_expires_at: self.secret_expires_at,
        }
    }
}
