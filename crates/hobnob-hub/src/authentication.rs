//! Authentication for a listener of this process: from the settings to what the HTTP server needs.
//!
//! `serve` opens it once for its socket. What must stay true: a mode that requires tokens never
//! becomes one that does not, even if settings are wrong.

mod browser_proof;
mod name_owners;
mod token_change;
mod token_lists;
mod token_reader;

use self::browser_proof::BrowserProof;
use self::name_owners::PublicNameOwners;
use self::token_lists::TokenLists;
use crate::authorization::LoginChanges;
use crate::authorization::embedded::{EmbeddedSettings, embedded_authorization};
use crate::store::open_store;
use anyhow::Context as _;
use hobnob_config::{IssuerSettings, ListenerMode, Places, Settings};
use hobnob_mcp_auth::authorization_server::EmbeddedAuthorizationServer;
use hobnob_mcp_auth::resource_server::{
    BearerAuthentication, IssuerKeys, NamedOwners, PublicUrl, ResourceDocuments, SignedTokens,
    StaticTokenSource, StaticTokens, TokenVerifier, TrustedIssuer,
};
use hobnob_mcp_auth::{AddressPolicy, EndpointRule, Fetch, GuardedFetch, PublicLogins};
use hobnob_mcp_http::{Authentication, OpenRoutes};
use hobnob_policy::audit::AuditLog;
pub use name_owners::{ScopeReach, scope_reach};
use std::iter;
use std::sync::Arc;
pub use token_change::{TokenEvent, change_tokens};
pub use token_reader::{TokenReader, token_principal};

/// The access control that the HTTP server gets.
#[derive(Debug, Default)]
pub struct ListenerAccess {
    /// `None` if only this machine may connect.
    pub authentication: Option<Arc<dyn Authentication>>,
    /// Pages without authentication: documents about logins, and the login pages themselves.
    pub open_routes: Vec<Arc<dyn OpenRoutes>>,
    /// Host names of this machine that clients use besides the loopback ones.
    pub hosts: Vec<String>,
    /// The embedded authorization server, if there is one.
    pub authorization: Option<Arc<EmbeddedAuthorizationServer>>,
    /// Filters the lists of callers with static tokens.
    pub token_lists: Option<Arc<TokenLists>>,
    /// The pages on which named callers log in to servers.
    pub logins: Option<Arc<PublicLogins>>,
}

/// Opens the access control that the settings require, for the servers below these prefixes. The
/// root shows `root_profile`, or everything if that is `None`.
pub fn open(
    places: &Places,
    settings: &Settings,
    prefixes: &[String],
    root_profile: Option<&str>,
    audit: Option<Arc<AuditLog>>,
) -> anyhow::Result<ListenerAccess> {
    let listener = &settings.listener;
    let Some(written) = &listener.public_url else { return Ok(ListenerAccess::default()) };
    let public_url = PublicUrl::parse(written)
        .with_context(|| format!("`public_url` of [listener] is wrong: {written:?}"))?;
    let hosts = vec![public_url.authority().to_owned()];
    let reader: Arc<dyn StaticTokenSource> = Arc::new(TokenReader::new(places));
    let static_tokens: Arc<dyn TokenVerifier> = Arc::new(StaticTokens::new(Arc::clone(&reader)));
    let mut open_routes: Vec<Arc<dyn OpenRoutes>> = Vec::new();
    let mut authorization = None;
    let (verifiers, issuers) = match listener.mode {
        ListenerMode::Local | ListenerMode::Open => {
            return Ok(ListenerAccess { hosts, ..ListenerAccess::default() });
        }
        ListenerMode::Token => (vec![static_tokens], Vec::new()),
        ListenerMode::External => {
            let signed = signed_tokens(&listener.issuers, &listener.allow_private, &public_url)?;
            let issuers = listener.issuers.iter().map(|it| it.issuer.clone()).collect();
            (vec![static_tokens, Arc::new(signed) as Arc<dyn TokenVerifier>], issuers)
        }
        ListenerMode::Embedded => {
            let store = open_store(places, &settings.limits)
                .context("mode = \"embedded\" of [listener] keeps logins in the store")?;
            let settings = EmbeddedSettings {
                public_url: public_url.as_str(),
                resources: resources(&public_url, prefixes),
                root_profile: root_profile.map(Into::into),
                changes: LoginChanges::new(places.login_changes()),
            };
            let server = embedded_authorization(settings, store, audit)?;
            let issuers = vec![server.issuer().to_owned()];
            open_routes.push(Arc::clone(&server) as Arc<dyn OpenRoutes>);
            let verifiers = vec![static_tokens, Arc::clone(&server) as Arc<dyn TokenVerifier>];
            authorization = Some(server);
            (verifiers, issuers)
        }
    };
    open_routes.push(Arc::new(ResourceDocuments::new(&public_url, prefixes, &issuers)));
    let proof = BrowserProof {
        verifiers: verifiers.clone(),
        resources: resources(&public_url, prefixes),
        users: authorization.clone(),
    };
    let logins = PublicLogins::new(public_url.clone(), Arc::new(proof));
    open_routes.push(Arc::clone(&logins) as Arc<dyn OpenRoutes>);
    let owners: Arc<dyn NamedOwners> = Arc::new(PublicNameOwners::new(settings.gateway.tool_names));
    let token_lists = Some(Arc::new(TokenLists::new(reader, Arc::clone(&owners))));
    let authentication = BearerAuthentication::new(public_url, verifiers, owners);
    let authentication = Some(Arc::new(authentication) as Arc<dyn Authentication>);
    let logins = Some(logins);
    Ok(ListenerAccess { authentication, open_routes, hosts, authorization, token_lists, logins })
}

/// The resource identifier of every endpoint.
fn resources(public_url: &PublicUrl, prefixes: &[String]) -> Vec<Box<str>> {
    let below = prefixes.iter().map(String::as_str);
    iter::once("").chain(below).map(|prefix| public_url.resource(prefix).into()).collect()
}

/// The verifier for tokens of external issuers. Their keys may be local only if the listener is.
fn signed_tokens(
    issuers: &[IssuerSettings],
    allow_private: &[String],
    public_url: &PublicUrl,
) -> anyhow::Result<SignedTokens> {
    let ours = EndpointRule::EncryptedOrLocal.check(public_url.as_str(), "public URL")?;
    let (rule, policy) = (EndpointRule::for_server(&ours), AddressPolicy::for_server(&ours));
    let policy = allow_private.iter().fold(policy, |policy, host| policy.allow_private(host));
    let fetch: Arc<dyn Fetch> = Arc::new(GuardedFetch::new(policy));
    let trusted = issuers.iter().map(|it| {
        let url = rule
            .check(&it.jwks, "address of its keys")
            .with_context(|| format!("the issuer {:?} of [listener] is wrong", it.issuer))?;
        Ok(TrustedIssuer {
            issuer: it.issuer.as_str().into(),
            keys: IssuerKeys::new(url, Arc::clone(&fetch)),
            audiences: it.audiences.iter().map(|alias| alias.as_str().into()).collect(),
        })
    });
    Ok(SignedTokens::new(trusted.collect::<anyhow::Result<_>>()?))
}
