//! Credentials of an authorizer: which requests carry them, what follows a refusal, and where they
//! never go.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_http::client::{
    AuthorizationFailed, CredentialRefusal, HttpCarrier, HttpClientLimits, Initiative,
    RequestAuthorizer, RequestCredentials, RequestToAuthorize,
};
use hobnob_mcp_transport::Carrier as _;
use hobnob_mcp_types::Revision;
use tokio_util::task::TaskTracker;

use crate::client_raw::RawServer;
use crate::client_recorder::{TestClient, recorder, target};
use crate::mcp_server::NEWEST_LEGACY;

/// How the authorizer reacts to a refusal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Renewal {
    Works,
    Fails,
}

/// Numbers its credentials: `Bearer grant-N`.
struct Counting {
    version: AtomicU64,
    renewal: Renewal,
}

impl RequestAuthorizer for Counting {
    fn credentials<'a>(
        &'a self,
        request: RequestToAuthorize<'a>,
    ) -> BoxFuture<'a, Result<RequestCredentials, AuthorizationFailed>> {
        assert_eq!(request.url.path(), "/mcp");
        let version = self.version.load(Ordering::SeqCst);
        let mut credentials = RequestCredentials { version, ..RequestCredentials::default() };
        let value = format!("Bearer grant-{version}").parse().unwrap();
        credentials.headers.insert("authorization", value);
        Box::pin(async move { Ok(credentials) })
    }

    fn renew(&self, refusal: CredentialRefusal) -> BoxFuture<'_, Result<(), AuthorizationFailed>> {
        assert_eq!(refusal.version, self.version.load(Ordering::SeqCst));
        assert_eq!(u64::from(refusal.attempt), refusal.version);
        let works = self.renewal == Renewal::Works && refusal.initiative == Initiative::Call;
        if works {
            self.version.fetch_add(1, Ordering::SeqCst);
        }
        let outcome = if works { Ok(()) } else { Err(AuthorizationFailed("log in first".into())) };
        Box::pin(async move { outcome })
    }
}

fn client(raw: &RawServer, renewal: Renewal) -> TestClient {
    let (recorder, received) = recorder();
    let tasks = TaskTracker::new();
    let authorizer = Arc::new(Counting { version: AtomicU64::new(0), renewal });
    // The settings have their own `Authorization`, which the authorizer's replaces.
    let target = target(&raw.url()).authorized_by(authorizer);
    let limits = HttpClientLimits::default();
    let carrier = HttpCarrier::new(target, limits, recorder, tasks.clone()).unwrap();
    TestClient { carrier, received, tasks }
}

const CHALLENGE: &str = "WWW-Authenticate: Bearer\r\n";
const SCOPE: &str = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"a\"\r\n";

#[tokio::test]
async fn a_refused_call_is_made_again_with_other_credentials() {
    for (status, headers) in [(401, CHALLENGE), (401, ""), (403, SCOPE)] {
        let mut raw = RawServer::start().await;
        let mut client = client(&raw, Renewal::Works);
        client.call_modern(1);
        let first = raw.next().await;
        assert_eq!(first.header("authorization"), Some("Bearer grant-0"));
        let said = first.message();
        first.reply(status, headers, "").await;
        let second = raw.next().await;
        assert_eq!(second.header("authorization"), Some("Bearer grant-1"));
        assert_eq!(second.message(), said);
        second.result("").await;
        assert_eq!(client.received.next().await, "answer 1 {}, on 1");
    }
}

#[tokio::test]
async fn a_server_that_always_refuses_is_asked_four_times() {
    let mut raw = RawServer::start().await;
    let mut client = client(&raw, Renewal::Works);
    client.call_modern(1);
    for version in 0..=3 {
        let request = raw.next().await;
        assert_eq!(request.header("authorization"), Some(&*format!("Bearer grant-{version}")));
        request.reply(401, CHALLENGE, "").await;
    }
    assert_eq!(client.received.next().await, "lost 1 unauthorized Some(\"Bearer\")");
    assert_eq!(raw.unread(), 0);
}

#[tokio::test]
async fn the_authorizer_says_why_there_is_no_answer() {
    let mut raw = RawServer::start().await;
    let mut client = client(&raw, Renewal::Fails);
    client.call_modern(1);
    raw.next().await.reply(401, CHALLENGE, "").await;
    assert_eq!(client.received.next().await, "lost 1 authorization failed: log in first");
    assert_eq!(raw.unread(), 0);
}

#[tokio::test]
async fn a_refusal_that_credentials_do_not_help_is_not_theirs() {
    let mut raw = RawServer::start().await;
    let mut client = client(&raw, Renewal::Works);
    client.call_modern(1);
    raw.next().await.reply(403, CHALLENGE, "").await;
    assert_eq!(client.received.next().await, "lost 1 unauthorized Some(\"Bearer\")");
    assert_eq!(raw.unread(), 0);
}

#[tokio::test]
async fn every_request_of_a_session_carries_them_and_streams_start_no_login() {
    let mut raw = RawServer::start().await;
    let mut client = client(&raw, Renewal::Works);
    client.initialize(0, NEWEST_LEGACY);
    let hello = raw.next().await;
    assert_eq!(hello.header("authorization"), Some("Bearer grant-0"));
    hello.result("Mcp-Session-Id: s-1\r\n").await;
    client.received.next().await;
    client.initialized(Revision::NEWEST_LEGACY);
    let note = raw.next().await;
    assert_eq!(note.header("authorization"), Some("Bearer grant-0"));
    note.reply(202, "", "").await;
    client.carrier.greeted(Revision::NEWEST_LEGACY);
    let standing = raw.next().await;
    let head = (standing.method(), standing.header("authorization"));
    assert_eq!(head, ("GET", Some("Bearer grant-0")));
    standing.reply(401, CHALLENGE, "").await;
    client.call(1);
    let call = raw.next().await;
    assert_eq!((call.method(), call.header("authorization")), ("POST", Some("Bearer grant-0")));
    call.result("").await;
    assert_eq!(client.received.next().await, "answer 1 {}, on 1");
    client.carrier.close();
    let farewell = raw.next().await;
    let head = (farewell.method(), farewell.header("authorization"));
    assert_eq!(head, ("DELETE", Some("Bearer grant-0")));
    farewell.reply(200, "", "").await;
}

#[tokio::test]
async fn credentials_do_not_follow_a_redirect_to_another_origin() {
    for status in [301, 302, 303, 307, 308] {
        let (mut raw, mut other) = (RawServer::start().await, RawServer::start().await);
        let mut client = client(&raw, Renewal::Works);
        client.call_modern(1);
        let location = format!("Location: http://{}/mcp\r\n", other.address);
        raw.next().await.reply(status, &location, "").await;
        let line = client.received.next().await;
        assert!(line.starts_with(&format!("lost 1 status {status}")), "{line}");
        assert_eq!(other.unread(), 0);
    }
}

#[tokio::test]
async fn a_server_that_repeats_a_token_does_not_get_it_into_an_error() {
    let mut raw = RawServer::start().await;
    let mut client = client(&raw, Renewal::Works);
    client.call_modern(1);
    raw.next().await.reply(500, "", "your token is grant-0, or Bearer grant-0").await;
    let line = client.received.next().await;
    assert!(line.contains("your token is [redacted]") && !line.contains("grant-0"), "{line}");
}
