//! Calls of any tool over Streamable HTTP, each with the next line of a file as its arguments.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::crowd::together;
use crate::disk;
use crate::http::{Session, Started, start_many};
use crate::options::{CallsOptions, Era, Limit};
use crate::report::{Load, Report, Tally};
use crate::request::HELLO_ID;
use crate::tool::call;

pub(crate) async fn measure(options: &CallsOptions) -> anyhow::Result<Report> {
    let deck = Arc::new(Deck::read(options)?);
    let Started { server, startup, sessions } =
        start_many(&options.load.command, Era::Legacy, options.load.parallel).await?;
    let callers = sessions.into_iter().map(|session| Caller {
        session,
        next_id: HELLO_ID + 1,
        deck: Arc::clone(&deck),
    });
    let mut callers: Vec<Caller> = callers.collect();
    (callers, _) = run(callers, options.load.warmup()?).await.context("warm-up")?;
    let sync = || options.disk.as_deref().map_or(Ok(Vec::new()), disk::syncs);
    // Before and after, since others may use the disk meanwhile.
    let mut syncs = sync()?;
    let before = server.usage()?;
    let (_still_open, tally) = run(callers, options.load.limit()?).await?;
    let after = server.usage()?;
    syncs.extend(sync()?);
    server.end().await;
    Ok(Report::Load(Load::new(tally, before, after, startup).beside(syncs)))
}

/// The arguments, dealt in their order.
struct Deck {
    tool: String,
    lines: Vec<String>,
    dealt: AtomicUsize,
    again: bool,
}

impl Deck {
    fn read(options: &CallsOptions) -> anyhow::Result<Self> {
        let file = &options.arguments;
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        ensure!(!lines.is_empty(), "{} is empty", file.display());
        let (tool, dealt) = (options.load.tool.clone(), AtomicUsize::new(0));
        Ok(Self { tool, lines, dealt, again: options.again })
    }

    fn next(&self) -> anyhow::Result<&str> {
        let number = self.dealt.fetch_add(1, Ordering::Relaxed);
        ensure!(self.again || number < self.lines.len(), "all {number} calls have been made");
        Ok(&self.lines[number % self.lines.len()])
    }
}

struct Caller {
    session: Session,
    next_id: usize,
    deck: Arc<Deck>,
}

impl Caller {
    async fn repeat(mut self, limit: Limit) -> anyhow::Result<(Self, Vec<Duration>)> {
        let mut latencies = Vec::new();
        let begin = Instant::now();
        while limit.allows(latencies.len(), begin.elapsed()) {
            let arguments = self.deck.next()?;
            let begun = Instant::now();
            call(&mut self.session, self.next_id, &self.deck.tool, arguments).await?;
            latencies.push(begun.elapsed());
            self.next_id += 1;
        }
        Ok((self, latencies))
    }
}

/// Lets all callers call at the same time.
async fn run(callers: Vec<Caller>, limit: Limit) -> anyhow::Result<(Vec<Caller>, Tally)> {
    let begin = Instant::now();
    let calling = callers.into_iter().map(|caller| caller.repeat(limit));
    let (callers, latencies) = together(calling).await?;
    Ok((callers, Tally { latencies, elapsed: begin.elapsed() }))
}
