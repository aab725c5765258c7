//! Load over standard input and output: several requests in flight on one pair of pipes.

use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use bytes::{Buf as _, BufMut as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::answer;
use crate::calls::Calls;
use crate::options::{Era, Limit, Options};
use crate::report::{Report, Tally};
use crate::request::{HELLO_ID, INITIALIZED};
use crate::server::{START_LIMIT, Server};

/// How long to wait for one answer.
const TIMEOUT: Duration = Duration::from_secs(30);
const READ_BYTES: usize = 128 * 1024;

pub(crate) async fn measure(options: &Options) -> anyhow::Result<Report> {
    let mut calls = Calls::new(options, Era::Legacy)?;
    let (server, mut client) = Client::connect(&options.command).await?;
    client.run(&mut calls, options.parallel, options.warmup()?).await.context("warm-up")?;
    let before = server.usage()?;
    let tally = client.run(&mut calls, options.parallel, options.limit()?).await?;
    let after = server.usage()?;
    drop(client);
    server.end().await;
    Ok(tally.report(before, after))
}

/// Our end of the pipes.
pub(crate) struct Client {
    input: ChildStdin,
    output: ChildStdout,
    to_write: BytesMut,
    arrived: BytesMut,
    next_id: usize,
}

impl Client {
    /// Starts the server and does the handshake.
    pub(crate) async fn connect(command: &[String]) -> anyhow::Result<(Server, Self)> {
        let (mut server, input, output) = Server::with_pipes(command)?;
        let (to_write, arrived) = (BytesMut::new(), BytesMut::new());
        let mut client = Self { input, output, to_write, arrived, next_id: HELLO_ID + 1 };
        match timeout(START_LIMIT, client.shake_hands()).await.context("no answer to initialize")? {
            Ok(()) => Ok((server, client)),
            Err(error) => Err(server.explain(error).await),
        }
    }

    async fn shake_hands(&mut self) -> anyhow::Result<()> {
        self.write_line(|out| out.extend_from_slice(Era::Legacy.hello().as_bytes()));
        loop {
            self.exchange().await?;
            while let Some(line) = self.next_line() {
                if let Some((id, _)) = answer::read(&line)? {
                    ensure!(id == HELLO_ID, "an answer to nothing we asked");
                    self.write_line(|out| out.extend_from_slice(INITIALIZED.as_bytes()));
                    return Ok(());
                }
            }
        }
    }

    /// Keeps `depth` calls in flight until the limit, then waits for the remaining ones.
    async fn run(
        &mut self,
        calls: &mut Calls,
        depth: usize,
        limit: Limit,
    ) -> anyhow::Result<Tally> {
        let first_id = self.next_id;
        let begin = Instant::now();
        let (mut begun, mut latencies): (Vec<Instant>, Vec<Duration>) = (Vec::new(), Vec::new());
        loop {
            let now = Instant::now();
            while begun.len() - latencies.len() < depth && limit.allows(begun.len(), now - begin) {
                let (call, id) = (calls.next()?, self.next_id);
                self.write_line(|out| call.append_to(out, id));
                self.next_id += 1;
                begun.push(now);
            }
            if begun.len() == latencies.len() {
                return Ok(Tally { latencies, elapsed: begin.elapsed() });
            }
            timeout(TIMEOUT, self.exchange()).await.context("no answer in time")??;
            let now = Instant::now();
            while let Some(line) = self.next_line() {
                let Some(id) = calls.answered(&line)? else { continue };
                let asked = id.checked_sub(first_id).and_then(|index| begun.get(index));
                latencies.push(now - *asked.context("an answer to nothing we asked")?);
            }
        }
    }

    fn write_line(&mut self, append: impl FnOnce(&mut BytesMut)) {
        append(&mut self.to_write);
        self.to_write.put_u8(b'\n');
    }

    /// Writes pending bytes and returns as soon as something was read. It must do both at once: a
    /// server may stop reading until we read its answers.
    async fn exchange(&mut self) -> anyhow::Result<()> {
        self.arrived.reserve(READ_BYTES);
        let read = loop {
            let unwritten = !self.to_write.is_empty();
            tokio::select! {
                biased;
                written = self.input.write_buf(&mut self.to_write), if unwritten => { written?; }
                read = self.output.read_buf(&mut self.arrived) => break read?,
            }
        };
        if read == 0 {
            bail!("the server closed its output");
        }
        Ok(())
    }

    fn next_line(&mut self) -> Option<BytesMut> {
        let end = memchr::memchr(b'\n', &self.arrived)?;
        let line = self.arrived.split_to(end);
        self.arrived.advance(1);
        Some(line)
    }
}
