//! A27: which requests are the answer of a login, over real sockets.

use super::{DONE, LoopbackLogin, NOT_HERE};
use crate::login_prompt::LoginPrompt as _;
use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn send(host: &str, request: String) -> String {
    let mut stream = TcpStream::connect(host).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn only_a_get_of_the_path_with_our_host_is_the_answer() {
    let pending = LoopbackLogin::new(|_| {}).begin().await.unwrap();
    let redirect = pending.redirect().to_owned();
    let host =
        redirect.strip_prefix("http://").unwrap().strip_suffix("/callback").unwrap().to_owned();
    let visit = async {
        let refused = [
            "GET /callback?state=PWNED HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
            "GET /callback?state=PWNED HTTP/1.1\r\n\r\n".to_owned(),
            format!("GET /callback?state=PWNED HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n"),
            format!("POST /callback?state=PWNED HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            format!("GET /callback/?state=PWNED HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            format!("GET /favicon.ico HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            format!("GET /callback HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        ];
        for request in refused {
            let answer = send(&host, request.clone()).await;
            assert!(answer.contains(NOT_HERE) && !answer.contains("PWNED"), "{request}");
        }
        let request = format!("GET /callback?code=PWNED&state=s HTTP/1.1\r\nhost: {host}\r\n\r\n");
        let answer = send(&host, request).await;
        assert!(answer.contains(DONE) && !answer.contains("PWNED"), "{answer}");
        // The page has the frame and the security headers of all pages.
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
        assert!(head.contains("content-security-policy: default-src 'none'; style-src 'sha256-"));
        assert!(body.contains("<main><h1>Login</h1>"), "{body}");
    };
    let page = Url::parse("https://as.example/authorize").unwrap();
    let (answer, ()) = tokio::join!(pending.answer(page), visit);
    assert_eq!(answer.unwrap(), format!("{redirect}?code=PWNED&state=s"));
    // The listener takes one answer and then closes.
    assert!(TcpStream::connect(&host).await.is_err());
}

#[tokio::test]
async fn a_port_that_is_taken_is_no_reason_to_fail() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let pending = LoopbackLogin::new(|_| {}).port(port).begin().await.unwrap();
    assert!(!pending.redirect().contains(&format!(":{port}/")));
}
