//! Who may use a listener of this process: from the settings to what the HTTP server is handed.
//!
//! `serve` opens it once for its socket. What must stay true: a mode that asks for tokens never becomes
//! one that does not, whatever is wrong with the settings.

mod name_owners;
mod refusal_audit;
mod token_reader;

use self::name_owners::PublicNameOwners;
use self::refusal_audit::AuditedRefusals;
use crate::exit::{Code, Ended};
use anyhow::Context as _;
use hobnob_config::{IssuerSettings, ListenerMode, Places, Settings};
use hobnob_mcp_auth::resource_server::{
    BearerAuthentication, IssuerKeys, PublicUrl, ResourceDocuments, SignedTokens, StaticTokens,
    TokenVerifier, TrustedIssuer,
};
use hobnob_mcp_auth::{AddressPolicy, EndpointRule, Fetch, GuardedFetch};
use hobnob_mcp_http::{Authentication, OpenRoutes};
use hobnob_policy::audit::AuditLog;
use std::sync::Arc;
pub(crate) use token_reader::{TokenReader, token_principal};

/// What the HTTP server is handed.
#[derive(Debug, Default)]
pub(crate) struct ListenerAccess {
    /// None where only this machine may call.
    pub(crate) authentication: Option<Arc<dyn Authentication>>,
    pub(crate) open_routes: Vec<Arc<dyn OpenRoutes>>,
    /// Names of this machine that clients use besides the loopback ones.
    pub(crate) hosts: Vec<String>,
}

/// Opens what the settings ask for, for the servers below these prefixes.
pub(crate) fn open(
    places: &Places,
    settings: &Settings,
    prefixes: &[String],
    audit: Option<Arc<AuditLog>>,
) -> anyhow::Result<ListenerAccess> {
    let listener = &settings.listener;
    let Some(written) = &listener.public_url else { return Ok(ListenerAccess::default()) };
    let public_url = PublicUrl::parse(written)
        .with_context(|| format!("`public_url` of [listener] is wrong: {written:?}"))?;
    let hosts = vec![public_url.authority().to_owned()];
    let reader = Arc::new(TokenReader::new(places));
    let static_tokens: Arc<dyn TokenVerifier> = Arc::new(StaticTokens::new(reader));
    let mut open_routes: Vec<Arc<dyn OpenRoutes>> = Vec::new();
    let (verifiers, issuers) = match listener.mode {
        ListenerMode::Local => return Ok(ListenerAccess { hosts, ..ListenerAccess::default() }),
        ListenerMode::Token => (vec![static_tokens], Vec::new()),
        ListenerMode::External => {
            let signed = signed_tokens(&listener.issuers, &listener.allow_private, &public_url)?;
            let issuers = listener.issuers.iter().map(|it| it.issuer.clone()).collect();
            (vec![static_tokens, Arc::new(signed) as Arc<dyn TokenVerifier>], issuers)
        }
        // The authorization server goes here: a verifier, its open routes, and `public_url` as issuer.
        ListenerMode::Embedded => {
            let message = "mode = \"embedded\" of [listener] is not there yet; use \"token\" or \
                           \"external\"";
            return Err(Ended::new(Code::Usage, message).into());
        }
    };
    open_routes.push(Arc::new(ResourceDocuments::new(&public_url, prefixes, &issuers)));
    let owners = PublicNameOwners::new(settings.gateway.tool_names);
    let mut authentication = BearerAuthentication::new(public_url, verifiers, Arc::new(owners));
    if let Some(audit) = audit {
        authentication = authentication.observed_by(Arc::new(AuditedRefusals::new(audit)));
    }
    Ok(ListenerAccess { authentication: Some(Arc::new(authentication)), open_routes, hosts })
}

/// The tokens of issuers elsewhere. Their keys may be on this machine only if the listener is.
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
