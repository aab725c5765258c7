//! What a server may ask for: seconds and dates.

use std::time::Duration;

use http::header::{HeaderMap, HeaderValue, RETRY_AFTER};

use super::retry_after;

#[test]
fn seconds_and_dates_are_read() {
    for (value, wait) in [
        ("0", Some(Duration::ZERO)),
        (" 12 ", Some(Duration::from_secs(12))),
        ("99999999999999999999999", Some(Duration::MAX)),
        ("Wed, 21 Oct 2015 07:28:00 GMT", Some(Duration::ZERO)),
        ("soon", None),
        ("-1", None),
        ("", None),
    ] {
        let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(value))]);
        assert_eq!(retry_after(&headers), wait, "{value:?}");
    }
    let later = HeaderValue::from_static("Tue, 31 Dec 2999 23:59:59 GMT");
    let headers = HeaderMap::from_iter([(RETRY_AFTER, later)]);
    assert!(retry_after(&headers).is_some_and(|wait| Duration::from_secs(1_000_000) < wait));
    assert_eq!(retry_after(&HeaderMap::new()), None);
}
