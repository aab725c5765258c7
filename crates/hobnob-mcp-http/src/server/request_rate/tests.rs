//! Token buckets of principals, with times chosen by the test.

use super::{MIN_PRUNE_SIZE, RateExceeded, RequestRates};
use crate::server::limits::HttpLimits;
use hobnob_mcp_engine::Principal;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

fn rates(requests: usize, bytes: usize) -> RequestRates {
    let limits = HttpLimits {
        requests_per_minute: NonZeroUsize::new(requests),
        bytes_per_minute: NonZeroUsize::new(bytes),
        ..HttpLimits::default()
    };
    RequestRates::new(&limits).unwrap()
}

#[test]
fn a_minutes_requests_may_come_at_once_and_no_more() {
    let rates = rates(60, 0);
    let (ann, bob, start) = (Principal::named("ann"), Principal::named("bob"), Instant::now());
    let at = |seconds| start + Duration::from_secs(seconds);
    assert!((0..60).all(|_| rates.count(&ann, 1 << 40, start).is_ok()));
    let wait = RateExceeded::Requests(Duration::from_secs(1));
    assert_eq!(rates.count(&ann, 0, start), Err(wait));
    assert_eq!(rates.count(&bob, 0, start), Ok(()), "what others send does not count");
    assert_eq!(rates.count(&ann, 0, at(1)), Ok(()));
    assert!(rates.count(&ann, 0, at(1)).is_err());
    // Even after a long silence, a principal has no more than one minute's allowance.
    assert!((0..60).all(|_| rates.count(&ann, 0, at(4_000)).is_ok()));
    assert!(rates.count(&ann, 0, at(4_000)).is_err());
}

#[test]
fn bytes_are_counted_before_or_after_they_came() {
    let rates = rates(0, 6_000);
    let (ann, bob, start) = (Principal::named("ann"), Principal::named("bob"), Instant::now());
    let at = |seconds| start + Duration::from_secs(seconds);
    assert_eq!(rates.count(&ann, 5_000, start), Ok(()));
    // The size of this body was not announced.
    assert_eq!(rates.count(&ann, 0, start), Ok(()));
    rates.add_bytes(&ann, 3_000);
    rates.add_bytes(&Principal::named("nobody"), 3_000);
    assert_eq!(rates.count(&bob, 6_000, start), Ok(()), "what others send does not count");
    let Err(RateExceeded::Bytes(wait)) = rates.count(&ann, 0, start) else {
        panic!("2,000 bytes too many")
    };
    assert!((wait.as_secs_f64() - 20.01).abs() < 0.001, "{wait:?}");
    assert!(rates.count(&ann, 0, at(20)).is_err());
    assert_eq!(rates.count(&ann, 0, at(21)), Ok(()));
}

#[test]
fn without_limits_nothing_is_counted() {
    assert!(RequestRates::new(&HttpLimits::default()).is_none());
}

#[test]
fn those_who_are_quiet_are_forgotten() {
    for rates in [rates(60, 0), rates(60, 1 << 20)] {
        let start = Instant::now();
        let name = |number: usize| Principal::named(&number.to_string());
        for number in 0..3 * MIN_PRUNE_SIZE {
            let now = start + Duration::from_secs(number as u64);
            assert_eq!(rates.count(&name(number), 1_000, now), Ok(()));
        }
        let remembered = rates.left.lock().by_principal.len();
        assert!(remembered <= 2 * MIN_PRUNE_SIZE, "{remembered}");
    }
}
