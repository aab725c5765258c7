//! Headers as data: which proxies are believed, and where a request comes from.

use super::TrustedProxies;
use hobnob_mcp_engine::ClientId;
use http::{HeaderMap, HeaderName, HeaderValue};
use std::net::IpAddr;

fn sender(trusted: &[&str], peer: &str, headers: &[(&str, &str)]) -> ClientId {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap());
    }
    let client = ClientId::next_at(peer.parse().unwrap());
    TrustedProxies::parse(trusted).unwrap().sender(client, &map)
}

#[test]
fn only_trusted_proxies_are_believed() {
    let proxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"];
    let xff = "x-forwarded-for";
    for (peer, headers, from) in [
        // This proxy is not trusted, so its header is ignored.
        ("192.0.2.1", &[(xff, "203.0.113.9")][..], "192.0.2.1"),
        ("127.0.0.1", &[(xff, "203.0.113.9")], "203.0.113.9"),
        ("::ffff:127.0.0.1", &[(xff, "203.0.113.9")], "203.0.113.9"),
        // The client may have made up everything before the last untrusted address.
        ("127.0.0.1", &[(xff, "1.1.1.1, 203.0.113.9, 10.1.2.3")], "203.0.113.9"),
        ("127.0.0.1", &[(xff, "1.1.1.1"), (xff, "203.0.113.9")], "203.0.113.9"),
        ("127.0.0.1", &[(xff, "10.9.9.9, 10.1.2.3")], "10.9.9.9"),
        ("127.0.0.1", &[(xff, "203.0.113.9:443")], "203.0.113.9"),
        ("127.0.0.1", &[(xff, "[2001:db9::7]:443")], "2001:db9::7"),
        // An unreadable element hides everything before it.
        ("127.0.0.1", &[(xff, "203.0.113.9, unknown")], "127.0.0.1"),
        ("127.0.0.1", &[(xff, "")], "127.0.0.1"),
        ("127.0.0.1", &[], "127.0.0.1"),
        ("127.0.0.1", &[("forwarded", "for=203.0.113.9;proto=https")], "203.0.113.9"),
        ("127.0.0.1", &[("forwarded", "For=\"[2001:db9::7]:4711\"")], "2001:db9::7"),
        ("127.0.0.1", &[("forwarded", "for=1.1.1.1, proto=http;for=203.0.113.9")], "203.0.113.9"),
        ("127.0.0.1", &[("forwarded", "for=203.0.113.9, for=_hidden")], "127.0.0.1"),
        ("127.0.0.1", &[("forwarded", "proto=https")], "127.0.0.1"),
        // A proxy writes one of them; the other came from the client.
        ("127.0.0.1", &[("forwarded", "for=1.1.1.1"), (xff, "203.0.113.9")], "127.0.0.1"),
    ] {
        let found = sender(&proxies, peer, headers);
        assert_eq!(found.address(), Some(from.parse::<IpAddr>().unwrap()), "{peer} {headers:?}");
        assert!(!found.is_local(), "{peer} {headers:?}");
    }
}

#[test]
fn without_trusted_proxies_nothing_changes() {
    let found = sender(&[], "127.0.0.1", &[("x-forwarded-for", "203.0.113.9")]);
    assert_eq!(found.address(), Some("127.0.0.1".parse().unwrap()));
    // The guard checks the headers; this code only changes addresses.
    assert!(found.is_local());
}

#[test]
fn what_is_no_network_is_named() {
    for text in ["", "localhost", "10.0.0.0/33", "10.0.0.", "::1/129"] {
        let error = TrustedProxies::parse(&[text]).unwrap_err().to_string();
        assert!(error.contains(&format!("`{text}`")), "{error}");
    }
}
