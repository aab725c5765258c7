//! Whether the server of a URL is on this machine, and whether others can read what is sent to it.
//! Only the text of the URL decides; no name is resolved.
//!
//! Clients check this before they choose a proxy and before they send a secret.

use std::net::IpAddr;

use reqwest::Url;

#[cfg(test)]
mod tests;

/// Whether the server of a URL is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    // The URL parser has normalised the host: `0x7f.1` has become `127.0.0.1`.
    let host = url.host_str().unwrap_or_default();
    let plain = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    let named = plain == "localhost" || plain.ends_with(".localhost");
    named || plain.parse().is_ok_and(|ip: IpAddr| ip.to_canonical().is_loopback())
}

/// Whether others can neither read nor change what is sent: TLS, or HTTP within this machine. An
/// address of a private network does not suffice.
pub fn is_private(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)
}
