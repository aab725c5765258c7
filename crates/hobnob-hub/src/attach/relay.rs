//! Relays a client's pipe to the hub, line by line; continues with another hub when that one ends.
//!
//! `serve` runs it. What must stay true: nothing hangs. A request to a hub that is gone gets an
//! error, and a relay that finds no hub becomes one.

use super::conversation::{Conversation, Passage};
use super::election::{Elected, find_hub};
use super::pipes::{HubLines, OutputClosed, PipeInput, PipeOutput, read_stdin};
use crate::compose::Plan;
use crate::hub_description::HubKind;
use crate::running_hub::RunningHub;
use crate::socket::serve_connection;
use anyhow::Context as _;
use hobnob_config::Places;
use parking_lot::Mutex;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;

/// How long a new hub may take to answer the repeated handshake.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the last answers may take after the client has closed its input. A hub lets calls
/// finish for two seconds.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(4);

/// How long the client may take to read the last answers.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// How many hubs in a row may end before they greet the client, or at once in this process. It is
/// more than the hubs that end when many assistants are closed together.
const MAX_FAILURES: usize = 32;

/// A hub in this process that lives longer than this does not count as failed.
const MIN_HUB_LIFETIME: Duration = Duration::from_secs(1);

/// A client's pipe, and how to become a hub.
pub struct Relay<'a> {
    places: &'a Places,
    plan: &'a (dyn Fn() -> Plan + Sync),
    conversation: Mutex<Conversation>,
    output: PipeOutput,
    /// Connections to the hub in this process.
    links: TaskTracker,
}

/// Why a connection to a hub has ended.
enum LinkEnd {
    /// The client has closed its input.
    Client,
    /// The hub is gone; says whether it had greeted the client.
    Hub(Greeted),
}

/// Whether a hub had greeted the client before it ended.
enum Greeted {
    Yes,
    No,
}

impl<'a> Relay<'a> {
    /// A relay for standard input and output; `plan` is what this process would serve as a hub.
    pub fn new(places: &'a Places, plan: &'a (dyn Fn() -> Plan + Sync)) -> anyhow::Result<Self> {
        let output = PipeOutput::open().context("standard output")?;
        let conversation = Mutex::default();
        Ok(Self { places, plan, conversation, output, links: TaskTracker::new() })
    }

    /// Relays until the client has closed its input or `stop` is ready.
    pub async fn run(
        self,
        first: UnixStream,
        stop: impl Future<Output = ()>,
    ) -> anyhow::Result<()> {
        let mut own = None;
        let mut input = read_stdin().context("standard input")?;
        let done = tokio::select! {
            done = self.pass_on(first, &mut input, &mut own) => done,
            () = stop => Ok(()),
        };
        if let Some(hub) = own {
            hub.end().await;
        }
        self.links.close();
        drop(timeout(DRAIN_TIMEOUT, self.links.wait()).await);
        let output = self.output;
        // A client that does not read its output must not keep the process alive.
        let flushed = tokio::task::spawn_blocking(move || output.flush());
        drop(timeout(FLUSH_TIMEOUT, flushed).await);
        done
    }

    async fn pass_on(
        &self,
        first: UnixStream,
        input: &mut mpsc::Receiver<PipeInput>,
        own: &mut Option<RunningHub>,
    ) -> anyhow::Result<()> {
        let mut stream = first;
        let mut failures = 0;
        loop {
            let begun = Instant::now();
            match self.serve_from(stream, input).await {
                Ok(LinkEnd::Client) | Err(OutputClosed) => return Ok(()),
                Ok(LinkEnd::Hub(Greeted::Yes))
                    if own.is_none() || MIN_HUB_LIFETIME < begun.elapsed() =>
                {
                    failures = 0;
                }
                Ok(LinkEnd::Hub(Greeted::Yes | Greeted::No)) => failures += 1,
            }
            if MAX_FAILURES <= failures {
                anyhow::bail!("{failures} hubs ended as soon as this process was attached to them");
            }
            tracing::warn!("the hub has ended; looking for another one");
            let notifications = self.conversation().lose_hub();
            for line in notifications {
                if self.output.send_line(line).await.is_err() {
                    return Ok(());
                }
            }
            stream = self.next_hub(own).await?;
        }
    }

