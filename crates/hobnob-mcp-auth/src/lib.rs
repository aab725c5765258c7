//! Logs in to MCP servers: the client side of OAuth, as each revision of the protocol requires it.
//!
//! An [`OAuthAuthorizer`] is for one server. Hand it to a client, and it adds a token to every
//! request, logs in if the server wants that, requests more scopes, and renews tokens before they
//! expire.
//!
//! ```no_run
//! use hobnob_mcp_auth::{LoopbackLogin, OAuthAuthorizer};
//! use hobnob_mcp_client::Client;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let server = "https://mcp.example.com/mcp";
//! let login = LoopbackLogin::new(|page| println!("Log in here: {page}"));
//! let authorizer = OAuthAuthorizer::builder(server)?.prompt(login).build();
//! let client = Client::builder().authorizer(authorizer).connect(server).await?;
//! # Ok(()) }
//! ```
//!
//! The steps are small functions over a [`Fetch`], one file each. Modules use only those above them
//! in this list. Nothing here prints or logs a secret: secrets are [`SecretText`]s.

mod encoding;
mod error;
mod secret;
mod web_page;

mod address_policy;
mod challenge;
mod endpoint_rule;
mod fetch;
mod guarded_fetch;

mod discovery;
mod resource_metadata;
mod scopes;

mod client_identity;
mod pkce;
mod possession;
mod signing_key;

mod authorization_request;
mod token_endpoint;

mod device_login;

mod grant_record;
mod grant_store;
mod private_file;
mod sealing_key;

mod file_grant_store;
mod held_grant;
mod login_prompt;
mod loopback_login;
mod settings;

mod login;
mod login_state;
mod refresh;
mod registration;
mod revocation;

mod authorizer;
mod builder;

#[cfg(feature = "server")]
pub mod authorization_server;
#[cfg(feature = "server")]
pub mod resource_server;

#[cfg(feature = "server")]
mod public_logins;

pub use address_policy::AddressPolicy;
pub use authorization_request::{
    AuthorizationSettings, AuthorizedCode, IssuerInAnswer, PendingAuthorization,
    begin_authorization,
};
pub use authorizer::{LoginStatus, LogoutOutcome, NextToken, OAuthAuthorizer};
pub use builder::OAuthBuilder;
pub use challenge::{AuthChallenge, parse_challenges};
pub use client_identity::{ClientIdentity, ClientProof, TokenAuthMethod};
pub use device_login::{DeviceCode, DevicePrompt};
pub use discovery::{Abilities, AuthorizationServer, Discovered, IssuerChoice, discover};
pub use endpoint_rule::EndpointRule;
pub use error::AuthError;
pub use fetch::{Fetch, FetchBody, FetchRequest, FetchResponse};
pub use file_grant_store::FileGrantStore;
pub use grant_store::{
    GrantKey, GrantStore, MemoryGrantStore, RegisteredClient, RegistrationKey, StoreLock,
    StoredGrant,
};
pub use guarded_fetch::{GuardedFetch, NameResolver, SystemResolver};
pub use login_prompt::{LoginPrompt, PendingLogin};
pub use loopback_login::LoopbackLogin;
pub use pkce::PkceVerifier;
#[cfg(feature = "server")]
pub use public_logins::{PrincipalProof, PublicLogins};
pub use resource_metadata::{ResourceMetadata, resource_metadata};
pub use scopes::Scopes;
pub use secret::SecretText;
pub use settings::{EnterpriseLogin, IdentityToken, PossessionUse, ResourceChoice};
pub use signing_key::SigningKey;
pub use web_page::{escape_html, web_page};

/// The URL type of this crate's interface.
pub use reqwest::Url;
