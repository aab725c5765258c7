//! What one server's login is set to: who asks, with which grant, for what.
//!
//! The builder fills it in and every step of the flow reads it; it never changes afterwards.

use std::sync::Arc;

use hobnob_mcp_engine::BoxFuture;
use reqwest::Url;

use crate::client_identity::ClientIdentity;
use crate::device_login::DeviceDisplay;
use crate::error::AuthError;
use crate::login_prompt::LoginPrompt;
use crate::scopes::Scopes;
use crate::secret::SecretText;

/// The settings of one server's login.
pub(crate) struct LoginSettings {
    pub(crate) server: Url,
    pub(crate) principal: Box<str>,
    pub(crate) client_name: Box<str>,
    /// The client of the settings, before any other.
    pub(crate) client: Option<ClientIdentity>,
    /// The address of a document that describes us, which is our id where that is supported.
    pub(crate) metadata_document: Option<Box<str>>,
    pub(crate) issuer: Option<Box<str>>,
    /// Where the authorization server's metadata is, if the server does not say it.
    pub(crate) document: Option<Box<str>>,
    pub(crate) registration: RegistrationUse,
    pub(crate) scopes: Scopes,
    pub(crate) scope_use: ScopeUse,
    pub(crate) parameters: Vec<(Box<str>, Box<str>)>,
    pub(crate) resource: ResourceChoice,
    pub(crate) grant: GrantKind,
    pub(crate) prompt: Option<Arc<dyn LoginPrompt>>,
    pub(crate) possession: PossessionUse,
}

impl LoginSettings {
    /// Which login it is that needs no person: its grant and its client. `None` where a person logs in.
    pub(crate) fn own_login(&self) -> Option<Box<str>> {
        let grant = match &self.grant {
            GrantKind::AuthorizationCode | GrantKind::Device(_) => return None,
            GrantKind::ClientCredentials => "client_credentials",
            GrantKind::EnterpriseManaged(_) => "enterprise_managed",
            GrantKind::WorkloadIdentity(_) => "workload_identity",
        };
        let client = self.client.as_ref().map_or("", |client| &*client.id);
        Some(format!("{grant} {client}").into())
    }
}

/// Whether a registration of an earlier login is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RegistrationUse {
    #[default]
    Stored,
    /// Never: the authorization server may have forgotten it.
    Anew,
}

/// What the scopes of the settings are to those that a server asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ScopeUse {
    #[default]
    Added,
    /// No others are ever asked for.
    Only,
}

/// What tokens are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ResourceChoice {
    /// As the server names itself.
    #[default]
    FromServer,
    /// This text, for authorization servers that know the server under another name.
    Fixed(Box<str>),
    /// Nothing, for authorization servers that refuse the parameter.
    Omitted,
}

/// Whether tokens are bound to a key (RFC 9449), which is a draft of the protocol's extensions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PossessionUse {
    /// Never: tokens are bearer tokens.
    #[default]
    Off,
    /// Where the authorization server offers it.
    WhereOffered,
}

/// How a token is got.
#[derive(Debug, Clone, Default)]
pub(crate) enum GrantKind {
    /// A person logs in.
    #[default]
    AuthorizationCode,
    /// A person logs in on another device (RFC 8628).
    Device(DeviceDisplay),
    /// The client asks for itself.
    ClientCredentials,
    /// A company's identity provider vouches for a person (RFC 8693, then RFC 7523).
    EnterpriseManaged(EnterpriseLogin),
    /// The platform that runs us says who we are (RFC 7523).
    WorkloadIdentity(IdentityToken),
}

/// How a company's identity provider vouches for a person.
#[derive(Debug, Clone)]
pub struct EnterpriseLogin {
    /// The token endpoint of the identity provider.
    pub token_endpoint: Box<str>,
    /// Who we are to the identity provider.
    pub client: ClientIdentity,
    /// The ID token of the person's login there.
    pub id_token: IdentityToken,
}

/// A signed statement of who somebody is, read anew for each login.
#[derive(Clone)]
pub struct IdentityToken(Arc<ReadIdentity>);

type ReadIdentity = dyn Fn() -> BoxFuture<'static, Result<SecretText, AuthError>> + Send + Sync;

impl IdentityToken {
    /// One that stays the same until it ends.
    pub fn fixed(token: SecretText) -> Self {
        Self::read_by(move || {
            let token = token.clone();
            Box::pin(async move { Ok(token) })
        })
    }

    /// One that is read when it is needed, such as from a file of the platform.
    pub fn read_by(
        read: impl Fn() -> BoxFuture<'static, Result<SecretText, AuthError>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(read))
    }

    pub(crate) async fn read(&self) -> Result<SecretText, AuthError> {
        (self.0)().await
    }
}

impl std::fmt::Debug for IdentityToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("IdentityToken(…)")
    }
}
