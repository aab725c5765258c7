//! URLs as data: which servers are on this machine, and which connections others can read.

use super::*;

#[test]
fn only_this_machine_is_loopback_and_only_tls_or_it_is_private() {
    for (url, loopback, private) in [
        ("http://127.0.0.1:80/", true, true),
        ("http://0x7f.1/", true, true),
        ("http://[::1]:8080/", true, true),
        ("http://[::ffff:127.0.0.1]/", true, true),
        ("http://localhost/", true, true),
        ("http://a.localhost./", true, true),
        ("https://example.org/", false, true),
        ("http://example.org/", false, false),
        ("http://localhost.example.org/", false, false),
        ("http://127.0.0.1.example.org/", false, false),
        ("http://192.168.0.1/", false, false),
        ("ftp://127.0.0.1/", true, false),
    ] {
        let url = Url::parse(url).unwrap();
        assert_eq!((is_loopback(&url), is_private(&url)), (loopback, private), "{url}");
    }
}
