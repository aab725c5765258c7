//! Who may send how much, with the clock in hand.

use super::{REMEMBERED, RequestRates};
use hobnob_mcp_engine::Principal;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

#[test]
fn a_minutes_requests_may_come_at_once_and_no_more() {
    let rates = RequestRates::new(NonZeroUsize::new(60).unwrap());
    let (ann, bob, start) = (Principal::named("ann"), Principal::named("bob"), Instant::now());
    let at = |seconds| start + Duration::from_secs(seconds);
    assert!((0..60).all(|_| rates.count(&ann, start).is_ok()));
    assert_eq!(rates.count(&ann, start), Err(Duration::from_secs(1)));
    assert_eq!(rates.count(&bob, start), Ok(()), "what others send does not count");
    assert_eq!(rates.count(&ann, at(1)), Ok(()));
    assert!(rates.count(&ann, at(1)).is_err());
    // However long somebody is quiet, they have no more than a minute's.
    assert!((0..60).all(|_| rates.count(&ann, at(4_000)).is_ok()));
    assert!(rates.count(&ann, at(4_000)).is_err());
}

#[test]
fn those_who_are_quiet_are_forgotten() {
    let rates = RequestRates::new(NonZeroUsize::new(60).unwrap());
    let start = Instant::now();
    let name = |number: usize| Principal::named(&number.to_string());
    for number in 0..3 * REMEMBERED {
        let now = start + Duration::from_secs(number as u64);
        assert_eq!(rates.count(&name(number), now), Ok(()));
    }
    let remembered = rates.left.lock().unwrap().by_principal.len();
    assert!(remembered <= 2 * REMEMBERED, "{remembered}");
}
