//! The waits between tries, and what a server may ask for.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};

use super::{pause, retry_after};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn waits_grow_and_end() {
    let waits: Vec<_> = (0..5).map(|retries| pause(retries, None)).collect();
    assert_eq!(waits, [Some(SECOND / 2), Some(SECOND), Some(2 * SECOND), None, None]);
}

#[test]
fn the_wait_that_a_server_asks_for_has_bounds() {
    for (asked, wait) in [
        (Duration::ZERO, Some(Duration::ZERO)),
        (7 * SECOND, Some(7 * SECOND)),
        (30 * SECOND, Some(30 * SECOND)),
        (31 * SECOND, None),
        (Duration::MAX, None),
    ] {
        assert_eq!(pause(0, Some(asked)), wait, "{asked:?}");
    }
    assert_eq!(pause(3, Some(SECOND)), None);
}

#[test]
fn seconds_and_dates_are_read() {
    for (value, wait) in [
        ("0", Some(Duration::ZERO)),
        (" 12 ", Some(12 * SECOND)),
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
    assert!(retry_after(&headers).is_some_and(|wait| 1_000_000 * SECOND < wait));
    assert_eq!(retry_after(&HeaderMap::new()), None);
}
