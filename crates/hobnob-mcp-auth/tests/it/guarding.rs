//! A21 to A24: the guarded fetch over real sockets.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_auth::{
    AddressPolicy, AuthError, Fetch as _, FetchRequest, GuardedFetch, NameResolver,
};
use hobnob_mcp_engine::BoxFuture;
use reqwest::Url;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A listener that writes the same answer to every connection, and counts them.
struct Peer {
    address: SocketAddr,
    visits: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl Peer {
    async fn start(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let visits = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&visits);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut held = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                let mut request = [0; 4096];
                let _read = stream.read(&mut request).await;
                let _gone = stream.write_all(answer.as_bytes()).await;
                // A peer without an answer holds its connection open.
                held.push(stream);
            }
        });
        Self { address, visits, _serving: serving }
    }

    fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }
}

/// Resolves every name to these addresses once, and counts the calls.
struct Names(Vec<IpAddr>, AtomicUsize);

impl NameResolver for Names {
    fn resolve<'a>(&'a self, _host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let first = self.1.fetch_add(1, Ordering::SeqCst) == 0;
        // A second lookup of the name leads elsewhere (DNS rebinding).
        let found = if first { self.0.clone() } else { vec!["127.0.0.9".parse().unwrap()] };
        Box::pin(async move { Ok(found) })
    }
}

fn policy() -> AddressPolicy {
    AddressPolicy::for_server(&Url::parse("https://mcp.example/mcp").unwrap())
}

fn local() -> AddressPolicy {
    AddressPolicy::for_server(&Url::parse("http://127.0.0.1:1/mcp").unwrap())
}

fn get(url: &str) -> FetchRequest {
    FetchRequest::document(Url::parse(url).unwrap())
}

#[tokio::test]
async fn no_form_of_a_private_address_is_connected_to() {
    let peer = Peer::start("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".into()).await;
    let port = peer.address.port();
    let hosts = [
        "127.0.0.1",
        "localhost",
        "localhost.",
        "2130706433",
        "0x7f.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "169.254.169.254",
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
    ];
    let names = Arc::new(Names(vec!["127.0.0.1".parse().unwrap()], AtomicUsize::new(0)));
    let fetch = GuardedFetch::with_resolver(policy(), names);
    for host in hosts {
        let outcome = fetch.fetch(get(&format!("http://{host}:{port}/"))).await;
        assert!(matches!(outcome, Err(AuthError::Unsafe(_))), "{host} {outcome:?}");
    }
    assert_eq!(peer.visits(), 0);
    // The user may allow a host.
    let allowed = GuardedFetch::new(policy().allow_private("127.0.0.1"));
    let answer = allowed.fetch(get(&format!("http://127.0.0.1:{port}/"))).await.unwrap();
    assert_eq!((answer.status, peer.visits()), (200, 1));
}

#[tokio::test]
async fn a_name_is_resolved_once_and_its_checked_address_is_used() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    let peer = Peer::start(answer.into()).await;
    let names = Arc::new(Names(vec![peer.address.ip()], AtomicUsize::new(0)));
    let fetch = GuardedFetch::with_resolver(local(), names.clone());
    let url = format!("http://as.example:{}/", peer.address.port());
    let answer = fetch.fetch(get(&url)).await.unwrap();
    assert_eq!((answer.status, peer.visits()), (200, 1));
    assert_eq!(names.1.load(Ordering::SeqCst), 1);
    // One private address among public ones is enough for a refusal.
    let addresses = vec!["1.1.1.1".parse().unwrap(), peer.address.ip()];
    let names = Arc::new(Names(addresses, AtomicUsize::new(0)));
    let fetch = GuardedFetch::with_resolver(policy(), names);
    assert!(matches!(fetch.fetch(get(&url)).await, Err(AuthError::Unsafe(_))));
    assert_eq!(peer.visits(), 1);
}

#[tokio::test]
async fn redirects_are_answers_and_not_followed() {
    let target = Peer::start("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".into()).await;
    for status in [301, 302, 303, 307, 308] {
        let place = target.address;
        let head = format!("HTTP/1.1 {status} X\r\nLocation: http://{place}/\r\n");
        let peer = Peer::start(format!("{head}Content-Length: 0\r\n\r\n")).await;
        let url = format!("http://{}/", peer.address);
        let answer = GuardedFetch::new(local()).fetch(get(&url)).await.unwrap();
        assert_eq!(answer.status, status);
    }
    assert_eq!(target.visits(), 0);
}

#[tokio::test]
async fn answers_without_an_end_are_not_read_to_it() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
    let large = "x".repeat(70_000);
    let answers = [
        format!("{head}Content-Length: 1000000000\r\n\r\n{{}}"),
        format!("{head}Content-Length: 70000\r\n\r\n{large}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n", large.len()),
    ];
    for answer in answers {
        let peer = Peer::start(answer).await;
        let url = format!("http://{}/", peer.address);
        let outcome = GuardedFetch::new(local()).fetch(get(&url)).await;
        assert!(matches!(outcome, Err(AuthError::Unsafe(_))), "{outcome:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_says_nothing_is_given_up() {
    let peer = Peer::start(String::new()).await;
    let url = format!("http://{}/", peer.address);
    let begun = tokio::time::Instant::now();
    let outcome = GuardedFetch::new(local()).fetch(get(&url)).await;
    assert!(matches!(outcome, Err(AuthError::Unavailable(_))), "{outcome:?}");
    // The paused clock moves only while every task waits.
    assert!(begun.elapsed() <= Duration::from_secs(11), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn documents_that_are_none_end_the_discovery() {
    use hobnob_mcp_auth::{IssuerChoice, discover};
    let deep = format!("{{\"resource\":{}", "[".repeat(60_000));
    for body in ["<html></html>", "[]", "{}", &*deep, "{\"resource\":7}"] {
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n";
        let peer = Peer::start(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).await;
        let server = Url::parse(&format!("http://{}/mcp", peer.address)).unwrap();
        let fetch = GuardedFetch::new(AddressPolicy::for_server(&server));
        let outcome = discover(&fetch, &server, None, &IssuerChoice::default()).await;
        assert!(matches!(outcome, Err(AuthError::Unsafe(_))), "{outcome:?}");
        assert_eq!(peer.visits(), 1);
    }
}
