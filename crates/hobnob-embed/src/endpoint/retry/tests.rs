//! The waits between tries, and what a server may ask for.

use std::time::Duration;

use super::pause;

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
