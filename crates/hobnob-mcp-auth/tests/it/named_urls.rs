//! A21: each URL that a stranger can name leads to this machine in turn; none is connected to.
//!
//! URLs with a host name are answered from memory; the one under test goes through the real fetch,
//! to a listener that counts connections.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::world::{SERVER, World, log_in, refuse};
use hobnob_mcp_auth::authorization_server::{
    AuthorizationServerSettings, EmbeddedAuthorizationServer, MemoryAuthorizationStore,
};
use hobnob_mcp_auth::resource_server::{
    IssuerKeys, SignedTokens, TokenRefusal, TokenVerifier as _, TrustedIssuer,
};
use hobnob_mcp_auth::{
    AddressPolicy, AuthError, DeviceCode, DevicePrompt, Fetch, FetchRequest, FetchResponse,
    GuardedFetch, LogoutOutcome, OAuthBuilder,
};
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::OpenRoutes as _;
use http::Request;
use reqwest::Url;
use std::net::TcpListener;
use std::sync::Arc;

/// A listener that no fetch may reach.
struct Forbidden {
    listener: TcpListener,
    url: String,
}

impl Forbidden {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        Self { listener, url }
    }

    /// Whether a connection was made: connections wait in the queue until they are accepted.
    fn was_reached(&self) -> bool {
        self.listener.accept().is_ok()
    }
}

/// A person who looks at the code and does nothing.
struct PassivePerson;

impl DevicePrompt for PassivePerson {
    fn show(&self, _: &DeviceCode) {}
}

/// A world with one of its texts replaced; URLs on this machine go through the real fetch.
struct Misleading {
    world: World,
    replaced: (&'static str, String),
    real: GuardedFetch,
}

impl Fetch for Misleading {
    fn fetch(&self, request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>> {
        Box::pin(async move {
            if request.url.host_str() == Some("127.0.0.1") {
                return self.real.fetch(request).await;
            }
            let mut response = self.world.fetch(request).await?;
            let body = String::from_utf8(response.body).unwrap();
            response.body = body.replace(self.replaced.0, &self.replaced.1).into_bytes();
            Ok(response)
        })
    }
}

fn misled(world: &World, replaced: (&'static str, String)) -> OAuthBuilder {
    let policy = AddressPolicy::for_server(&Url::parse(SERVER).unwrap());
    let real = GuardedFetch::new(policy);
    world.builder().fetch(Arc::new(Misleading { world: world.clone(), replaced, real }))
}

#[tokio::test]
async fn no_address_that_a_server_names_leads_here() {
    let forbidden = Forbidden::start();
    let own = |path: &str| format!("\"{}{path}\"", forbidden.url);
    let document = format!("Bearer resource_metadata={}", own("/metadata"));
    let cases = [
        (("nothing", String::new()), document.as_str()),
        (("\"https://as.example\"]", format!("{}]", own(""))), "Bearer"),
        (("\"https://as.example/register\"", own("/register")), "Bearer"),
        (("\"https://as.example/token\"", own("/token")), "Bearer"),
    ];
    for (replaced, challenge) in cases {
        let world = World::new();
        let error = refuse(&misled(&world, replaced.clone()).build(), (401, challenge), 0).await;
        let error = error.unwrap_err();
        assert!(error.0.contains("private network"), "{replaced:?}: {error}");
    }
    let world = World::new();
    let device = misled(&world, ("\"https://as.example/device_code\"", own("/device")))
        .device(PassivePerson)
        .build();
    let error = refuse(&device, (401, "Bearer"), 0).await.unwrap_err();
    assert!(error.0.contains("private network"), "{error}");
    let world = World::new();
    let leaving = misled(&world, ("\"https://as.example/revoke\"", own("/revoke"))).build();
    log_in(&leaving).await;
    let outcome = leaving.log_out().await.unwrap();
    assert!(matches!(outcome, LogoutOutcome::NotRevoked(AuthError::Unsafe(_))), "{outcome:?}");
    assert!(!forbidden.was_reached());
}

/// The keys of an issuer, and the document of a client that an attacker made up.
#[tokio::test]
async fn no_address_that_a_token_or_a_client_names_leads_here() {
    let forbidden = Forbidden::start();
    let public = || Arc::new(GuardedFetch::new(AddressPolicy::public_only()));
    let keys = Url::parse(&format!("{}/keys", forbidden.url)).unwrap();
    let keys = IssuerKeys::new(keys, public());
    let issuer = "https://id.example";
    let trusted = TrustedIssuer { issuer: issuer.into(), keys, audiences: Vec::new() };
    // {"alg":"ES256","kid":"k"} and {"iss":"https://id.example"}
    let token = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUifQ.AA";
    let seen = SignedTokens::new(vec![trusted]).verify(token, "https://hub.example/mcp").await;
    assert!(matches!(seen, Err(TokenRefusal::Unavailable(_))), "{seen:?}");

    let hub = "https://hub.example";
    let resource = [format!("{hub}/mcp").into()];
    let settings = AuthorizationServerSettings::new(hub, resource).unwrap();
    let store = Arc::new(MemoryAuthorizationStore::default());
    let server = EmbeddedAuthorizationServer::builder(settings, store).build();
    let mut page = Url::parse(&format!("{hub}/oauth/authorize")).unwrap();
    page.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &format!("{}/client", forbidden.url))
        .append_pair("redirect_uri", "http://127.0.0.1/callback");
    let request = Request::get(page.as_str()).body(bytes::Bytes::new()).unwrap();
    let answer = server.answer(request, ClientId::next()).await;
    assert_eq!(answer.status(), 400);
    assert!(!forbidden.was_reached());
}
