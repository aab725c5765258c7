//! Memory of sessions that do nothing but hold their stream open.

use std::time::Duration;

use crate::http;
use crate::options::{Era, Options};
use crate::report::Report;
use crate::server::Server;

/// Sessions opened before the first reading, so that what a server makes once is not counted.
const UNCOUNTED: usize = 16;
/// How long a server has to put away what it needed for opening sessions.
const SETTLE: Duration = Duration::from_millis(500);

pub(crate) async fn measure(options: &Options) -> anyhow::Result<Report> {
    let (server, first) = http::start(&options.command, Era::Legacy).await?;
    let address = first.address;
    let mut streams = vec![first.listen().await?];
    while streams.len() < UNCOUNTED {
        streams.push(http::open(address, Era::Legacy).await?.listen().await?);
    }
    let before = settled_kib(&server).await?;
    while streams.len() < UNCOUNTED + options.sessions {
        streams.push(http::open(address, Era::Legacy).await?.listen().await?);
    }
    let after = settled_kib(&server).await?;
    server.end().await;
    let each = after.saturating_sub(before) as f64 / options.sessions.max(1) as f64;
    Ok(Report::from([("kib_per_session", each), ("rss_kib", after as f64)]))
}

/// What it takes once it has put away what it needed for a moment.
async fn settled_kib(server: &Server) -> anyhow::Result<u64> {
    tokio::time::sleep(SETTLE).await;
    Ok(server.usage()?.rss_kib)
}
