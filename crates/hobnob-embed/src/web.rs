//! The HTTP client that the endpoint and the download share: TLS, proxies, one-line errors.
//!
//! What must stay true: an error text holds no URL (its query may be a secret) and no line break.

use std::error::Error as _;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};
use rustls::crypto::ring;

#[cfg(test)]
mod tests;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// The longest text that is shown of an error or of a server's answer.
const SHOWN: usize = 300;

/// A client for one server, which follows only what the policy lets it.
pub(crate) fn client(url: &Url, policy: Policy) -> ClientBuilder {
    // Whoever was first has installed a provider, and any will do.
    let _already_installed = ring::default_provider().install_default();
    let builder = Client::builder()
        .connect_timeout(CONNECT)
        .redirect(policy)
        .referer(false)
        .user_agent(concat!("hobnob/", env!("CARGO_PKG_VERSION")));
    // A proxy elsewhere would look for the server on its own machine.
    if is_loopback(url) { builder.no_proxy() } else { builder }
}

/// Whether the server is on this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    // The host is normal already: `0x7f.1` has become `127.0.0.1`.
    let host = url.host_str().unwrap_or_default();
    let plain = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    let named = plain == "localhost" || plain.ends_with(".localhost");
    named || plain.parse().is_ok_and(|ip: IpAddr| ip.to_canonical().is_loopback())
}

/// Whether nobody on the way can read or change what is sent.
pub(crate) fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)
}

/// An error and its causes in one line, without the URL, whose query may be a secret.
pub(crate) fn describe_error(error: reqwest::Error) -> Box<str> {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        let reason = next.to_string();
        if !text.contains(&reason) {
            text.push_str(": ");
            text.push_str(&reason);
        }
        cause = next.source();
    }
    one_line(&text)
}

/// The beginning of a text as one line that is safe to show.
pub(crate) fn one_line(text: &str) -> Box<str> {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    clean.take(SHOWN).collect::<String>().trim().into()
}
