//! What every HTTP client of this program has in common: TLS, proxies, and what it says of itself.
//!
//! Each client begins with it. What must stay true: a request for this machine goes through no proxy, and no address that was asked before is told.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url};
use rustls::crypto::ring;

use crate::address::is_loopback;

/// The beginning of a client for the server of this URL. Connecting to it may take as long as
/// `connect` says. Which redirects are followed is for the caller to say.
pub fn client_builder(url: &Url, connect: Duration) -> ClientBuilder {
    // Whoever was first has installed a provider, and any will do.
    let _already_installed = ring::default_provider().install_default();
    let builder = Client::builder()
        .connect_timeout(connect)
        .referer(false)
        .user_agent(concat!("hobnob/", env!("CARGO_PKG_VERSION")));
    // A proxy elsewhere would look for the server on its own machine.
    if is_loopback(url) { builder.no_proxy() } else { builder }
}
