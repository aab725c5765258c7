//! What is measured of streams: events to one reader beside a bare loop, and to many readers.

use super::columns::ARRIVAL;
use super::effort::Effort;
use super::job::{Job, Transport, Work, column_at_most, times_raw, words};
use super::kind::Kind;

/// Bytes of text in an event, and what that is called.
const SIZES: [(usize, &str); 2] = [(64, "64 B"), (1024, "1 KiB")];
/// Microseconds from emitting an event to its arrival.
const ARRIVAL_LIMIT: f64 = 1_000.0;
/// Events that are counted, and so many times as many.
const EVENTS: usize = 5_000;

pub(super) fn events(effort: &Effort) -> Vec<Job> {
    let Effort { seconds, warmup, subscriptions_seconds, .. } = effort;
    let job = |case: &str, arguments: String, targets| Job {
        kind: Kind::Streams,
        case: case.to_owned(),
        transport: Transport::Streams,
        work: Work::Report(words(&arguments)),
        targets,
        other: None,
    };
    let time = format!("--seconds {seconds} --warmup {warmup}");
    let mut jobs: Vec<Job> = SIZES
        .map(|(bytes, size)| job(size, format!("events --payload {bytes} {time}"), Vec::new()))
        .into();
    let arrival = vec![column_at_most(ARRIVAL, ARRIVAL_LIMIT)];
    jobs.push(job("one at a time", format!("events --single {time}"), arrival));
    jobs.push(Job {
        transport: Transport::StreamsOfOurs,
        ..job(
            "1,000 at 100 a second, of which 100 are not read",
            format!("subscriptions --seconds {subscriptions_seconds}"),
            Vec::new(),
        )
    });
    jobs
}

/// What an event costs in instructions, counted with few and with many.
pub(super) fn instructions(effort: &Effort) -> Vec<Job> {
    let few = EVENTS.max(effort.few_small_calls);
    SIZES
        .map(|(bytes, size)| Job {
            kind: Kind::StreamsInstructions,
            case: size.to_owned(),
            transport: Transport::Streams,
            work: Work::Instructions {
                arguments: words(&format!("events --payload {bytes}")),
                few,
                many: 6 * few,
            },
            targets: times_raw(2.0),
            other: None,
        })
        .into()
}
