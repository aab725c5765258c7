//! A sleep that counts only spare time: time in which no task of the machine waited for a processor.
//!
//! Limits on the start of a server count in it: a program that waits for a processor is slow, one that
//! does nothing although it could is stuck. Linux reports the waits in `/proc/pressure/cpu`, which is
//! read twice a second; on other systems, all time is spare.

use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often the system's CPU pressure is sampled.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(500);

/// The shortest sleep between two samples.
const MIN_SLEEP: Duration = Duration::from_millis(20);

/// On a busy machine, a wait ends after this many times the requested time.
const MAX_FACTOR: u32 = 6;

/// The longest real time that this much spare time can take.
pub(crate) fn max_real_time(spare: Duration) -> Duration {
    spare.saturating_mul(MAX_FACTOR)
}

/// Sleeps until the machine has had spare processors for this long.
pub(crate) async fn spare_time(wanted: Duration) {
    sleep_spare(wanted, waited_for_processors).await;
}

/// The same with a measurement that the caller passes in.
async fn sleep_spare(wanted: Duration, waited: impl Fn() -> Option<Duration>) {
    let begun = Instant::now();
    let mut spare = Duration::ZERO;
    while spare < wanted && begun.elapsed() < max_real_time(wanted) {
        let (since, before) = (Instant::now(), waited());
        sleep((wanted - spare).clamp(MIN_SLEEP, SAMPLE_INTERVAL)).await;
        let busy = waited().zip(before).map(|(now, before)| now.saturating_sub(before));
        spare += since.elapsed().saturating_sub(busy.unwrap_or_default());
    }
}

/// How long some task has waited for a processor since the system started, if the system says so.
fn waited_for_processors() -> Option<Duration> {
    parse(&std::fs::read_to_string("/proc/pressure/cpu").ok()?)
}

fn parse(pressure: &str) -> Option<Duration> {
    let some = pressure.lines().find_map(|line| line.strip_prefix("some "))?;
    let total = some.split(' ').find_map(|part| part.strip_prefix("total="))?;
    total.parse().ok().map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use super::{max_real_time, parse, sleep_spare};
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn pressure_is_read_as_linux_writes_it() {
        let text = "some avg10=9.57 avg60=4.59 avg300=13.85 total=31553547735\n\
                    full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n";
        assert_eq!(parse(text), Some(Duration::from_micros(31_553_547_735)));
        for other in ["", "full avg10=0.00 total=1", "some avg10=0.00", "some total=x"] {
            assert_eq!(parse(other), None, "{other:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_time_with_processors_to_spare_counts() {
        let wanted = Duration::from_secs(5);
        // How much of each second tasks wait for a processor, and how long 5 s take then.
        for (busy, expected) in [(None, 5), (Some(0.0), 5), (Some(0.5), 10), (Some(0.75), 20)] {
            let begun = Instant::now();
            sleep_spare(wanted, || Some(begun.elapsed().mul_f64(busy?))).await;
            let took = begun.elapsed().as_secs_f64();
            assert!((took - f64::from(expected)).abs() < 0.2, "{busy:?}: {took} s");
        }
        // Even on a machine without any spare time, a stuck program is given up.
        let begun = Instant::now();
        sleep_spare(wanted, || Some(begun.elapsed())).await;
        assert!(begun.elapsed() <= max_real_time(wanted) + Duration::from_secs(1));
    }
}
