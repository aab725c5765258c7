//! Measures how soon a gateway lists the tools of all its upstreams.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::answer;
use crate::http::{self, Session};
use crate::options::{Era, Options};
use crate::report::{Report, millis};
use crate::request::{HELLO_ID, list_tools};

/// How soon to ask again if some upstreams are still missing.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);
/// How long all upstreams may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long the gateway has to settle before its memory is read.
const SETTLE_TIME: Duration = Duration::from_millis(500);

#[derive(Deserialize)]
struct Page {
    tools: Vec<serde::de::IgnoredAny>,
    #[serde(rename = "nextCursor")]
    next: Option<String>,
}

pub(crate) async fn measure(options: &Options) -> anyhow::Result<Report> {
    let (server, session) = http::start(&options.command, Era::Legacy).await?;
    let mut lister = Lister { session, next_id: HELLO_ID + 1 };
    let mut listed = lister.list().await?;
    let first = server.started().elapsed();
    let mut whole = first;
    while listed < options.tools {
        ensure!(whole < TIMEOUT, "only {listed} of {} tools after {TIMEOUT:?}", options.tools);
        tokio::time::sleep(RETRY_INTERVAL).await;
        listed = lister.list().await?;
        whole = server.started().elapsed();
    }
    tokio::time::sleep(SETTLE_TIME).await;
    let pss_kib = server.proportional_kib()?;
    server.end().await;
    Ok(Report::from([
        ("first_list_ms", millis(first)),
        ("whole_list_ms", millis(whole)),
        ("pss_kib", pss_kib as f64),
    ]))
}

struct Lister {
    session: Session,
    next_id: usize,
}

impl Lister {
    /// The number of tools on all pages.
    async fn list(&mut self) -> anyhow::Result<usize> {
        let mut tools = 0;
        let mut cursor: Option<String> = None;
        loop {
            let id = self.next_id;
            self.next_id += 1;
            let answers = self.session.ask(&list_tools(id, cursor.as_deref())).await?;
            let page = answers.iter().find_map(|message| page(message, id).transpose());
            let page = page.context("no list in the response")??;
            tools += page.tools.len();
            match page.next {
                Some(next) => cursor = Some(next),
                None => return Ok(tools),
            }
        }
    }
}

/// The page in an answer; `None` for the server's own requests and notifications.
fn page(message: &[u8], id: usize) -> anyhow::Result<Option<Page>> {
    let Some((answered, result)) = answer::read(message)? else { return Ok(None) };
    ensure!(answered == id, "an answer to nothing we asked");
    serde_json::from_str(result.get()).map(Some).context("not a list of tools")
}
