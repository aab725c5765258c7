//! Headers as data.

use http::header::RETRY_AFTER;

use super::*;

fn headers(pairs: &[(http::HeaderName, &str)]) -> HeaderMap {
    let pair = |(name, value): &(http::HeaderName, &str)| {
        (name.clone(), HeaderValue::from_str(value).unwrap())
    };
    pairs.iter().map(pair).collect()
}

#[test]
fn content_types_are_read_as_http_writes_them() {
    for (value, expected) in [
        ("application/json", Content::Json),
        ("Application/JSON; charset=utf-8", Content::Json),
        (" application/json ;x", Content::Json),
        ("application/problem+json", Content::Json),
        ("text/event-stream", Content::Events),
        ("text/event-stream;charset=UTF-8", Content::Events),
        ("text/html", Content::Other),
        ("application/jsonx", Content::Other),
        ("", Content::Other),
    ] {
        assert_eq!(Content::of(&headers(&[(CONTENT_TYPE, value)])), expected, "{value:?}");
    }
    assert_eq!(Content::of(&HeaderMap::new()), Content::Other);
}

#[test]
fn retry_after_has_a_bound() {
    let of = |value: &str| bounded_retry_after(&headers(&[(RETRY_AFTER, value)]));
    for (value, expected) in [
        ("0", Some(Duration::ZERO)),
        ("120", Some(Duration::from_secs(120))),
        ("99999999999999999999999", Some(MAX_RETRY_AFTER)),
        ("Thu, 06 Nov 2194 08:49:37 GMT", Some(MAX_RETRY_AFTER)),
        ("soon", None),
    ] {
        assert_eq!(of(value), expected, "{value:?}");
    }
    assert_eq!(bounded_retry_after(&HeaderMap::new()), None);
}

#[test]
fn bodies_are_shown_in_one_clean_line() {
    let mut secret = HeaderMap::new();
    secret.insert("x-key", HeaderValue::from_static("canary-key"));
    let target = HttpTarget::new("http://localhost/", secret).unwrap();
    let long = "é".repeat(5000);
    for (body, expected) in [
        ("no\r\nkey \u{1b}[31m", "no  key  [31m".to_owned()),
        ("you sent canary-key", "you sent [redacted]".to_owned()),
        ("", String::new()),
        (&*long, "é".repeat(MAX_SHOWN)),
    ] {
        assert_eq!(&*shown(body.as_bytes(), &target), expected);
    }
    assert_eq!(&*shown(b"\xff", &target), "\u{fffd}");
}
