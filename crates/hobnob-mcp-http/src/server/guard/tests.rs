//! The Host and Origin matrix as data: each row is a request head and its verdict.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};

use super::*;

const PORT: u16 = 8080;

fn verdict(
    uri: &str,
    hosts: &[&[u8]],
    origins: &[&[u8]],
    policy: &OriginPolicy,
) -> Option<Refusal> {
    let mut headers = HeaderMap::new();
    let rows: [(HeaderName, &[&[u8]]); 2] = [(HOST, hosts), (ORIGIN, origins)];
    for (name, values) in rows {
        for value in values {
            headers.append(&name, HeaderValue::from_bytes(value).unwrap());
        }
    }
    check(&headers, &uri.parse::<Uri>().unwrap(), policy).err()
}

#[test]
fn host_must_name_this_machine() {
    let policy = OriginPolicy::loopback(PORT);
    let cases: &[(&str, Option<Refusal>)] = &[
        ("localhost", None),
        ("LocalHost:8080", None),
        ("127.0.0.1", None),
        ("127.0.0.1:8080", None),
        ("127.9.8.7:8080", None),
        ("[::1]", None),
        ("[::1]:8080", None),
        ("", Some(Refusal::HostForeign)),
        ("evil.com", Some(Refusal::HostForeign)),
        ("evil.com:8080", Some(Refusal::HostForeign)),
        ("localhost.evil.com", Some(Refusal::HostForeign)),
        ("127.0.0.1.nip.io", Some(Refusal::HostForeign)),
        ("notlocalhost", Some(Refusal::HostForeign)),
        ("localhost.", Some(Refusal::HostForeign)),
        ("127.0.0.1.", Some(Refusal::HostForeign)),
        ("localhost:8081", Some(Refusal::HostForeign)),
        ("localhost:", Some(Refusal::HostForeign)),
        ("localhost:+8080", Some(Refusal::HostForeign)),
        ("localhost:8080:8080", Some(Refusal::HostForeign)),
        ("localhost:88080", Some(Refusal::HostForeign)),
        ("localhost@evil.com", Some(Refusal::HostForeign)),
        ("evil.com@localhost", Some(Refusal::HostForeign)),
        ("localhost:8080@evil.com", Some(Refusal::HostForeign)),
        ("localhost/evil", Some(Refusal::HostForeign)),
        ("localhost evil.com", Some(Refusal::HostForeign)),
        ("localhost,evil.com", Some(Refusal::HostForeign)),
        ("127.1", Some(Refusal::HostForeign)),
        ("0x7f.0.0.1", Some(Refusal::HostForeign)),
        ("0177.0.0.1", Some(Refusal::HostForeign)),
        ("2130706433", Some(Refusal::HostForeign)),
        ("0.0.0.0:8080", Some(Refusal::HostForeign)),
        ("128.0.0.1:8080", Some(Refusal::HostForeign)),
        ("::1", Some(Refusal::HostForeign)),
        ("[::1", Some(Refusal::HostForeign)),
        ("[::1]8080", Some(Refusal::HostForeign)),
        ("[::1].evil.com", Some(Refusal::HostForeign)),
        ("[::1%25lo]:8080", Some(Refusal::HostForeign)),
        ("[::ffff:127.0.0.1]:8080", Some(Refusal::HostForeign)),
        ("[::2]:8080", Some(Refusal::HostForeign)),
    ];
    for (host, expected) in cases {
        let found = verdict("/mcp", &[host.as_bytes()], &[], &policy);
        assert_eq!(found, *expected, "Host: {host}");
    }
}

#[test]
fn origin_must_be_a_loopback_page() {
    let policy = OriginPolicy::loopback(PORT);
    let foreign = Some(Refusal::OriginForeign);
    let cases: &[(&str, Option<Refusal>)] = &[
        ("http://localhost", None),
        ("http://localhost:8080", None),
        ("http://localhost:3000", None),
        ("https://127.0.0.1:5173", None),
        ("http://[::1]:6274", None),
        ("", foreign),
        ("null", foreign),
        ("localhost", foreign),
        ("localhost:8080", foreign),
        ("http://evil.com", foreign),
        ("http://localhost.evil.com", foreign),
        ("http://127.0.0.1.nip.io:8080", foreign),
        ("http://localhost@evil.com", foreign),
        ("http://user@localhost", foreign),
        ("http://localhost.", foreign),
        ("http://localhost/", foreign),
        ("http://localhost:8080/mcp", foreign),
        ("http://localhost:x", foreign),
        ("http:/localhost", foreign),
        ("ftp://localhost", foreign),
        ("file://", foreign),
        ("chrome-extension://localhost", foreign),
        ("http://localhost http://evil.com", foreign),
        ("http://localhost, http://evil.com", foreign),
        ("http://http://localhost", foreign),
    ];
    for (origin, expected) in cases {
        let found = verdict("/mcp", &[b"localhost:8080"], &[origin.as_bytes()], &policy);
        assert_eq!(found, *expected, "Origin: {origin}");
    }
}

