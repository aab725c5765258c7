//! Whether clients are local and where they come from, as far as their transports know.

use crate::ClientId;
use std::net::IpAddr;

#[test]
fn only_pipes_and_loopback_addresses_are_local() {
    assert!(ClientId::OURSELVES.is_local());
    assert!(ClientId::next().is_local());
    let cases = [
        ("127.0.0.1", true),
        ("127.9.8.7", true),
        ("::1", true),
        ("::ffff:127.0.0.1", true),
        ("192.0.2.1", false),
        ("::ffff:192.0.2.1", false),
        ("fe80::1", false),
        ("0.0.0.0", false),
        ("::", false),
    ];
    for (address, local) in cases {
        let client = ClientId::next_at(address.parse::<IpAddr>().unwrap());
        assert_eq!(client.is_local(), local, "{address}");
        assert_eq!(client.next_session().is_local(), local, "{address}");
        assert!(!client.from_elsewhere().is_local(), "{address}");
    }
}

#[test]
fn a_client_has_the_address_of_its_connection() {
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    assert_eq!(ClientId::OURSELVES.address(), None);
    assert_eq!(ClientId::next().address(), None);
    for (given, shown) in
        [("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("::1", "::1")]
    {
        let client = ClientId::next_at(address(given));
        for client in [client, client.next_session(), client.from_elsewhere()] {
            assert_eq!(client.address(), Some(address(shown)), "{given}");
        }
    }
}

#[test]
fn a_client_stays_the_same_when_a_proxy_speaks_for_it() {
    let client = ClientId::next();
    assert_eq!(client, client.from_elsewhere());
    assert_ne!(client, client.next_session());
    assert_ne!(client, ClientId::next());
}
