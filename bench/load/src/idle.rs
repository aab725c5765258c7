//! Memory of sessions that only hold their stream open.

use std::time::Duration;

use crate::http;
use crate::options::{Era, Options};
use crate::report::Report;
use crate::server::Server;

/// Sessions opened before the first reading, so that the server's one-time costs do not count.
const WARMUP_SESSIONS: usize = 16;
/// How long a server has to release the memory it needed for opening sessions.
const SETTLE_TIME: Duration = Duration::from_millis(500);

pub(crate) async fn measure(options: &Options) -> anyhow::Result<Report> {
    let (server, first) = http::start(&options.command, Era::Legacy).await?;
    let address = first.address;
    let mut streams = vec![first.listen().await?];
    while streams.len() < WARMUP_SESSIONS {
        streams.push(http::open(address, Era::Legacy).await?.listen().await?);
    }
    let before = settled_kib(&server).await?;
    while streams.len() < WARMUP_SESSIONS + options.sessions {
        streams.push(http::open(address, Era::Legacy).await?.listen().await?);
    }
    let after = settled_kib(&server).await?;
    server.end().await;
    let each = after.saturating_sub(before) as f64 / options.sessions.max(1) as f64;
    Ok(Report::from([("kib_per_session", each), ("rss_kib", after as f64)]))
}

/// The server's memory, once it has released what it needed temporarily.
async fn settled_kib(server: &Server) -> anyhow::Result<u64> {
    tokio::time::sleep(SETTLE_TIME).await;
    Ok(server.usage()?.rss_kib)
}
