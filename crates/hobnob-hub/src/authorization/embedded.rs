//! Builds the embedded authorization server of a listener from its settings and the store.
//!
//! `authentication` calls it for the mode `embedded` and uses the result as open routes and as a
//! verifier of tokens.

use super::audit_events::AuditedEvents;
use super::login_changes::LoginChanges;
use super::stored_records::StoredRecords;
use anyhow::Context as _;
use hobnob_mcp_auth::authorization_server::{
    AuthorizationServerSettings, AuthorizationStore, EmbeddedAuthorizationServer, ScopeDefault,
    ScopeOffer,
};
use hobnob_policy::audit::AuditLog;
use hobnob_store::authorizations::AuthorizationRepository;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The command that approves a login in the terminal; the login page shows it before its code.
const APPROVE_COMMAND: &str = "hobnob approve-login";

/// What a listener's settings say about its authorization server.
pub(crate) struct EmbeddedSettings<'a> {
    /// The address that clients know; its origin is the issuer.
    pub(crate) public_url: &'a str,
    /// The resource of each endpoint; the first is the default for clients that name none.
    pub(crate) resources: Vec<Box<str>>,
    /// The profile that the first resource shows, if not everything.
    pub(crate) root_profile: Option<Box<str>>,
    /// Changes that other processes announce.
    pub(crate) changes: LoginChanges,
}

/// The scopes that clients may request, as the login page describes them.
fn scopes() -> Vec<ScopeOffer> {
    let scope = |name: &str, meaning: &str, default| {
        let (name, meaning) = (name.into(), meaning.into());
        ScopeOffer { name, meaning, default }
    };
    vec![
        scope("read", "list what the hub offers, and read resources", ScopeDefault::Included),
        scope("call", "call tools, and read", ScopeDefault::Included),
        scope("admin", "change the hub itself, call and read", ScopeDefault::OnRequest),
    ]
}

/// Builds the authorization server of one listener.
pub(crate) fn embedded_authorization(
    settings: EmbeddedSettings<'_>,
    store: Arc<dyn AuthorizationRepository>,
    audit: Option<Arc<AuditLog>>,
) -> anyhow::Result<Arc<EmbeddedAuthorizationServer>> {
    let EmbeddedSettings { public_url, resources, root_profile, changes } = settings;
    let mut settings = AuthorizationServerSettings::new(public_url, resources)
        .context("the authorization server cannot be set up")?;
    settings.scopes = scopes();
    settings.root_profile = root_profile;
    settings.name = "Hobnob".into();
    settings.terminal_command = Some(APPROVE_COMMAND.into());
    let records: Arc<dyn AuthorizationStore> = Arc::new(StoredRecords::new(store));
    let events = Arc::new(AuditedEvents(audit));
    let server = EmbeddedAuthorizationServer::builder(settings, records).events(events);
    Ok(server.changes(move || changes.count()).build())
}
