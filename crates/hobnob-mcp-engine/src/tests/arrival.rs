//! The order of arrivals, including those taken on several threads.

use crate::Arrival;
use std::time::{SystemTime, UNIX_EPOCH};

#[test]
fn each_arrival_is_later_than_those_before_it() {
    let take_arrivals = || (0..1_000).map(|_| Arrival::next()).collect::<Vec<_>>();
    let mut all: Vec<Arrival> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(take_arrivals)).collect();
        let of_each = threads.into_iter().map(|thread| thread.join().unwrap());
        of_each.inspect(|of_one| assert!(of_one.is_sorted())).flatten().collect()
    });
    all.sort_unstable();
    assert!(all.is_sorted_by(|one, next| one < next), "no two are the same");
}

#[test]
fn an_arrival_is_a_time() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros();
    let arrival = u128::from(Arrival::next().micros());
    assert!((now..now + 3_600_000_000).contains(&arrival), "{arrival} is not soon after {now}");
}
