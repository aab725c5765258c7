//! Which servers are this machine, and where a key may go.

use reqwest::Url;

use super::{is_loopback, is_private};

#[test]
fn only_this_machine_is_loopback() {
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
