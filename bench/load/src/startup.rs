//! The time from starting the process to its answer to the handshake, and its memory then.

use std::time::Duration;

use crate::http;
use crate::options::{Era, Options, Over};
use crate::report::{Report, millis, quantile};
use crate::server::Server;
use crate::stdio::Client;

pub(crate) async fn measure(options: &Options) -> anyhow::Result<Report> {
    let mut times = Vec::new();
    let mut rss_kib = 0;
    for _ in 0..options.runs.max(1) {
        let (time, memory) = once(options).await?;
        times.push(time);
        rss_kib = memory;
    }
    times.sort_unstable();
    let startup_ms = millis(quantile(&times, 50));
    Ok(Report::from([("startup_ms", startup_ms), ("rss_kib", rss_kib as f64)]))
}

async fn once(options: &Options) -> anyhow::Result<(Duration, u64)> {
    match options.over {
        Over::Stdio => {
            let (server, _client) = Client::connect(&options.command).await?;
            finish(server, options).await
        }
        Over::Http => {
            let (server, _session) = http::start(&options.command, Era::Legacy).await?;
            finish(server, options).await
        }
    }
}

async fn finish(server: Server, options: &Options) -> anyhow::Result<(Duration, u64)> {
    let time = server.started().elapsed();
    if 0.0 < options.settle {
        tokio::time::sleep(Duration::try_from_secs_f64(options.settle)?).await;
    }
    let memory = server.usage()?.rss_kib;
    server.end().await;
    Ok((time, memory))
}