#[test]
fn each_header_counts_once_and_must_be_readable() {
    type Case = (&'static str, &'static [&'static [u8]], &'static [&'static [u8]], Option<Refusal>);
    let policy = OriginPolicy::loopback(PORT);
    let cases: &[Case] = &[
        ("/mcp", &[], &[], Some(Refusal::HostMissing)),
        ("/mcp", &[b"localhost", b"localhost"], &[], Some(Refusal::HostRepeated)),
        ("/mcp", &[b"localhost", b"evil.com"], &[], Some(Refusal::HostRepeated)),
        ("/mcp", &[b"localh\xf6st"], &[], Some(Refusal::HostForeign)),
        ("/mcp", &[b"localhost"], &[b"http://localh\xf6st"], Some(Refusal::OriginForeign)),
        (
            "/mcp",
            &[b"localhost"],
            &[b"http://localhost", b"http://localhost"],
            Some(Refusal::OriginRepeated),
        ),
        // A page may rebind its own name: no Origin on a GET, but its Host stays foreign.
        ("/mcp", &[b"evil.com"], &[], Some(Refusal::HostForeign)),
        ("/mcp", &[b"evil.com"], &[b"http://localhost"], Some(Refusal::HostForeign)),
        ("http://localhost:8080/mcp", &[b"localhost:8080"], &[], None),
        ("http://evil.com/mcp", &[b"localhost:8080"], &[], Some(Refusal::HostForeign)),
        ("http://localhost@evil.com/mcp", &[b"localhost"], &[], Some(Refusal::HostForeign)),
    ];
    for (uri, hosts, origins, expected) in cases {
        assert_eq!(verdict(uri, hosts, origins, &policy), *expected, "{uri} {hosts:?} {origins:?}");
    }
}

#[test]
fn configured_names_are_let_in_exactly() {
    let policy = OriginPolicy::loopback(PORT)
        .allow_host("mcp.example.com")
        .allow_host("other.example.com:9000")
        .allow_origin("https://app.example.com");
    let cases: &[(&str, &str, Option<Refusal>)] = &[
        ("mcp.example.com", "https://app.example.com", None),
        ("MCP.example.com", "https://mcp.example.com", None),
        ("other.example.com:9000", "http://other.example.com:9000", None),
        ("other.example.com", "https://app.example.com", Some(Refusal::HostForeign)),
        ("mcp.example.com:9000", "https://app.example.com", Some(Refusal::HostForeign)),
        ("mcp.example.com.", "https://app.example.com", Some(Refusal::HostForeign)),
        ("a.mcp.example.com", "https://app.example.com", Some(Refusal::HostForeign)),
        ("localhost", "http://app.example.com", Some(Refusal::OriginForeign)),
        ("localhost", "https://app.example.com:444", Some(Refusal::OriginForeign)),
        ("localhost", "https://app.example.com.evil.com", Some(Refusal::OriginForeign)),
    ];
    for (host, origin, expected) in cases {
        let found = verdict("/mcp", &[host.as_bytes()], &[origin.as_bytes()], &policy);
        assert_eq!(found, *expected, "Host: {host}, Origin: {origin}");
    }
}

#[test]
fn every_refusal_is_a_forbidden_error_without_id() {
    use Refusal::{HostForeign, HostMissing, HostRepeated, OriginForeign, OriginRepeated};
    for refusal in [HostForeign, HostMissing, HostRepeated, OriginForeign, OriginRepeated] {
        let response = refusal.response();
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        assert_eq!(response.headers()["content-type"], "application/json");
        let ReplyBody::Full(Some(body)) = response.into_body() else {
            panic!("{refusal:?} has no body");
        };
        let text = std::str::from_utf8(&body).unwrap();
        assert!(
            text.starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":""#),
            "{text}"
        );
        assert!(text.ends_with(r#""}}"#) && !text.contains(r#""id""#), "{text}");
    }
}

#[test]
fn only_loopback_is_bound_without_a_word_from_the_operator() {
    let cases = [
        ("127.0.0.1:80", true),
        ("127.8.0.1:80", true),
        ("[::1]:80", true),
        ("[::ffff:127.0.0.1]:80", true),
        ("0.0.0.0:80", false),
        ("[::]:80", false),
        ("192.168.0.7:80", false),
        ("[::ffff:10.0.0.1]:80", false),
    ];
    for (address, loopback) in cases {
        let address: SocketAddr = address.parse().unwrap();
        let refused = Err(BindRefused(address));
        let expected = if loopback { Ok(()) } else { refused };
        assert_eq!(check_bind(address, Exposure::LoopbackOnly), expected);
        assert_eq!(check_bind(address, Exposure::UnsafeNoAuth), Ok(()));
    }
}

#[test]
fn a_name_from_the_settings_or_a_proxy_is_not_this_machine() {
    let policy =
        OriginPolicy::loopback(PORT).allow_host("hub.example").allow_origin("https://page.example");
    let cases: &[(&[(&str, &str)], NamedPlace)] = &[
        (&[("host", "localhost:8080")], NamedPlace::ThisMachine),
        (&[("host", "[::1]"), ("origin", "http://localhost:5173")], NamedPlace::ThisMachine),
        (&[("host", "hub.example")], NamedPlace::Elsewhere),
        (&[("host", "localhost"), ("origin", "https://page.example")], NamedPlace::Elsewhere),
        (&[("host", "localhost"), ("origin", "https://hub.example")], NamedPlace::Elsewhere),
        (&[("host", "localhost"), ("x-forwarded-for", "192.0.2.1")], NamedPlace::Elsewhere),
        (&[("host", "localhost"), ("forwarded", "for=192.0.2.1")], NamedPlace::Elsewhere),
    ];
    for (rows, place) in cases {
        let rows = rows
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let headers: HeaderMap = rows.collect();
        assert_eq!(check(&headers, &Uri::from_static("/mcp"), &policy), Ok(*place), "{headers:?}");
    }
    let headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("localhost"))]);
    let target = Uri::from_static("http://hub.example/mcp");
    assert_eq!(check(&headers, &target, &policy), Ok(NamedPlace::Elsewhere));
}
