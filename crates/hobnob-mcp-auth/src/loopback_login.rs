//! A login in a browser on this machine: a listener on the loopback interface receives the answer.
//!
//! For programs with a person in front of them. What must stay true: only a GET of the exact path
//! with our own `Host` counts, it counts once, and the page shown repeats nothing of the request.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::BoxFuture;
use http::StatusCode;
use reqwest::Url;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::error::AuthError;
use crate::login_prompt::{LoginPrompt, PendingLogin};
use crate::web_page::web_page;

#[cfg(test)]
mod tests;

/// The path of the redirect on the listener.
const CALLBACK_PATH: &str = "/callback";
/// The longest head of a request that is read, in bytes.
const MAX_HEAD: usize = 16 * 1024;
/// How long a browser may take to send its head, and to read the answer.
const TIMEOUT: Duration = Duration::from_secs(5);

const DONE: &str = "You are logged in. You can close this page.";
const NOT_HERE: &str = "There is nothing here.";

/// Shows the login page, and receives its answer on a port of this machine.
#[derive(Clone)]
pub struct LoopbackLogin {
    show: Arc<dyn Fn(&Url) + Send + Sync>,
    port: u16,
    name: &'static str,
}

impl LoopbackLogin {
    /// `show` opens the page in a browser, or prints its URL. It must not pass the URL to a shell.
    pub fn new(show: impl Fn(&Url) + Send + Sync + 'static) -> Self {
        Self { show: Arc::new(show), port: 0, name: "127.0.0.1" }
    }

    /// Prefers this port, for clients that are registered with it; uses another if it is taken.
    #[must_use]
    pub fn port(self, port: u16) -> Self {
        Self { port, ..self }
    }

    /// Calls this machine `localhost` in the redirect, for clients that are registered that way.
    /// The address is safer, because a name can be made to resolve to another machine.
    #[must_use]
    pub fn as_localhost(self) -> Self {
        Self { name: "localhost", ..self }
    }
}

impl LoginPrompt for LoopbackLogin {
    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn PendingLogin>, AuthError>> {
        Box::pin(async move {
            let at = |port| TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
            let listener = match at(self.port).await {
                Ok(listener) => Ok(listener),
                Err(_) => at(0).await,
            };
            let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
            let (address, listener) = bound.map_err(|_| {
                AuthError::Unavailable("no port is free for the answer of the login".into())
            })?;
            let redirect = format!("http://{}:{}{CALLBACK_PATH}", self.name, address.port()).into();
            let show = Arc::clone(&self.show);
            Ok(Box::new(Listening { listener, redirect, show }) as Box<dyn PendingLogin>)
        })
    }
}

/// A listener that waits for one answer.
struct Listening {
    listener: TcpListener,
    redirect: Box<str>,
    show: Arc<dyn Fn(&Url) + Send + Sync>,
}

impl PendingLogin for Listening {
    fn redirect(&self) -> &str {
        &self.redirect
    }

    fn answer(self: Box<Self>, page: Url) -> BoxFuture<'static, Result<String, AuthError>> {
        Box::pin(async move {
            (self.show)(&page);
            loop {
                let failed = |_| AuthError::Unavailable("the answer cannot be waited for".into());
                let (mut stream, _) = self.listener.accept().await.map_err(failed)?;
                // One connection at a time; the timeout drops a browser that sends nothing.
                let head = tokio::time::timeout(TIMEOUT, read_head(&mut stream)).await;
                let query = head.ok().flatten().and_then(|head| self.query(&head));
                let (status, text) = match &query {
                    Some(_) => (StatusCode::OK, DONE),
                    None => (StatusCode::NOT_FOUND, NOT_HERE),
                };
                let _gone = tokio::time::timeout(TIMEOUT, reply(&mut stream, status, text)).await;
                if let Some(query) = query {
                    return Ok(format!("{}?{query}", self.redirect));
                }
            }
        })
    }
}

impl Listening {
    /// The query of a request that is the answer: GET, the exact path, our own host, a `state`.
    fn query(&self, head: &str) -> Option<String> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        let (path, query) = target.split_once('?')?;
        let hosts: Vec<_> = lines
            .filter_map(|line| line.split_once(':'))
            .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
            .map(|(_, value)| value.trim())
            .collect();
        let own = self.redirect.strip_prefix("http://")?.strip_suffix(CALLBACK_PATH)?;
        let answers = query.split('&').any(|pair| pair.starts_with("state="));
        let counts = method == "GET" && path == CALLBACK_PATH && hosts == [own] && answers;
        counts.then(|| query.to_owned())
    }
}

/// The head of one request; `None` if it is too long or the connection ends.
async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    loop {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read != 0)?;
        head.extend_from_slice(&chunk[..read]);
        if MAX_HEAD < head.len() {
            return None;
        }
        if head.windows(4).any(|window| window == b"\r\n\r\n") {
            return String::from_utf8(head).ok();
        }
    }
}

/// Sends a fixed page, which repeats nothing of the request.
async fn reply(stream: &mut TcpStream, status: StatusCode, text: &str) -> std::io::Result<()> {
    let page = web_page(status, "Login", &format!("<p>{text}</p>"), "");
    let (head, body) = page.into_parts();
    let mut answer = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in &head.headers {
        answer.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    let end = format!("content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    answer.extend_from_slice(end.as_bytes());
    answer.extend_from_slice(&body);
    stream.write_all(&answer).await?;
    stream.shutdown().await
}

impl std::fmt::Debug for LoopbackLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoopbackLogin").field("port", &self.port).finish_non_exhaustive()
    }
}
