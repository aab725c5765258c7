//! Checks that text survives the encoding as an HTTP header value, and that the HTTP server's guard
//! admits only names of this machine.
#![expect(clippy::expect_used, reason = "what is encoded must be a header value")]

use hobnob_mcp_http::guard::{self, OriginPolicy};
use hobnob_mcp_http::header_value::{decode, encode};
use http::header::{HOST, ORIGIN};
use http::{HeaderMap, HeaderValue, Uri};

const PORT: u16 = 8080;

/// Tests the input as a header value, as text to encode into one, and as a host name.
pub fn headers(data: &[u8]) {
    values(data);
    let text = String::from_utf8_lossy(data);
    round_trip(&text);
    names(&text);
    foreign_names(&text);
}

fn values(data: &[u8]) {
    let Ok(text) = decode(data) else { return };
    let plain = !(data.starts_with(b"=?base64?") && data.ends_with(b"?="));
    assert!(!plain || text.as_bytes() == data, "a plain value stands for itself");
    round_trip(&text);
}

fn round_trip(text: &str) {
    let value = encode(text);
    assert_eq!(decode(value.as_bytes()).as_deref(), Ok(text));
    // HTTP strips the white space around a value, and only visible ASCII may travel.
    assert_eq!(value.trim(), value);
    HeaderValue::from_str(&value).expect("an encoded value is a header value");
}

/// Every name that the guard admits is a name of this machine, according to a second parser.
fn names(text: &str) {
    let local = is_local(text);
    if admits(Some(text), None, "/mcp") {
        assert!(local.is_some_and(|port| port.is_none_or(|port| port == u64::from(PORT))));
    }
    if admits(Some("localhost"), Some(text), "/mcp") {
        let page = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        assert!(page.and_then(is_local).is_some());
    }
}

/// The guard admits no name that contains a foreign one, in any context.
fn foreign_names(text: &str) {
    const EVIL: [&str; 5] = ["evil.example", "10.0.0.1", "[::2]", "0x7f.1", "localhost.evil"];
    let evil = EVIL[text.len() % EVIL.len()];
    let middle = text.floor_char_boundary(text.len() / 2);
    let (before, after) = text.split_at(middle);
    for name in [
        format!("{before}{evil}{after}"),
        format!("{evil}{text}"),
        format!("{text}{evil}"),
        format!("localhost{text}{evil}"),
        format!("127.0.0.1{text}@{evil}"),
    ] {
        assert!(!admits(Some(&name), None, "/mcp"), "Host: {name}");
        let origin = format!("http://{name}");
        assert!(!admits(Some("localhost"), Some(&origin), "/mcp"), "Origin: {origin}");
        let target = format!("http://{name}/mcp");
        // A slash in the text may end the name before the foreign one begins.
        let uri = target.parse::<Uri>().ok();
        let asked = uri.as_ref().and_then(Uri::authority).map_or("", |name| name.as_str());
        assert!(!asked.contains(evil) || !admits(Some("localhost"), None, &target), "{target}");
    }
}

fn admits(host: Option<&str>, origin: Option<&str>, target: &str) -> bool {
    let mut headers = HeaderMap::new();
    for (name, value) in [(HOST, host), (ORIGIN, origin)] {
        let Some(value) = value else { continue };
        let Ok(value) = HeaderValue::from_str(value) else { return false };
        headers.insert(name, value);
    }
    let Ok(target) = target.parse::<Uri>() else { return false };
    guard::check(&headers, &target, &OriginPolicy::loopback(PORT)).is_ok()
}

/// The port of an authority that names this machine, parsed part by part.
fn is_local(authority: &str) -> Option<Option<u64>> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if digits(port) => (name, Some(port.parse().ok()?)),
        _ => (authority, None),
    };
    let parts: Vec<&str> = name.split('.').collect();
    let octet = |part: &&str| {
        digits(part) && (*part == "0" || !part.starts_with('0')) && part.parse::<u8>().is_ok()
    };
    let address = parts.len() == 4 && parts[0] == "127" && parts.iter().all(octet);
    let named = name.eq_ignore_ascii_case("localhost") || name == "[::1]";
    (address || named).then_some(port)
}
