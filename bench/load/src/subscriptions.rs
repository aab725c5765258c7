//! Many subscriptions of the native RPC at a steady rate, with readers among them that do not read.
//! Whoever reads must get every event, and whoever does not must be slowed down or cut off.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::crowd::together;
use crate::event_reader::{EventMessage, EventReader, start};
use crate::options::SubscriptionsOptions;
use crate::report::{Events, Report, micros};
use crate::server::Server;

/// Bytes of text in the events of those who do not read, so that no buffer of the system hides it.
const SLOW_PAYLOAD: usize = 8 << 10;
/// How often the memory of the server is looked at.
const LOOK: Duration = Duration::from_millis(250);

pub(crate) async fn measure(options: &SubscriptionsOptions) -> anyhow::Result<Report> {
    let (server, first) = start(&options.command).await?;
    let address = first.address;
    let mut readers = vec![first];
    while readers.len() < options.connections {
        readers.push(EventReader::connect(address).await?);
    }
    let slow = readers.split_off(readers.len() - options.slow.min(readers.len()));
    let rest = server.usage()?;
    let count = (f64::from(options.rate) * options.seconds).ceil() as usize;
    let ask = |bytes: usize| {
        let rate = options.rate;
        format!(r#"{{"count":{count},"bytes":{bytes},"per_second":{rate}}}"#)
    };
    let mut idle = Vec::new();
    for mut reader in slow {
        for _ in 0..options.each {
            reader.ask("stream.events", &ask(SLOW_PAYLOAD)).await?;
        }
        idle.push(reader);
    }
    let begin = Instant::now();
    let each = options.each;
    let reading = readers.into_iter().map(|reader| {
        let params = ask(options.payload);
        async move { Ok((read_all(reader, &params, each, count).await?, Vec::<()>::new())) }
    });
    let (most, read) = tokio::join!(memory_until(&server, begin, options), together(reading));
    let (read, elapsed) = (read?.0, begin.elapsed());
    let used = server.usage()?;
    // Those who did not read do now, and learn how it ended.
    let ends = together(idle.into_iter().map(|mut reader| async move {
        Ok((ends_of(&mut reader, each).await?, Vec::<()>::new()))
    }));
    let (ends, _) = ends.await?;
    server.end().await;
    let events: usize = read.iter().sum();
    Ok(Report::Events(Events {
        events,
        events_per_second: events as f64 / elapsed.as_secs_f64(),
        cpu_us_per_event: micros(used.cpu.saturating_sub(rest.cpu)) / events.max(1) as f64,
        rss_kib: most?,
        rss_before_kib: Some(rest.rss_kib),
        slowed: Some(ends.iter().map(|ends| ends.complete).sum()),
        cut: Some(ends.iter().map(|ends| ends.cut).sum()),
        ..Events::default()
    }))
}

/// The most memory that the server has until all should have been read.
async fn memory_until(
    server: &Server,
    begin: Instant,
    options: &SubscriptionsOptions,
) -> anyhow::Result<u64> {
    let mut most = 0;
    while begin.elapsed().as_secs_f64() < options.seconds {
        tokio::time::sleep(LOOK).await;
        most = most.max(server.usage()?.rss_kib);
    }
    Ok(most)
}

/// Subscribes and reads everything; how many events came.
async fn read_all(
    mut reader: EventReader,
    params: &str,
    each: usize,
    count: usize,
) -> anyhow::Result<usize> {
    for _ in 0..each {
        reader.ask("stream.events", params).await?;
    }
    let mut last: HashMap<usize, usize> = HashMap::new();
    let (mut open, mut events) = (each, 0);
    while 0 < open {
        let text = reader.next().await?;
        if !text.contains(r#""method""#) {
            continue;
        }
        let EventMessage { params } = serde_json::from_str(&text)?;
        let before = last.insert(params.subscription, params.sequence).unwrap_or(0);
        ensure!(params.sequence == before + 1, "an event is missing: {text}");
        match params.result.kind {
            "content" => events += 1,
            "complete" => open -= 1,
            _ => ensure!(false, "a reader was cut off: {text}"),
        }
    }
    ensure!(events == each * count, "{events} of {} events", each * count);
    Ok(events)
}

struct Ends {
    complete: usize,
    cut: usize,
}

async fn ends_of(reader: &mut EventReader, each: usize) -> anyhow::Result<Ends> {
    let mut ends = Ends { complete: 0, cut: 0 };
    while ends.complete + ends.cut < each {
        let text = reader.next().await.context("a slow reader learns nothing")?;
        if !text.contains(r#""method""#) {
            continue;
        }
        let message: EventMessage<'_> = serde_json::from_str(&text)?;
        match message.params.result.kind {
            "complete" => ends.complete += 1,
            "error" => {
                ensure!(text.contains("reads too slowly"), "another end: {text}");
                ends.cut += 1;
            }
            _ => {}
        }
    }
    Ok(ends)
}
