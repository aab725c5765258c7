//! The HTTP client that the endpoint and the download share: TLS, proxies, what may be sent where.
//!
//! What must stay true: a key goes only where nobody on the way can read it (`is_private`).

use std::time::Duration;

use hobnob_mcp_http::client::is_loopback;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};
use rustls::crypto::ring;

#[cfg(test)]
mod tests;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

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

/// Whether nobody on the way can read or change what is sent.
pub(crate) fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)
}
