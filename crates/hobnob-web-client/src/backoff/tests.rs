//! Waits as numbers; each case runs many times because the waits are random.

use super::*;

const MAX_WAIT: Duration = Duration::from_secs(30);

fn between(wait: Duration, min_ms: u64, max_ms: u64) {
    let range = Duration::from_millis(min_ms)..=Duration::from_millis(max_ms);
    assert!(range.contains(&wait), "{wait:?} is not in {range:?}");
}

#[test]
fn the_first_wait_is_what_the_server_asked_for() {
    for _ in 0..200 {
        for (requested, min_ms, max_ms) in [
            (None, 1000, 1050),
            (Some(500), 500, 550),
            (Some(0), 50, 50),
            (Some(30), 50, 80),
            (Some(3_600_000), 30_000, 30_050),
            (Some(u64::MAX), 30_000, 30_050),
        ] {
            let mut backoff = Backoff::new(MAX_WAIT);
            backoff.ask(requested);
            between(backoff.next(), min_ms, max_ms);
        }
    }
}

#[test]
fn fruitless_tries_wait_longer_up_to_the_bound() {
    for _ in 0..200 {
        let mut backoff = Backoff::new(MAX_WAIT);
        backoff.ask(Some(500));
        backoff.next();
        for (min_ms, max_ms) in [(500, 1000), (1000, 2000), (2000, 4000), (4000, 8000)] {
            between(backoff.next(), min_ms, max_ms);
        }
        for _ in 0..100 {
            between(backoff.next(), 500, 30_000);
        }
        // The requested wait stays when a later connection requests none.
        backoff.ask(None);
        backoff.reset();
        between(backoff.next(), 500, 550);
    }
}

#[test]
fn asking_for_no_wait_does_not_make_a_storm() {
    let mut backoff = Backoff::new(MAX_WAIT);
    backoff.ask(Some(0));
    let total: Duration = (0..10).map(|_| backoff.next()).sum();
    assert!(total >= Duration::from_secs(5), "{total:?}");
}
