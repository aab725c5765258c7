//! An authorization server with its own clock and store, called without a socket.
//!
//! What must stay true: a test sees only what a client or a browser would see.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use bytes::Bytes;
use hobnob_mcp_auth::authorization_server::{
    AuthorizationEvent, AuthorizationEvents, AuthorizationServerSettings, AuthorizationStore,
    EmbeddedAuthorizationServer, MemoryAuthorizationStore, PasswordCost, ScopeDefault, ScopeOffer,
};
use hobnob_mcp_auth::{AuthError, Fetch, FetchRequest, FetchResponse, SecretText};
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::OpenRoutes as _;
use http::{HeaderMap, Request};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub(crate) const ISSUER: &str = "https://hub.example";
pub(crate) const RESOURCE: &str = "https://hub.example/mcp";
pub(crate) const START: u64 = 1_000_000;
pub(crate) const PASSWORD: &str = "canary horse battery";

/// The server of one test, and what it depends on.
pub(crate) struct LoginServer {
    pub(crate) server: Arc<EmbeddedAuthorizationServer>,
    pub(crate) store: Arc<dyn AuthorizationStore>,
    pub(crate) documents: Arc<Documents>,
    events: Arc<Events>,
    clock: Arc<AtomicU64>,
    client: ClientId,
}

/// The response to one request, with its body as text.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|it| it.to_str().unwrap()).unwrap_or_default()
    }

    /// The `error` of a refusal.
    pub(crate) fn error(&self) -> String {
        self.json()["error"].as_str().unwrap().to_owned()
    }
}

impl LoginServer {
    pub(crate) async fn new() -> Self {
        Self::at(ISSUER, Arc::new(MemoryAuthorizationStore::default())).await
    }

    pub(crate) async fn at(issuer: &str, store: Arc<dyn AuthorizationStore>) -> Self {
        let documents = Arc::new(Documents::default());
        let events = Arc::new(Events::default());
        let clock = Arc::new(AtomicU64::new(START));
        let now = Arc::clone(&clock);
        let server = EmbeddedAuthorizationServer::builder(settings(issuer), Arc::clone(&store))
            .fetch(Arc::clone(&documents) as Arc<dyn Fetch>)
            .events(Arc::clone(&events) as Arc<dyn AuthorizationEvents>)
            .clock(move || now.load(Ordering::SeqCst))
            .build();
        let password = SecretText::new(PASSWORD);
        server.users().add("ann", Some(password), START).await.unwrap();
        let client = ClientId::next_at("192.0.2.1".parse().unwrap());
        Self { server, store, documents, events, clock, client }
    }

    /// Advances the clock by this many seconds.
    pub(crate) fn pass(&self, seconds: u64) {
        self.clock.fetch_add(seconds, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.load(Ordering::SeqCst)
    }

    /// The names of the events so far.
    pub(crate) fn events(&self) -> Vec<String> {
        self.events.0.lock().iter().map(|event| event.name().to_owned()).collect()
    }

    /// All recorded events, as debug text.
    pub(crate) fn recorded_events(&self) -> String {
        format!("{:?}", self.events.0.lock())
    }

    pub(crate) async fn send(&self, request: Request<Bytes>) -> Answer {
        self.send_from(request, self.client).await
    }

    pub(crate) async fn send_from(&self, request: Request<Bytes>, from: ClientId) -> Answer {
        let response = self.server.answer(request, from).await;
        let (head, body) = response.into_parts();
        Answer {
            status: head.status.as_u16(),
            headers: head.headers,
            text: String::from_utf8(body.bytes().to_vec()).unwrap(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Bytes::new()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, form: &[(&str, &str)]) -> Answer {
        self.send(posted(path, form)).await
    }

    pub(crate) async fn register(&self, body: &Value) -> Answer {
        let request = Request::post("/oauth/register").header("content-type", "application/json");
        self.send(request.body(Bytes::from(body.to_string())).unwrap()).await
    }

    /// Registers a public client with these redirects, and returns its id.
    pub(crate) async fn public_client(&self, redirects: &[&str]) -> String {
        let body = json!({
            "client_name": "Test client",
            "redirect_uris": redirects,
            "token_endpoint_auth_method": "none",
        });
        let answer = self.register(&body).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["client_id"].as_str().unwrap().to_owned()
    }
}

/// A form, posted as a browser or a client does.
pub(crate) fn posted(path: &str, form: &[(&str, &str)]) -> Request<Bytes> {
    let request = Request::post(path).header("content-type", "application/x-www-form-urlencoded");
    request.body(Bytes::from(encoded(form))).unwrap()
}

/// Names and values, encoded as a form or a query.
pub(crate) fn encoded(form: &[(&str, &str)]) -> String {
    let mut url = reqwest::Url::parse("http://x/").unwrap();
    url.query_pairs_mut().extend_pairs(form);
    url.query().unwrap_or_default().to_owned()
}

pub(crate) fn settings(issuer: &str) -> AuthorizationServerSettings {
    let resources = ["/mcp", "/p/team/mcp"].map(|path| format!("{issuer}{path}").into());
    let mut settings = AuthorizationServerSettings::new(issuer, resources).unwrap();
    let scope = |name: &str, default| ScopeOffer {
        name: name.into(),
        meaning: format!("what {name} means").into(),
        default,
    };
    settings.scopes = vec![
        scope("read", ScopeDefault::Included),
        scope("call", ScopeDefault::Included),
        scope("admin", ScopeDefault::OnRequest),
    ];
    settings.name = "Hobnob".into();
    settings.terminal_command = Some("hobnob approve-login".into());
    settings.password_cost = PasswordCost { memory: 8, passes: 1 };
    settings
}

#[derive(Debug, Default)]
struct Events(Mutex<Vec<AuthorizationEvent>>);

impl AuthorizationEvents for Events {
    fn record<'a>(
        &'a self,
        event: &'a AuthorizationEvent,
        _from: Option<IpAddr>,
    ) -> BoxFuture<'a, ()> {
        self.0.lock().push(event.clone());
        Box::pin(std::future::ready(()))
    }
}

/// Documents of clients by URL, and how many were fetched.
#[derive(Default)]
pub(crate) struct Documents {
    pub(crate) known: Mutex<HashMap<String, (u16, String)>>,
    pub(crate) asked: AtomicUsize,
}

impl Fetch for Documents {
    fn fetch(&self, request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let known = self.known.lock().get(request.url.as_str()).cloned();
            let (status, body) =
                known.ok_or_else(|| AuthError::Unavailable("nobody is there".into()))?;
            Ok(FetchResponse { status, headers: HeaderMap::new(), body: body.into_bytes() })
        })
    }
}
