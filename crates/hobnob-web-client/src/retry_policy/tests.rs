//! The waits between tries.

use std::time::Duration;

use super::RetryPolicy;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn waits_double_up_to_a_bound_and_chance_takes_up_to_half() {
    let policy = RetryPolicy { retries: 8, longest: 20 * SECOND, ..RetryPolicy::default() };
    let waits = |chance| (0..10).map_while(|retry| policy.pause(retry, None, chance)).collect();
    let longest: Vec<_> = waits(1.0);
    assert_eq!(longest, [1, 2, 4, 8, 16, 20, 20, 20].map(Duration::from_secs));
    let shortest: Vec<_> = waits(0.0);
    assert_eq!(shortest, longest.iter().map(|wait| *wait / 2).collect::<Vec<_>>());
    for chance in [-1.0, f64::NAN, 0.3, 7.0] {
        let within =
            |(wait, longest): (Duration, &Duration)| *longest / 2 <= wait && wait <= *longest;
        let waits: Vec<_> = waits(if chance.is_nan() { 0.5 } else { chance });
        assert!(waits.into_iter().zip(&longest).all(within), "{chance}");
    }
}

#[test]
fn what_the_server_asks_for_is_kept_within_bounds() {
    let policy = RetryPolicy::default();
    for (retries, asked, wait) in [
        (0, Duration::ZERO, Some(Duration::ZERO)),
        (2, 7 * SECOND, Some(7 * SECOND)),
        (0, 60 * SECOND, Some(60 * SECOND)),
        (0, 61 * SECOND, None),
        (0, Duration::MAX, None),
        (3, SECOND, None),
    ] {
        assert_eq!(policy.pause(retries, Some(asked), 1.0), wait, "{retries} {asked:?}");
    }
    let never = RetryPolicy { retries: 0, ..policy };
    assert_eq!(never.pause(0, None, 0.0), None);
    assert_eq!(policy.pause(u32::MAX, None, 0.0), None);
}
