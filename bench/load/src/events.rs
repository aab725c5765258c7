//! Events of the native RPC to one WebSocket reader, in long streams or one per stream. A missing
//! or repeated event fails the run.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};

use crate::event_reader::{EventMessage, EventReader, start};
use crate::options::{Limit, Options};
use crate::report::{Report, micros, quantile};

/// Events per stream if the run is limited by time.
const STREAM_EVENTS: usize = 20_000;

pub(crate) async fn measure(options: &Options) -> anyhow::Result<Report> {
    let (server, mut reader) = start(&options.command).await?;
    run(&mut reader, options, options.warmup()?).await.context("warm-up")?;
    let before = server.usage()?;
    let begin = Instant::now();
    let mut counted = run(&mut reader, options, options.limit()?).await?;
    let elapsed = begin.elapsed();
    let after = server.usage()?;
    server.end().await;
    counted.arrivals.sort_unstable();
    let each = counted.events.max(1) as f64;
    let elapsed = elapsed.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut report = Report::from([
        ("events_per_second", each / elapsed),
        ("cpu_us_per_event", micros(after.cpu.saturating_sub(before.cpu)) / each),
        ("rss_kib", after.rss_kib as f64),
    ]);
    if options.single {
        report.insert("arrival_p50_us", micros(quantile(&counted.arrivals, 50)));
        report.insert("arrival_p99_us", micros(quantile(&counted.arrivals, 99)));
    }
    Ok(report)
}

#[derive(Default)]
struct Counted {
    events: usize,
    arrivals: Vec<Duration>,
}

/// Reads one stream after the other, until the limit.
async fn run(reader: &mut EventReader, options: &Options, limit: Limit) -> anyhow::Result<Counted> {
    let mut counted = Counted::default();
    let begin = Instant::now();
    while limit.allows(counted.events, begin.elapsed()) {
        if options.single {
            counted.arrivals.push(single(reader).await?);
            counted.events += 1;
            continue;
        }
        let count = match limit {
            Limit::Time(_) => STREAM_EVENTS,
            Limit::Calls(calls) => calls - counted.events,
        };
        stream(reader, count, options.payload).await?;
        counted.events += count;
    }
    Ok(counted)
}

/// Reads a stream of `count` events. Parsing each would measure the parser: it parses the first and
/// the last. All others may differ only in their number, and so hardly in their length.
async fn stream(reader: &mut EventReader, count: usize, bytes: usize) -> anyhow::Result<()> {
    reader.ask("stream.events", &format!(r#"{{"count":{count},"bytes":{bytes}}}"#)).await?;
    reader.subscribed().await?;
    let mut shortest = 0;
    for number in 1..=count {
        let text = reader.next().await?;
        if number == 1 || number == count {
            let message: EventMessage<'_> = serde_json::from_str(&text)?;
            ensure!(message.params.sequence == number, "event {number} is missing: {text}");
            ensure!(message.params.result.kind == "content", "no event: {text}");
        }
        shortest = if number == 1 { text.len() } else { shortest };
        ensure!(text.len() - shortest <= 8, "another message: {text}");
    }
    complete(reader).await
}

/// Reads a stream of one event; returns how long ago the event was emitted.
async fn single(reader: &mut EventReader) -> anyhow::Result<Duration> {
    reader.ask("stream.now", "{}").await?;
    reader.subscribed().await?;
    let text = reader.next().await?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let message: EventMessage<'_> = serde_json::from_str(&text)?;
    let emitted = message.params.result.nanoseconds.context("no time in the event")?;
    complete(reader).await?;
    Ok(now.saturating_sub(Duration::from_nanos(emitted)))
}

async fn complete(reader: &mut EventReader) -> anyhow::Result<()> {
    let text = reader.next().await?;
    let message: EventMessage<'_> = serde_json::from_str(&text)?;
    ensure!(message.params.result.kind == "complete", "the stream goes on: {text}");
    Ok(())
}
