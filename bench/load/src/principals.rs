//! Memory of the sessions of many principals, each with a token of their own, that nobody uses.

use anyhow::ensure;

use crate::http;
use crate::idle::settled_kib;
use crate::options::{Era, PrincipalsOptions};
use crate::report::{Idle, Report};

/// Asks whether a session is still there.
const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;

/// Opens the sessions of one principal after the other, on one connection for each of them.
pub(crate) async fn measure(options: &PrincipalsOptions) -> anyhow::Result<Report> {
    let (server, mut first) = http::start(&options.command, Era::Legacy).await?;
    let address = first.address;
    let before = settled_kib(&server).await?;
    let mut opened = 0;
    for number in 0..options.principals {
        let credentials = http::credentials(number)?;
        let mut session = http::open_as(address, Era::Legacy, &credentials).await?;
        // The first of all was there before.
        let rest = options.sessions.saturating_sub(1 + usize::from(number == 0));
        for _ in 0..rest {
            let connection = session.into_connection();
            session = http::open_on(connection, address, Era::Legacy, &credentials).await?;
        }
        opened += 1 + rest;
    }
    let after = settled_kib(&server).await?;
    let answers = first.ask(PING).await?;
    ensure!(!answers.is_empty(), "the first session is gone");
    server.end().await;
    Ok(Report::Idle(Idle {
        sessions: opened + 1,
        kib_per_session: after.saturating_sub(before) as f64 / opened.max(1) as f64,
        rss_kib: after,
    }))
}
