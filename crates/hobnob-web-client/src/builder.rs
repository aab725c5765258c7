//! What all HTTP clients of this program share: TLS, proxies and the user agent.
//!
//! Clients start from it. Requests to this machine use no proxy, and none sends a `Referer`. The
//! first call installs `ring` as the crypto provider of the process, unless it has one.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url};
use rustls::crypto::ring;

use crate::address::is_loopback;

/// The beginning of a client for the server of this URL. Connecting may take as long as `connect`.
/// The caller decides which redirects the client follows.
pub fn client_builder(url: &Url, connect: Duration) -> ClientBuilder {
    // The installation fails if the process already has a crypto provider; any provider will do.
    let _already_installed = ring::default_provider().install_default();
    let builder = Client::builder()
        .connect_timeout(connect)
        .referer(false)
        .user_agent(concat!("hobnob/", env!("CARGO_PKG_VERSION")));
    // A remote proxy would look for the server on the proxy's own machine.
    if is_loopback(url) { builder.no_proxy() } else { builder }
}
