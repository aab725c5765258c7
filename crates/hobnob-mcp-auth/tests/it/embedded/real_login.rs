//! Our own client logs in to our own server over real sockets: discovery, registration, page, code,
//! token, call, refresh.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use super::login_server::{PASSWORD, settings};
use super::person::Person;
use hobnob_mcp_auth::authorization_server::{
    EmbeddedAuthorizationServer, MemoryAuthorizationStore,
};
use hobnob_mcp_auth::resource_server::{
    BearerAuthentication, NoOwners, PublicUrl, ResourceDocuments,
};
use hobnob_mcp_auth::{
    AuthError, GrantKey, GrantStore as _, MemoryGrantStore, OAuthAuthorizer, SecretText,
};
use hobnob_mcp_client::Client;
use hobnob_mcp_http::{HttpOptions, OpenRoutes, bind, serve_http};
use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::Kit;
use reqwest::Url;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;

/// A server on a port, its authorization server, and a clock.
struct Hub {
    origin: String,
    login: Arc<EmbeddedAuthorizationServer>,
    server: Server,
    clock: Arc<AtomicU64>,
    serving: JoinSet<()>,
}

impl Hub {
    async fn start() -> Self {
        let kit = Kit::plain("greetings").tool("hello", "Greets somebody", async || "hello");
        let server = Server::builder("hub", "1.0.0").kit(kit).build().unwrap();
        let plain = HttpOptions::default();
        let listener = bind(([127, 0, 0, 1], 0).into(), &plain).await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        // The listener has the real clock, and refuses tokens that have expired by it.
        let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let clock = Arc::new(AtomicU64::new(start));
        let now = Arc::clone(&clock);
        let store = Arc::new(MemoryAuthorizationStore::default());
        let login = EmbeddedAuthorizationServer::builder(settings(&origin), store)
            .clock(move || now.load(Ordering::SeqCst))
            .build();
        login.users().add("ann", Some(SecretText::new(PASSWORD)), 1).await.unwrap();
        let public_url = PublicUrl::parse(&origin).unwrap();
        let documents = ResourceDocuments::new(&public_url, &[], std::slice::from_ref(&origin));
        let verifiers = vec![Arc::clone(&login) as _];
        let authentication = BearerAuthentication::new(public_url, verifiers, Arc::new(NoOwners));
        let options = HttpOptions {
            authentication: Some(Arc::new(authentication)),
            open_routes: vec![Arc::clone(&login) as Arc<dyn OpenRoutes>, Arc::new(documents)],
            ..plain
        };
        let mut serving = JoinSet::new();
        let served = server.clone();
        serving.spawn(async move {
            serve_http(&served, listener, options, served.stopping()).await.unwrap();
        });
        Self { origin, login, server, clock, serving }
    }

    /// A client that keeps its login in this store.
    fn client(
        &self,
        person: &Person,
        store: &Arc<MemoryGrantStore>,
    ) -> (Arc<OAuthAuthorizer>, String) {
        let url = format!("{}/mcp", self.origin);
        let now = Arc::clone(&self.clock);
        let authorizer = OAuthAuthorizer::builder(&url)
            .unwrap()
            .prompt(person.clone())
            .store(Arc::clone(store) as _)
            .clock(move || now.load(Ordering::SeqCst))
            .build();
        (authorizer, url)
    }

    async fn end(mut self) {
        self.server.stop();
        while let Some(ended) = self.serving.join_next().await {
            ended.unwrap();
        }
    }
}

/// A person who logs in.
fn visitor() -> Person {
    Person::new(|page| Box::pin(log_in(page)))
}

/// Opens the page over HTTP, fills in its form, and returns the redirect.
async fn log_in(page: Url) -> Result<String, AuthError> {
    let http = hobnob_web_client::client_builder(&page, std::time::Duration::from_secs(30))
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let text = http.get(page.clone()).send().await.unwrap().text().await.unwrap();
    let field = |name: &str| {
        let start = format!("name=\"{name}\" value=\"");
        let (_, rest) = text.split_once(&start).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    let form = super::login_server::encoded(&[
        ("request", &field("request")),
        ("form_token", &field("form_token")),
        ("decision", "allow"),
        ("user", "ann"),
        ("password", PASSWORD),
    ]);
    let answer = http
        .post(page.join("/oauth/authorize").unwrap())
        .header("content-type", "application/x-www-form-urlencoded")
        .header("origin", "null")
        .header("sec-fetch-site", "same-origin")
        .body(form)
        .send()
        .await
        .unwrap();
    Ok(answer.headers()["location"].to_str().unwrap().to_owned())
}

async fn hello(authorizer: &Arc<OAuthAuthorizer>, url: &str) -> String {
    let client = Client::builder().authorizer(Arc::clone(authorizer) as _).connect(url).await;
    let client = client.unwrap();
    let answer = client.call::<_, String>("hello", &()).await.unwrap();
    client.close().await;
    answer
}

#[tokio::test]
async fn our_client_logs_in_and_stays_logged_in() {
    let hub = Hub::start().await;
    let (person, store) = (visitor(), Arc::new(MemoryGrantStore::default()));
    let (authorizer, url) = hub.client(&person, &store);
    assert_eq!(hello(&authorizer, &url).await, "hello");
    assert_eq!(person.logins(), 1);
    // Hours later, another process of the same user needs only the refresh token.
    for _ in 0..3 {
        hub.clock.fetch_add(3 * 3600, Ordering::SeqCst);
        let (next, url) = hub.client(&person, &store);
        assert_eq!(hello(&next, &url).await, "hello");
    }
    assert_eq!(person.logins(), 1);
    // A removed user loses access at once, and cannot log in.
    hub.login.users().remove("ann").await.unwrap();
    let (last, url) = hub.client(&visitor(), &Arc::new(MemoryGrantStore::default()));
    assert!(Client::connect(&url).await.is_err());
    drop(last);
    hub.end().await;
}

#[tokio::test]
async fn two_copies_of_one_login_refresh_at_once_and_both_go_on() {
    let hub = Hub::start().await;
    let (person, store) = (visitor(), Arc::new(MemoryGrantStore::default()));
    let (authorizer, url) = hub.client(&person, &store);
    hello(&authorizer, &url).await;
    // Two copies of one login: each has the same grant and knows nothing of the other.
    let key = GrantKey { principal: "local".into(), server: url.clone().into(), client: None };
    let grant = store.load(&key).await.unwrap().unwrap();
    let copy = Arc::new(MemoryGrantStore::default());
    copy.save(&key, &grant).await.unwrap();
    let (other, _) = hub.client(&person, &copy);
    for _ in 0..3 {
        hub.clock.fetch_add(2 * 3600, Ordering::SeqCst);
        let mut both = JoinSet::new();
        for authorizer in [&authorizer, &other] {
            let (authorizer, url) = (Arc::clone(authorizer), url.clone());
            both.spawn(async move { hello(&authorizer, &url).await });
        }
        assert_eq!(both.join_all().await, ["hello", "hello"]);
    }
    assert_eq!(person.logins(), 1);
    hub.end().await;
}
