//! A server, its authorization server and a person, in memory. The world records their requests,
//! and tests choose their answers.
//!
//! What must stay true: nothing here uses the crate's own steps, so that the two can disagree.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_auth::{
    AuthError, Fetch, FetchBody, FetchRequest, FetchResponse, LoginPrompt, MemoryGrantStore,
    OAuthAuthorizer, OAuthBuilder, PendingLogin,
};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_http::client::{
    AuthorizationFailed, CredentialRefusal, Initiative, RequestAuthorizer as _, RequestCredentials,
    RequestToAuthorize,
};
use http::{HeaderMap, Method};
use parking_lot::{Mutex, MutexGuard};
use reqwest::Url;
use serde_json::json;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

pub(crate) const SERVER: &str = "https://mcp.example/mcp";
pub(crate) const START: u64 = 1_000_000;
/// How long every token is valid, in seconds.
pub(crate) const LIFE: u64 = 3600;

/// What has happened so far, and what happens next.
pub(crate) struct Happened {
    pub(crate) now: u64,
    /// The issuer that the server trusts.
    pub(crate) issuer: &'static str,
    /// Pages that the person was sent to.
    pub(crate) pages: Vec<Url>,
    /// Hosts that clients were registered at.
    pub(crate) registrations: Vec<String>,
    /// Token requests: the host, and the parameters of the form.
    pub(crate) tokens: Vec<(String, HashMap<String, String>)>,
    /// Responses of the token endpoint to give before the usual ones.
    pub(crate) answers: VecDeque<(u16, String)>,
    /// Tokens that were revoked.
    pub(crate) revoked: Vec<String>,
    /// Requests of any kind.
    fetches: usize,
    issued: u64,
}

/// The world of one test.
#[derive(Clone)]
pub(crate) struct World(Arc<Mutex<Happened>>);

impl World {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(Happened {
            now: START,
            issuer: "https://as.example",
            pages: Vec::new(),
            registrations: Vec::new(),
            tokens: Vec::new(),
            answers: VecDeque::new(),
            revoked: Vec::new(),
            fetches: 0,
            issued: 0,
        })))
    }

    pub(crate) fn happened(&self) -> MutexGuard<'_, Happened> {
        self.0.lock()
    }

    /// The settings of a login in this world, with a person who always agrees.
    pub(crate) fn builder(&self) -> OAuthBuilder {
        self.builder_without_person().prompt(self.clone())
    }

    /// The settings of a login without a person.
    pub(crate) fn builder_without_person(&self) -> OAuthBuilder {
        let clock = self.clone();
        OAuthAuthorizer::builder(SERVER)
            .unwrap()
            .fetch(Arc::new(self.clone()))
            .store(Arc::new(MemoryGrantStore::default()))
            .clock(move || clock.happened().now)
    }

    /// How many requests the login sent to any server.
    pub(crate) fn fetches(&self) -> usize {
        self.happened().fetches
    }

    /// How many token requests had this grant type.
    pub(crate) fn count(&self, grant: &str) -> usize {
        self.happened().tokens.iter().filter(|(_, form)| form["grant_type"] == grant).count()
    }

    fn respond(&self, request: &FetchRequest) -> (u16, String) {
        let mut happened = self.happened();
        happened.fetches += 1;
        let issuer = happened.issuer;
        let host = request.url.host_str().unwrap().to_owned();
        let place = format!("https://{host}");
        match request.url.path() {
            "/.well-known/oauth-protected-resource/mcp" => {
                (200, json!({ "resource": SERVER, "authorization_servers": [issuer] }).to_string())
            }
            "/.well-known/oauth-authorization-server" => {
                let metadata = json!({
                    "issuer": place,
                    "authorization_endpoint": format!("{place}/authorize"),
                    "token_endpoint": format!("{place}/token"),
                    "registration_endpoint": format!("{place}/register"),
                    "revocation_endpoint": format!("{place}/revoke"),
                    "device_authorization_endpoint": format!("{place}/device_code"),
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
                });
                (200, metadata.to_string())
            }
            "/register" => {
                happened.registrations.push(host.clone());
                let id = format!("{host}-client-{}", happened.registrations.len());
                (201, json!({ "client_id": id }).to_string())
            }
            "/revoke" => {
                let token = form_of(request).remove("token").unwrap();
                happened.revoked.push(token);
                (200, String::new())
            }
            "/device_code" => {
                let answer = json!({
                    "device_code": "canary-device",
                    "user_code": "ABCD-EFGH",
                    "verification_uri": format!("{place}/device"),
                    "expires_in": 300,
                    "interval": 2,
                });
                (200, answer.to_string())
            }
            "/token" => {
                let form = form_of(request);
                happened.tokens.push((host, form));
                happened.answers.pop_front().unwrap_or_else(|| {
                    happened.issued += 1;
                    (200, token(happened.issued))
                })
            }
            _ => (404, String::new()),
        }
    }
}

