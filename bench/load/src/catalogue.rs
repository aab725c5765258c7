//! How soon a gateway can list the tools of all its upstreams.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

use crate::answer;
use crate::http::{self, Session};
use crate::options::{Era, Options};
use crate::report::{Report, millis};
use crate::request::{HELLO_ID, list_tools};

/// How soon to ask again when some upstreams were not there yet.
const RETRY: Duration = Duration::from_millis(2);
/// How long all of them may take.
const WHOLE: Duration = Duration::from_secs(60);
/// How long the gateway has to settle before its memory is read.
const SETTLE: Duration = Duration::from_millis(500);

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
        ensure!(whole < WHOLE, "only {listed} of {} tools after {WHOLE:?}", options.tools);
        tokio::time::sleep(RETRY).await;
        listed = lister.list().await?;
        whole = server.started().elapsed();
    }
    tokio::time::sleep(SETTLE).await;
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
    /// How many tools there are on all pages.
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

/// The list in an answer; nothing in what the server says besides.
fn page(message: &[u8], id: usize) -> anyhow::Result<Option<Page>> {
    let Some((answered, result)) = answer::read(message)? else { return Ok(None) };
    ensure!(answered == id, "an answer to nothing we asked");
    serde_json::from_str(result.get()).map(Some).context("not a list of tools")
}