    /// A connection to another hub: one that is running, or one in this process.
    async fn next_hub(&self, own: &mut Option<RunningHub>) -> anyhow::Result<UnixStream> {
        if let Some(ended) = own.take() {
            ended.end().await;
        }
        let claim = match find_hub(self.places).await {
            Elected::Other(stream) => {
                tracing::info!("attached to another running hobnob serve");
                return Ok(stream);
            }
            Elected::Ourselves(claim) => claim,
        };
        let hub = RunningHub::open((self.plan)(), HubKind::Pipe).await?;
        drop(claim);
        let (near, far) = UnixStream::pair().context("cannot create a pair of sockets")?;
        let (server, links) = (hub.composed.server.clone(), self.links.clone());
        self.links.spawn(async move { serve_connection(&server, far, &links).await });
        *own = Some(hub);
        tracing::info!("this process is the hub now");
        Ok(near)
    }

    /// Relays lines in both directions until one side ends.
    async fn serve_from(
        &self,
        stream: UnixStream,
        input: &mut mpsc::Receiver<PipeInput>,
    ) -> Result<LinkEnd, OutputClosed> {
        let (read, mut write) = stream.into_split();
        let mut lines = HubLines::new(read);
        let mut down = Box::pin(self.pass_down(&mut lines));
        {
            let greeting = self.greet(&mut write);
            tokio::select! {
                done = &mut down => return done.map(|()| LinkEnd::Hub(Greeted::No)),
                greeted = greeting => match greeted? {
                    Greeted::Yes => {}
                    Greeted::No => return Ok(LinkEnd::Hub(Greeted::No)),
                },
            }
        }
        tokio::select! {
            done = &mut down => return done.map(|()| LinkEnd::Hub(Greeted::Yes)),
            () = self.pass_up(input, &mut write) => {}
        }
        // Shutting down the writing half tells the hub that the client is done. If the hub had
        // stopped reading, its end follows at once.
        let is_over = input.is_closed() && input.is_empty();
        drop(write.shutdown().await);
        let ended = timeout(DRAIN_TIMEOUT, down).await;
        match (is_over, ended) {
            (true, Ok(Ok(())) | Err(_)) => Ok(LinkEnd::Client),
            (false, Ok(Ok(())) | Err(_)) => Ok(LinkEnd::Hub(Greeted::Yes)),
            (_, Ok(Err(gone))) => Err(gone),
        }
    }

    /// Replays to a new hub what the previous one knew.
    async fn greet(&self, write: &mut OwnedWriteHalf) -> Result<Greeted, OutputClosed> {
        let replay = self.conversation().replay();
        let Some((request, answered)) = replay.greeting else { return Ok(Greeted::Yes) };
        if send(write, request).await.is_err() {
            return Ok(Greeted::No);
        }
        if let Some(answered) = answered {
            match timeout(GREETING_TIMEOUT, answered).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return Ok(Greeted::No),
            }
        }
        for line in replay.afterwards {
            if send(write, line).await.is_err() {
                return Ok(Greeted::No);
            }
        }
        for line in replay.notifications {
            self.output.send_line(line).await?;
        }
        Ok(Greeted::Yes)
    }

    /// Relays lines to the hub until the client ends or the hub stops reading.
    async fn pass_up(&self, input: &mut mpsc::Receiver<PipeInput>, write: &mut OwnedWriteHalf) {
        while let Some(next) = input.recv().await {
            let bytes = match next {
                PipeInput::Piece(bytes) => bytes,
                PipeInput::Line(bytes) => {
                    let text = String::from_utf8_lossy(&bytes);
                    match self.conversation().note_client_line(&text) {
                        Passage::Forward => {}
                        Passage::Drop => continue,
                    }
                    bytes
                }
            };
            if write.write_all(&bytes).await.is_err() {
                return;
            }
        }
    }

    /// Relays lines to the client until the hub ends.
    async fn pass_down(&self, lines: &mut HubLines<OwnedReadHalf>) -> Result<(), OutputClosed> {
        while let Ok(Some(line)) = lines.next().await {
            // A hub that is killed may leave half a line, which the client could not parse.
            if !line.ends_with(b"\n") {
                break;
            }
            let passage = self.conversation().note_hub_line(&String::from_utf8_lossy(&line));
            match passage {
                Passage::Forward => self.output.send(line).await?,
                Passage::Drop => {}
            }
        }
        Ok(())
    }

    fn conversation(&self) -> parking_lot::MutexGuard<'_, Conversation> {
        self.conversation.lock()
    }
}

async fn send(write: &mut OwnedWriteHalf, mut line: String) -> std::io::Result<()> {
    line.push('\n');
    write.write_all(line.as_bytes()).await
}