fn form_of(request: &FetchRequest) -> HashMap<String, String> {
    let form = match &request.body {
        FetchBody::Form(form) => form.expose(),
        FetchBody::Nothing | FetchBody::Json(_) => "",
    };
    let form = Url::parse(&format!("http://x/?{form}")).unwrap();
    form.query_pairs().into_owned().collect()
}

/// The usual response of the token endpoint.
pub(crate) fn token(number: u64) -> String {
    json!({
        "access_token": format!("canary-token-{number}"),
        "token_type": "Bearer",
        "expires_in": LIFE,
        "refresh_token": format!("canary-refresh-{number}"),
    })
    .to_string()
}

impl Fetch for World {
    fn fetch(&self, request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>> {
        Box::pin(async move {
            // Lets all concurrent tasks send their requests too.
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            let (status, body) = self.respond(&request);
            if status == 0 {
                return Err(AuthError::Unavailable("no answer in time".into()));
            }
            Ok(FetchResponse { status, headers: HeaderMap::new(), body: body.into_bytes() })
        })
    }
}

impl LoginPrompt for World {
    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn PendingLogin>, AuthError>> {
        Box::pin(async move { Ok(Box::new(Agreeing(self.clone())) as Box<dyn PendingLogin>) })
    }
}

struct Agreeing(World);

impl PendingLogin for Agreeing {
    fn redirect(&self) -> &str {
        "http://127.0.0.1:1/callback"
    }

    fn answer(self: Box<Self>, page: Url) -> BoxFuture<'static, Result<String, AuthError>> {
        Box::pin(async move {
            let state = parameter(&page, "state").unwrap();
            self.0.happened().pages.push(page);
            Ok(format!("http://127.0.0.1:1/callback?code=canary-code&state={state}"))
        })
    }
}

pub(crate) fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// The credentials for the next request.
pub(crate) async fn credentials(
    authorizer: &OAuthAuthorizer,
) -> Result<RequestCredentials, AuthorizationFailed> {
    let url = Url::parse(SERVER).unwrap();
    authorizer.credentials(RequestToAuthorize { method: &Method::POST, url: &url }).await
}

/// The `Authorization` header of the next request; empty if there is none.
pub(crate) async fn shown(authorizer: &OAuthAuthorizer) -> String {
    let headers = credentials(authorizer).await.unwrap().headers;
    headers.get("authorization").map(|it| it.to_str().unwrap().to_owned()).unwrap_or_default()
}

/// The server refuses the credentials that the next request would send.
pub(crate) async fn refuse(
    authorizer: &OAuthAuthorizer,
    (status, challenge): (u16, &str),
    attempt: u32,
) -> Result<(), AuthorizationFailed> {
    let version = credentials(authorizer).await?.version;
    let refusal = CredentialRefusal {
        status,
        challenges: vec![challenge.into()],
        nonce: None,
        version,
        attempt,
        initiative: Initiative::Call,
    };
    authorizer.renew(refusal).await
}

/// Logs in, as after the first 401 of a server.
pub(crate) async fn log_in(authorizer: &OAuthAuthorizer) {
    refuse(authorizer, (401, "Bearer scope=\"read\""), 0).await.unwrap();
}
