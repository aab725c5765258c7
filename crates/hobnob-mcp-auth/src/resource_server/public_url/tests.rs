//! Which texts are origins, and the URLs that are derived from them.

use super::PublicUrl;

#[test]
fn only_an_origin_is_a_public_url() {
    for (text, expected) in [
        ("https://hub.example.com", Some("https://hub.example.com")),
        ("https://hub.example.com/", Some("https://hub.example.com")),
        ("https://HUB.example.com", Some("https://hub.example.com")),
        ("https://hub.example.com:8443", Some("https://hub.example.com:8443")),
        ("http://127.0.0.1:4815", Some("http://127.0.0.1:4815")),
        ("http://localhost:4815", Some("http://localhost:4815")),
        ("http://hub.example.com", None),
        ("https://hub.example.com/hub", None),
        ("https://hub.example.com?x", None),
        ("https://hub.example.com#x", None),
        ("https://ann@hub.example.com", None),
        ("ftp://hub.example.com", None),
        ("hub.example.com", None),
        ("", None),
    ] {
        let parsed = PublicUrl::parse(text);
        assert_eq!(parsed.as_ref().ok().map(PublicUrl::as_str), expected, "{text}");
    }
}

#[test]
fn each_server_is_a_resource_of_its_own() {
    let url = PublicUrl::parse("https://hub.example.com:8443/").unwrap();
    assert_eq!(url.authority(), "hub.example.com:8443");
    assert_eq!(url.resource(""), "https://hub.example.com:8443/mcp");
    assert_eq!(url.resource("/p/work"), "https://hub.example.com:8443/p/work/mcp");
    let metadata = "https://hub.example.com:8443/.well-known/oauth-protected-resource/p/work/mcp";
    assert_eq!(url.metadata_url("/p/work"), metadata);
}
