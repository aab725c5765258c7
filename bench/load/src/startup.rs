//! Time from starting the process to its answer to the handshake, and its memory then.

use std::time::Duration;

use crate::http;
use crate::options::{Era, Over, StartupOptions};
use crate::report::{Report, Startup, millis, quantile};
use crate::stdio::Client;

pub(crate) async fn measure(options: &StartupOptions) -> anyhow::Result<Report> {
    let mut times = Vec::new();
    let mut rss_kib = 0;
    for _ in 0..options.runs.max(1) {
        let (time, memory) = once(options).await?;
        times.push(time);
        rss_kib = memory;
    }
    times.sort_unstable();
    Ok(Report::Startup(Startup { startup_ms: millis(quantile(&times, 50)), rss_kib }))
}

async fn once(options: &StartupOptions) -> anyhow::Result<(Duration, u64)> {
    match options.over {
        Over::Stdio => {
            let (server, _client) = Client::connect(&options.command).await?;
            let time = server.started().elapsed();
            let memory = server.usage()?.rss_kib;
            server.end().await;
            Ok((time, memory))
        }
        Over::Http => {
            let (server, _session) = http::start(&options.command, Era::Legacy).await?;
            let time = server.started().elapsed();
            let memory = server.usage()?.rss_kib;
            server.end().await;
            Ok((time, memory))
        }
    }
}
