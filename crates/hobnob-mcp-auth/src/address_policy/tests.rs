//! Addresses inside the user's network, in every notation that hides one.

use super::{AddressPolicy, is_public};
use reqwest::Url;

#[test]
fn addresses_are_judged_by_where_they_lead() {
    let public =
        ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101", "2002:101:101::1"];
    let private = [
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "127.1.2.3",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.0.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2002:a00:1::",
        "2001::1",
        "2001:db8::1",
        "fc00::1",
        "fd12::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];
    for address in public {
        assert!(is_public(address.parse().unwrap()), "{address}");
    }
    for address in private {
        assert!(!is_public(address.parse().unwrap()), "{address}");
    }
}

#[test]
fn only_what_the_user_allowed_is_reached_in_private_networks() {
    let remote = AddressPolicy::for_server(&Url::parse("https://mcp.example/").unwrap());
    let local = AddressPolicy::for_server(&Url::parse("http://localhost:1/").unwrap());
    let allowed = remote.clone().allow_private("AS.internal.");
    let cases = [
        (&remote, "localhost", "127.0.0.1", false),
        (&remote, "localhost.", "::1", false),
        (&remote, "as.internal", "10.0.0.1", false),
        (&remote, "as.example", "1.1.1.1", true),
        (&local, "localhost", "127.0.0.1", true),
        (&local, "other", "::ffff:127.0.0.1", true),
        (&local, "as.internal", "10.0.0.1", false),
        (&allowed, "as.internal", "10.0.0.1", true),
        (&allowed, "as.internal.", "10.0.0.1", true),
        (&allowed, "evil.example", "10.0.0.1", false),
    ];
    for (policy, host, address, allows) in cases {
        assert_eq!(policy.allows(host, address.parse().unwrap()), allows, "{host} {address}");
    }
}
