//! What a client needs to know to log in to one MCP server: which client id, grant and scopes.
//!
//! The builder fills them in and every step of the login reads them; they never change afterwards.

use std::sync::Arc;

use hobnob_mcp_engine::BoxFuture;
use reqwest::Url;

use crate::client_identity::ClientIdentity;
use crate::device_login::DeviceDisplay;
use crate::error::AuthError;
use crate::login_prompt::LoginPrompt;
use crate::scopes::Scopes;
use crate::secret::SecretText;

/// The settings for the login to one MCP server.
pub(crate) struct LoginSettings {
    pub(crate) server: Url,
    pub(crate) principal: Box<str>,
    pub(crate) client_name: Box<str>,
    /// The configured client, which takes precedence over every other.
    pub(crate) client: Option<ClientIdentity>,
    /// The URL of a document that describes the client, which is its id where that is supported.
    pub(crate) metadata_document: Option<Box<str>>,
    pub(crate) issuer: Option<Box<str>>,
    /// The URL of the authorization server's metadata, if the server does not publish it.
    pub(crate) document: Option<Box<str>>,
    pub(crate) registration: RegistrationUse,
    pub(crate) scopes: Scopes,
    pub(crate) scope_use: ScopeUse,
    pub(crate) parameters: Vec<(Box<str>, Box<str>)>,
    pub(crate) resource: ResourceChoice,
    /// Without one, only a stored login is used.
    pub(crate) grant: Option<GrantKind>,
    pub(crate) possession: PossessionUse,
}

impl LoginSettings {
    /// For a login that needs no person: the grant and the client as one text, which becomes the
    /// `client` of its [`GrantKey`](crate::GrantKey). `None` if a person logs in.
    pub(crate) fn own_login(&self) -> Option<Box<str>> {
        let grant = match self.grant.as_ref()? {
            GrantKind::AuthorizationCode(_) | GrantKind::Device(_) => return None,
            GrantKind::ClientCredentials => "client_credentials",
            GrantKind::EnterpriseManaged(_) => "enterprise_managed",
            GrantKind::WorkloadIdentity(_) => "workload_identity",
        };
        let client = self.client.as_ref().map_or("", |client| &*client.id);
        Some(format!("{grant} {client}").into())
    }
}

/// Whether a stored registration is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum RegistrationUse {
    #[default]
    Stored,
    /// Never: the authorization server may have forgotten it.
    Anew,
}

/// How the configured scopes relate to those that a server asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ScopeUse {
    #[default]
    Added,
    /// No other scopes are ever requested.
    Only,
}

/// The resource that tokens are requested for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ResourceChoice {
    /// The server's own name for itself.
    #[default]
    FromServer,
    /// This text, for authorization servers that know the server by another name.
    Fixed(Box<str>),
    /// None, for authorization servers that refuse the parameter.
    Omitted,
}

/// Whether tokens are bound to a key (DPoP, RFC 9449), a draft of the protocol's extensions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PossessionUse {
    /// Never: tokens are bearer tokens.
    #[default]
    Off,
    /// If the authorization server offers it.
    WhereOffered,
}

/// How a login obtains its token.
pub(crate) enum GrantKind {
    /// A person logs in.
    AuthorizationCode(Arc<dyn LoginPrompt>),
    /// A person logs in on another device (RFC 8628).
    Device(DeviceDisplay),
    /// The client logs in as itself.
    ClientCredentials,
    /// A company's identity provider vouches for a person (RFC 8693, then RFC 7523).
    EnterpriseManaged(EnterpriseLogin),
    /// The platform that runs this program vouches for it (RFC 7523).
    WorkloadIdentity(IdentityToken),
}

/// How a company's identity provider vouches for a person.
#[derive(Debug, Clone)]
pub struct EnterpriseLogin {
    /// The token endpoint of the identity provider.
    pub token_endpoint: Box<str>,
    /// This client's identity at the identity provider.
    pub client: ClientIdentity,
    /// The ID token of the person's login there.
    pub id_token: IdentityToken,
}

/// A signed statement of a person's or a program's identity, read anew for each login.
#[derive(Clone)]
pub struct IdentityToken(Arc<ReadIdentity>);

type ReadIdentity = dyn Fn() -> BoxFuture<'static, Result<SecretText, AuthError>> + Send + Sync;

impl IdentityToken {
    /// A token that stays the same.
    pub fn fixed(token: SecretText) -> Self {
        Self::read_by(move || {
            let token = token.clone();
            Box::pin(async move { Ok(token) })
        })
    }

    /// A token that is read when it is needed, for example from a file of the platform.
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
