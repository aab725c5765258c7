//! The login for each authorization scenario, with a user who always agrees.
//!
//! This file sets only what the scenario dictates in `MCP_CONFORMANCE_CONTEXT`: which client, which
//! grant. The product's own authorizer discovers everything else. No browser opens: the user is a
//! GET of the login page, whose redirect is the answer.

use anyhow::Context as _;
use hobnob_mcp_auth::{
    AddressPolicy, AuthError, ClientIdentity, EnterpriseLogin, Fetch as _, FetchRequest,
    GuardedFetch, IdentityToken, LoginPrompt, OAuthAuthorizer, OAuthBuilder, PendingLogin,
    PossessionUse, SecretText, SigningKey,
};
use hobnob_mcp_engine::BoxFuture;
use reqwest::Url;
use serde::Deserialize;
use std::sync::Arc;

/// The URL of the metadata document by which the suite identifies a client.
const METADATA_DOCUMENT_URL: &str = "https://conformance-test.local/client-metadata.json";

/// The redirect URI. No server listens there: the redirect is read, not followed.
const REDIRECT_URI: &str = "http://127.0.0.1:4815/callback";

/// What the suite passes to the client for its login.
#[derive(Deserialize, Default)]
struct Context {
    client_id: Option<Box<str>>,
    client_secret: Option<Box<str>>,
    private_key_pem: Option<Box<str>>,
    issuer: Option<Box<str>>,
    idp_client_id: Option<Box<str>>,
    idp_id_token: Option<Box<str>>,
    idp_token_endpoint: Option<Box<str>>,
    valid_jwt: Option<Box<str>>,
}

/// The authorizer for one scenario.
pub(crate) fn authorizer(scenario: &str, url: &str) -> anyhow::Result<Arc<OAuthAuthorizer>> {
    let context: Context = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(text) => serde_json::from_str(&text).context("the context of the scenario")?,
        Err(_) => Context::default(),
    };
    let server = Url::parse(url)?;
    let builder = OAuthAuthorizer::builder(url)?
        .client_metadata_document(METADATA_DOCUMENT_URL)
        .prompt(AgreeingUser { policy: AddressPolicy::for_server(&server) });
    let builder = match scenario {
        "client-credentials-basic" | "client-credentials-jwt" => {
            builder.client(client(&context)?).client_credentials()
        }
        "enterprise-managed-authorization" | "cross-app-access-complete-flow" => {
            enterprise(builder, &context)?
        }
        "wif-jwt-bearer" => {
            let token = context.valid_jwt.as_deref().context("no identity is given")?;
            builder.workload_identity(IdentityToken::fixed(SecretText::new(token)))
        }
        "dpop" | "dpop-nonce" => builder.possession(PossessionUse::WhereOffered),
        _ if context.client_id.is_some() => builder.client(client(&context)?),
        _ => builder,
    };
    let builder = match &context.issuer {
        Some(issuer) => builder.issuer(issuer),
        None => builder,
    };
    Ok(builder.build())
}

fn client(context: &Context) -> anyhow::Result<ClientIdentity> {
    let id = context.client_id.clone().context("no client id is given")?;
    Ok(match (&context.private_key_pem, &context.client_secret) {
        (Some(key), _) => {
            ClientIdentity::with_key(id, SigningKey::from_pem(&SecretText::new(key.clone()))?)
        }
        (None, Some(secret)) => ClientIdentity::with_secret(id, SecretText::new(secret.clone())),
        (None, None) => ClientIdentity::public(id),
    })
}

fn enterprise(builder: OAuthBuilder, context: &Context) -> anyhow::Result<OAuthBuilder> {
    let given = |value: &Option<Box<str>>| value.clone().context("the context is not complete");
    let login = EnterpriseLogin {
        token_endpoint: given(&context.idp_token_endpoint)?,
        client: ClientIdentity::public(given(&context.idp_client_id)?),
        id_token: IdentityToken::fixed(SecretText::new(given(&context.idp_id_token)?)),
    };
    Ok(builder.client(client(context)?).enterprise_managed(login))
}

/// Plays a user who is logged in already and consents to everything.
struct AgreeingUser {
    policy: AddressPolicy,
}

impl LoginPrompt for AgreeingUser {
    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn PendingLogin>, AuthError>> {
        let fetch = GuardedFetch::new(self.policy.clone());
        Box::pin(async move { Ok(Box::new(Visit { fetch }) as Box<dyn PendingLogin>) })
    }
}

struct Visit {
    fetch: GuardedFetch,
}

impl PendingLogin for Visit {
    fn redirect(&self) -> &str {
        REDIRECT_URI
    }

    fn answer(self: Box<Self>, page: Url) -> BoxFuture<'static, Result<String, AuthError>> {
        Box::pin(async move {
            let response = self.fetch.fetch(FetchRequest::document(page)).await?;
            let location = response.headers.get("location").and_then(|it| it.to_str().ok());
            let location = location.map(str::to_owned);
            location.ok_or_else(|| AuthError::LoginAbandoned("the page leads nowhere".into()))
        })
    }
}
